"""Operations on Applications: sync, roll back, terminate; each by its verb.

Local manifests and other revisions need `override`; whoever agreed to a plan sends its digest along, and is refused
where the plan is another by now.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import application as model
from syncline.model.operation import Info, RetryStrategy, SyncOperationResource, SyncStrategy
from syncline.server.answers import objects
from syncline.server.answers.kinds import Empty
from syncline.server.insight.planning import planned
from syncline.server.requests.call import Call
from syncline.server.requests.failures import CONFLICT, INVALID, Failure
from syncline.server.requests.permissions import Chosen, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint
from syncline.server.routes.applications.found import (
    APPLICATION,
    OF_APP,
    app_key,
    application,
    rbac_of,
    require_stored,
    stored_application,
    writes,
)
from syncline.verbs.adopt import adopt, waiting_adoptions
from syncline.verbs.revisions import RevisionChoice
from syncline.verbs.sync import RollbackRequest, SyncRequest, rollback, rollback_sync, sync, terminate
from syncline.verbs.sync_windows import refuse_held


class SyncItems(msgspec.Struct, frozen=True):
    """Options of a sync, as Argo CD wraps them."""

    items: tuple[str, ...] = ()


class SyncBody(msgspec.Struct, frozen=True, rename="camel"):
    """A sync, as Argo CD takes it; `plan_digest` is ours."""

    name: str = ""
    revision: str = ""
    revisions: tuple[str, ...] = ()
    source_positions: tuple[int, ...] = ()
    dry_run: bool = False
    prune: bool = False
    strategy: SyncStrategy | None = None
    resources: tuple[SyncOperationResource, ...] | None = None
    manifests: tuple[str, ...] | None = None
    infos: tuple[Info, ...] | None = None
    retry_strategy: RetryStrategy | None = None
    sync_options: SyncItems | None = None
    plan_digest: str = ""


async def start_sync(call: Call) -> Object:
    """Start a sync."""
    wanted, app = call.body(SyncBody), await stored_application(call)
    if wanted.name and wanted.name != meta.name(app):
        raise Failure(INVALID, "the name in the path and the name in the body differ")
    await refuse_held(call.backend.home, app, call.backend.namespace, call.backend.world.clock)
    if wanted.plan_digest:
        await _require_same_plan(call, app, wanted)
    request = SyncRequest(
        app=app_key(call),
        username=call.username,
        revisions=RevisionChoice(
            revision=wanted.revision, revisions=wanted.revisions, positions=wanted.source_positions
        ),
        prune=wanted.prune,
        dry_run=wanted.dry_run,
        strategy=wanted.strategy,
        resources=wanted.resources or (),
        manifests=wanted.manifests or (),
        sync_options=wanted.sync_options.items if wanted.sync_options else None,
        info=wanted.infos or (),
        retry=wanted.retry_strategy,
    )

    def permit(stored: Object) -> None:
        require_stored(call, stored)
        if (overridden := _overridden(call, stored)) is not None:
            call.require("applications", "override", overridden.name)

    return (await sync(call.backend.home, request, permit)).obj


async def _find_overridden(call: Call) -> Target[None] | None:
    return _overridden(call, application(call))


def _overridden(call: Call, app: Object) -> Target[None] | None:
    wanted = call.body(SyncBody)
    overrides = bool(wanted.manifests) or _is_other_revision(call, app, wanted)
    return Target(rbac_of(call, app)) if overrides else None


_OVERRIDDEN = Subject(APPLICATION.shown, _find_overridden)
_WHEN_OVERRIDDEN = (
    "when the body has `manifests`; with `application.sync.requireOverridePrivilegeForRevisionSync` "
    "also for another revision"
)


def _is_other_revision(call: Call, app: Object, wanted: SyncBody) -> bool:
    """Whether a sync wants another revision than the Application names, where that takes a right of its own."""
    config = call.backend.config("argocd-cm")
    if config.get("application.sync.requireOverridePrivilegeForRevisionSync", "").lower() != "true":
        return False
    if wanted.revisions:
        return True
    named = [source.target_revision for source in model.parse(app).spec.all_sources]
    return bool(wanted.revision) and wanted.revision not in named


async def _require_same_plan(call: Call, app: Object, wanted: SyncBody) -> None:
    found = await planned(call.backend, app, revision=wanted.revision, prune=wanted.prune)
    _require_digest(found, wanted.plan_digest)


def _require_digest(found: dict[str, Any], agreed: str) -> None:
    if found["digest"] != agreed:
        raise Failure(CONFLICT, "the plan is another by now", hint="look at the new plan, then sync")


class RollbackBody(msgspec.Struct, frozen=True, rename="camel"):
    """A rollback to an entry of the history; without an id, or with 0 where there is no such entry, the one before."""

    id: int | None = None
    prune: bool = False
    dry_run: bool = False
    name: str = ""
    plan_digest: str = ""


async def start_rollback(call: Call) -> Object:
    """Go back to an earlier sync."""
    wanted, app = call.body(RollbackBody), await stored_application(call)
    request = RollbackRequest(
        app=app_key(call),
        username=call.username,
        id=_entry_of(app, wanted.id),
        prune=wanted.prune,
        dry_run=wanted.dry_run,
        control=call.backend.namespace,
    )
    if wanted.plan_digest:
        back = rollback_sync(model.parse(app), request)
        _require_digest(await planned(call.backend, app, prune=wanted.prune, back=back), wanted.plan_digest)
    return (await rollback(call.backend.home, request, partial(require_stored, call))).obj


def _rollback_verb(call: Call) -> tuple[str, ...]:
    own = call.backend.config("argocd-cm").get("server.rbac.rollback.enforce.enable", "").lower() == "true"
    return ("rollback" if own else "sync",)


def _entry_of(app: Object, wanted: int | None) -> int | None:
    """Return the entry that is meant: clients write 0 for none, and the first sync of an Application has that id."""
    known = [entry.id for entry in model.parse(app).status.history]
    return None if wanted == 0 and 0 not in known else wanted


class AdoptBody(msgspec.Struct, frozen=True):
    """An approval; `digest` is that of the list of objects which the plan showed."""

    digest: str = ""


async def adopt_objects(call: Call) -> Object:
    """Approve that an Application takes over objects of an app that this installation does not know."""
    assessment = await call.backend.view.assess(await stored_application(call))
    waiting_adoptions(assessment, call.body(AdoptBody).digest)
    return (await adopt(call.backend.home, assessment, partial(require_stored, call))).obj


async def terminate_operation(call: Call) -> Object:
    """End the operation that runs."""
    await terminate(call.backend.home, app_key(call), call.backend.world.clock, partial(require_stored, call))
    return {}


_APP = "/api/v1/applications/{name}"
ENDPOINTS = (
    Endpoint(
        method="POST",
        path=f"{_APP}/sync",
        handler=start_sync,
        about="Sync an Application.",
        answer=objects.Application,
        permission=(writes("sync"), Needs("applications", "override", _OVERRIDDEN, _WHEN_OVERRIDDEN)),
        query=OF_APP,
        body=SyncBody,
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/rollback",
        handler=start_rollback,
        about="Roll an Application back.",
        answer=objects.Application,
        permission=Needs(
            "applications",
            ("get", Chosen(("sync", "rollback"), _rollback_verb)),
            APPLICATION,
            "`rollback` with `server.rbac.rollback.enforce.enable`, else `sync`",
        ),
        query=OF_APP,
        body=RollbackBody,
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/adopt",
        handler=adopt_objects,
        about="Approve taking over objects of an app that this installation does not know.",
        answer=objects.Application,
        permission=writes("update"),
        query=OF_APP,
        body=AdoptBody,
    ),
    Endpoint(
        method="DELETE",
        path=f"{_APP}/operation",
        handler=terminate_operation,
        about="End the operation that runs.",
        answer=Empty,
        permission=writes("sync"),
        query=OF_APP,
    ),
)
