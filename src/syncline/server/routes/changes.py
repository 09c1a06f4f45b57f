"""What changes Applications: create, replace, patch, delete, sync, roll back, terminate; each by its verb.

A request may say no more than its right covers: `status` and `operation` of a body are dropped, another project is
asked about too, local manifests and other revisions need `override`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.model import application as model
from syncline.model.operation import Info, RetryStrategy, SyncOperationResource, SyncStrategy
from syncline.server.call import Call
from syncline.server.failures import CONFLICT, INVALID, Failure
from syncline.server.planning import planned
from syncline.server.routes.found import OF_APP, app_key, application, rbac_of
from syncline.server.routing import Endpoint, Query
from syncline.server.shelf import project_of, rbac_name
from syncline.verbs.create import CreateRequest, create_application
from syncline.verbs.delete import DeleteRequest, Propagation, delete_application
from syncline.verbs.edit import PatchRequest, ReplaceSpecRequest, patch_application, replace_spec
from syncline.verbs.revisions import RevisionChoice
from syncline.verbs.sync import RollbackRequest, SyncRequest, rollback, rollback_sync, sync, terminate
from syncline.verbs.sync_windows import refuse_held

_KEPT = ("labels", "annotations", "finalizers")
_SETTABLE = (*_KEPT, "name", "namespace")


async def create(call: Call) -> Object:
    """Create an Application, or with `upsert` overwrite the one of its name."""
    wanted = _body_application(call)
    namespace = meta.namespace(wanted) or call.backend.namespace
    name = rbac_name(project_of(wanted), namespace, meta.name(wanted), call.backend.namespace)
    call.require("applications", "create", name)
    present = call.backend.application(AppKey(namespace, meta.name(wanted)))
    if present is not None:
        # What is there may be of another project: overwriting it takes a right to that one too.
        call.require("applications", "update" if call.flag("upsert") else "get", rbac_of(call, present))
    request = CreateRequest(
        app=wanted,
        namespace=call.backend.namespace,
        upsert=call.flag("upsert"),
        validate=call.flag("validate", otherwise=True),
    )
    return (await create_application(call.backend.home, request)).stored.obj


def _body_application(call: Call) -> Object:
    """Return the Application of a body, without what nobody may set this way: status, operation, owners."""
    body = call.raw_body
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict) or not meta.name(body):
        raise Failure(INVALID, "the body is an Application with a name")
    metadata = {name: body["metadata"][name] for name in _SETTABLE if name in body["metadata"]}
    spec = body.get("spec")
    return {"metadata": metadata, "spec": spec if isinstance(spec, dict) else {}}


async def replace(call: Call) -> Object:
    """Replace spec, labels, annotations and finalizers of an Application."""
    present = application(call, "update")
    wanted = _body_application(call)
    if meta.name(wanted) != meta.name(present):
        raise Failure(INVALID, "the name in the path and the name in the body differ")
    _require_project(call, present, project_of(wanted))
    key, control = app_key(call), call.backend.namespace
    kept = {name: wanted["metadata"][name] for name in _KEPT if name in wanted["metadata"]}
    stored = await replace_spec(
        call.backend.home,
        ReplaceSpecRequest(
            app=key, control=control, spec=wanted["spec"], validate=call.flag("validate", otherwise=True)
        ),
    )
    if kept:
        request = PatchRequest(app=key, control=control, patch={"metadata": kept}, kind="merge")
        stored = await patch_application(call.backend.home, request)
    return stored.obj


def _require_project(call: Call, present: Object, project: str) -> None:
    """Require a right to the project that an Application is moved to, beside that to the one it is in."""
    if project != project_of(present):
        name = rbac_name(project, meta.namespace(present), meta.name(present), call.backend.namespace)
        call.require("applications", "create", name)


async def put_spec(call: Call) -> Object:
    """Replace the spec of an Application."""
    present = application(call, "update")
    if not isinstance(call.raw_body, dict):
        raise Failure(INVALID, "the body is a spec")
    _require_project(call, present, str(call.raw_body.get("project") or "default"))
    request = ReplaceSpecRequest(
        app=app_key(call),
        control=call.backend.namespace,
        spec=call.raw_body,
        validate=call.flag("validate", otherwise=True),
    )
    spec: Object = (await replace_spec(call.backend.home, request)).obj["spec"]
    return spec


class Patch(msgspec.Struct, frozen=True, rename="camel"):
    """A patch of an Application: `patch` is JSON as text."""

    patch: str
    patch_type: str = "json"
    name: str = ""


async def patch(call: Call) -> Object:
    """Patch an Application."""
    present = application(call, "update")
    wanted = call.body(Patch)
    if wanted.patch_type not in ("json", "merge"):
        raise Failure(INVALID, "patchType is json or merge")
    try:
        change = msgspec.json.decode(wanted.patch)
    except (msgspec.DecodeError, RecursionError):
        raise Failure(INVALID, "patch is not JSON") from None
    _refuse_side_doors(change)
    _require_project(call, present, _patched_project(change, project_of(present)))
    request = PatchRequest(
        app=app_key(call),
        control=call.backend.namespace,
        patch=change,
        kind="json" if wanted.patch_type == "json" else "merge",
    )
    return (await patch_application(call.backend.home, request)).obj


def _refuse_side_doors(change: Any) -> None:
    """Refuse to start or fake an operation by a patch: that has rights of its own."""
    paths = [str(one.get("path") or "") for one in change if isinstance(one, dict)] if isinstance(change, list) else []
    tops = (
        {path.strip("/").partition("/")[0] for path in paths}
        if paths
        else set(change if isinstance(change, dict) else ())
    )
    whole = any(path in ("", "/") for path in paths)
    if whole or tops & {"operation", "status"}:
        raise Failure(INVALID, "a patch may change spec and metadata", hint="use sync, rollback or terminate instead")
    owners = isinstance(change, dict) and "ownerReferences" in (change.get("metadata") or {})
    if owners or any(path.startswith("/metadata/ownerReferences") for path in paths):
        raise Failure(INVALID, "a patch may not change the owners of an Application")


def _patched_project(change: Any, otherwise: str) -> str:
    """Return the project that an Application is of after a patch, as far as the patch names it."""
    if isinstance(change, dict):
        spec = change.get("spec")
        return str(spec.get("project") or otherwise) if isinstance(spec, dict) else otherwise
    for one in change if isinstance(change, list) else ():
        if isinstance(one, dict) and one.get("op") in ("add", "replace"):
            if one.get("path") == "/spec/project":
                otherwise = str(one.get("value") or "default")
            elif one.get("path") == "/spec" and isinstance(one.get("value"), dict):
                otherwise = str(one["value"].get("project") or "default")
            continue
        if isinstance(one, dict) and str(one.get("path") or "") in ("/spec/project", "/spec"):
            raise Failure(INVALID, "a patch sets the project by add or replace alone")
    return otherwise


async def delete(call: Call) -> Object:
    """Delete an Application, and with `cascade` its objects."""
    present = application(call, "delete")
    policy = call.text("propagationPolicy")
    if policy not in [one.value for one in Propagation]:
        raise Failure(INVALID, "propagationPolicy is foreground or background")
    request = DeleteRequest(
        app=app_key(call),
        cascade=call.flag("cascade", otherwise=True),
        propagation=Propagation(policy),
        uid=meta.uid(present),
    )
    await delete_application(call.backend.home, request)
    return {}


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
    app = application(call, "sync")
    wanted = call.body(SyncBody)
    if wanted.name and wanted.name != meta.name(app):
        raise Failure(INVALID, "the name in the path and the name in the body differ")
    if wanted.manifests or _is_other_revision(call, app, wanted):
        call.require("applications", "override", rbac_of(call, app))
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
    return (await sync(call.backend.home, request)).obj


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
    own = call.backend.config("argocd-cm").get("server.rbac.rollback.enforce.enable", "").lower() == "true"
    app = application(call, "rollback" if own else "sync")
    wanted = call.body(RollbackBody)
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
    return (await rollback(call.backend.home, request)).obj


def _entry_of(app: Object, wanted: int | None) -> int | None:
    """Return the entry that is meant: clients write 0 for none, and the first sync of an Application has that id."""
    known = [entry.id for entry in model.parse(app).status.history]
    return None if wanted == 0 and 0 not in known else wanted


async def terminate_operation(call: Call) -> Object:
    """End the operation that runs."""
    application(call, "sync")
    await terminate(call.backend.home, app_key(call), call.backend.world.clock)
    return {}


_LIST = "/api/v1/applications"
_APP = "/api/v1/applications/{name}"
_VALIDATE = Query("validate", "Check the spec first (default: true).", "boolean")
ENDPOINTS = (
    Endpoint(
        method="POST",
        path=_LIST,
        handler=create,
        about="Create an Application.",
        query=(Query("upsert", "Overwrite the one there is.", "boolean"), _VALIDATE),
        body=dict,
    ),
    Endpoint(
        method="PUT", path=_APP, handler=replace, about="Replace an Application.", query=(*OF_APP, _VALIDATE), body=dict
    ),
    Endpoint(
        method="PUT",
        path=f"{_APP}/spec",
        handler=put_spec,
        about="Replace the spec of an Application.",
        query=(*OF_APP, _VALIDATE),
        body=dict,
    ),
    Endpoint(method="PATCH", path=_APP, handler=patch, about="Patch an Application.", query=OF_APP, body=Patch),
    Endpoint(
        method="DELETE",
        path=_APP,
        handler=delete,
        about="Delete an Application.",
        query=(*OF_APP, Query("cascade", "Delete its objects too.", "boolean"), Query("propagationPolicy")),
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/sync",
        handler=start_sync,
        about="Sync an Application.",
        query=OF_APP,
        body=SyncBody,
    ),
    Endpoint(
        method="POST",
        path=f"{_APP}/rollback",
        handler=start_rollback,
        about="Roll an Application back.",
        query=OF_APP,
        body=RollbackBody,
    ),
    Endpoint(
        method="DELETE",
        path=f"{_APP}/operation",
        handler=terminate_operation,
        about="End the operation that runs.",
        query=OF_APP,
    ),
)
