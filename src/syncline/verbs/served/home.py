"""An installation through its API server: `syncline.verbs.home.Home` over HTTP.

What is looked at is what the server saw: it sends its snapshot of an Application, without values of Secrets, and the
same engine as anywhere assesses it here. So a comparison, a tree or a rule is told in the same words, whoever did the
looking. Made by `syncline.cli.options.Chosen.opened`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from syncline.controller.app_key import AppKey
from syncline.model import codec, names
from syncline.model.errors import NeedsUser
from syncline.verbs.applications import StoredApplication
from syncline.verbs.served.api import Forbidden, ServerApi, app_path, app_query
from syncline.verbs.served.cluster import ServedCluster

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.core.diagnose.explain import Explanation
    from syncline.model.cluster import KnownCluster
    from syncline.model.sources.repository import Repository
    from syncline.ports.evaluate import Evaluator
    from syncline.verbs.accounts import Account, AccountToken
    from syncline.verbs.blocking import Chains
    from syncline.verbs.delete import DeleteRequest
    from syncline.verbs.home import Remarks, Sight
    from syncline.verbs.look import Overrides
    from syncline.verbs.refresh import RefreshRequest
    from syncline.verbs.served.sight import ServedLook
    from syncline.verbs.sync import RollbackRequest, SyncRequest
    from syncline.verbs.sync_windows import SyncWindows

Evaluating = Callable[[float], AbstractAsyncContextManager["Evaluator"]]


class ServedHome:
    """One server, as one user."""

    judges = True

    def __init__(self, api: ServerApi, namespace: str, evaluating: Evaluating) -> None:
        self.api = api
        self.cluster = ServedCluster(api)
        self.words = f"server {api.server}"
        self.namespace = namespace
        self._evaluating = evaluating

    async def repositories(self) -> list[Repository]:
        """Return the repositories that may be seen, without credentials."""
        return [one for one, _state in await self.repository_states()]

    async def repository_states(self) -> list[tuple[Repository, tuple[str, str]]]:
        """Return the repositories that may be seen, each with whether the server can read it, and why not."""
        from syncline.verbs.served import listed

        return [listed.repository(one) for one in await self.items("repositories")]

    async def clusters(self) -> list[KnownCluster]:
        """Return the clusters that may be seen, without credentials."""
        from syncline.verbs.served import listed

        return [listed.cluster(one) for one in await self.items("clusters")]

    async def cluster_state(self, known: KnownCluster) -> dict[str, str]:
        """Return what the server knows of how a cluster is."""
        from syncline.verbs.served import listed

        found = await self.api.get(f"/api/v1/clusters/{quote(known.server, safe='')}")
        return listed.state(found)

    async def accounts(self) -> list[Account]:
        """Return the local accounts that may be seen."""
        from syncline.verbs.accounts import Account

        return [
            Account(str(one.get("name")), bool(one.get("enabled")), tuple(one.get("capabilities") or ()))
            for one in await self.items("account")
        ]

    async def can_i(self, resource: str, action: str, name: str) -> str:
        """Return yes or no: whether whoever asks may do something."""
        words = "/".join(quote(one, safe="") for one in (resource, action))
        found = await self.api.get(f"/api/v1/account/can-i/{words}/{quote(name)}")
        return str(found.get("value") or "no")

    async def account_tokens(self, name: str) -> list[AccountToken] | None:
        """Return the tokens of an account."""
        from syncline.verbs.accounts import AccountToken

        found = await self.api.get(f"/api/v1/account/{quote(name, safe='')}")
        return [
            AccountToken(str(one.get("id")), int(one.get("issuedAt") or 0), int(one.get("expiresAt") or 0))
            for one in found.get("tokens") or ()
        ]

    async def items(self, path: str) -> list[Any]:
        """Return the items of a list."""
        found = await self.api.get(f"/api/v1/{path}")
        items = found.get("items") if isinstance(found, dict) else None
        return [one for one in items or () if isinstance(one, dict)]

    async def refresh(self, request: RefreshRequest) -> StoredApplication:
        """Have an Application looked at again, and wait for that."""
        query = {**app_query(request.app), "refresh": "hard" if request.hard else "normal"}
        return _stored(await self.api.get(app_path(request.app), query))

    async def sync(self, stored: StoredApplication, request: SyncRequest) -> StoredApplication:
        """Start a sync; the server minds windows."""
        wanted = request.revisions
        options = None if request.sync_options is None else list(request.sync_options)
        if request.more_options:
            own = stored.app.spec.sync_policy.sync_options if stored.app.spec.sync_policy else ()
            options = [*(own if options is None else options), *request.more_options]
        # Positions are what a server takes: names of sources are looked up here.
        revisions = wanted.of(stored.app).revisions if wanted.revisions else ()
        body = {
            "name": stored.key.name,
            "revision": wanted.revision,
            "revisions": list(revisions),
            "sourcePositions": list(range(1, len(revisions) + 1)),
            "prune": request.prune,
            "dryRun": request.dry_run,
            "strategy": codec.to_object(request.strategy) if request.strategy is not None else None,
            "resources": [codec.to_object(one) for one in request.resources] or None,
            "manifests": list(request.manifests) or None,
            "infos": [codec.to_object(one) for one in request.info] or None,
            "retryStrategy": codec.to_object(request.retry) if request.retry is not None else None,
            "syncOptions": {"items": options} if options is not None else None,
        }
        sent = {name: value for name, value in body.items() if value not in (None, "", [], False)}
        return _stored(await self.api.ask("POST", app_path(stored.key, "sync"), app_query(stored.key), sent))

    async def rollback(self, request: RollbackRequest) -> StoredApplication:
        """Go back to an earlier sync."""
        body = {"id": request.id or 0, "prune": request.prune, "dryRun": request.dry_run}
        return _stored(await self.api.ask("POST", app_path(request.app, "rollback"), app_query(request.app), body))

    async def terminate(self, key: AppKey) -> None:
        """End the operation that runs."""
        await self.api.ask("DELETE", app_path(key, "operation"), app_query(key))

    async def delete(self, request: DeleteRequest) -> None:
        """Delete an Application."""
        query = {
            **app_query(request.app),
            "cascade": "true" if request.cascade else "false",
            "propagationPolicy": request.propagation.value,
        }
        await self.api.ask("DELETE", app_path(request.app), query)

    async def windows(self, stored: StoredApplication) -> SyncWindows | None:
        """Return how its sync windows stand."""
        from syncline.verbs.sync_windows import SyncWindows

        try:
            found = await self.api.get(app_path(stored.key, "syncwindows"), app_query(stored.key))
        except Forbidden:
            return None
        standing = found.get("standing")
        return msgspec.convert(standing, SyncWindows) if standing else None

    async def look(self, stored: StoredApplication, overrides: Overrides | None = None) -> Assessment:
        """Return an Application as the server sees it, or as it would be."""
        return await self._assessed(await self._look(stored, overrides))

    @asynccontextmanager
    async def seeing(self, stored: StoredApplication) -> AsyncIterator[Sight]:
        """Look at an Application, to do something with its objects."""
        from syncline.verbs.served.sight import ServedSight

        found = await self._look(stored)
        yield ServedSight(self.api, stored.key, found, await self._assessed(found))

    async def explain(self, stored: StoredApplication, remarks: Remarks) -> Explanation:  # noqa: ARG002
        """Return why an Application is as it is; what only this machine could find out is not asked."""
        from syncline.core.diagnose.explain import Explanation

        found = await self.api.get(app_path(stored.key, "why"), app_query(stored.key))
        return msgspec.convert(found, Explanation, strict=False)

    @asynccontextmanager
    async def waiting(self, stored: StoredApplication) -> AsyncIterator[Chains | None]:  # noqa: ARG002
        """Say nothing of what objects of a sync wait for: the server does not tell."""
        yield None

    async def _look(self, stored: StoredApplication, overrides: Overrides | None = None) -> ServedLook:
        from syncline.verbs.served.sight import ServedLook

        query: dict[str, Any] = app_query(stored.key)
        if overrides is not None:
            if overrides.desired is not None:
                raise NeedsUser(
                    "files of this machine are compared by the Kubernetes API", hint="add --core to use your kubeconfig"
                )
            sync = overrides.sync
            query |= {
                "revision": sync.revision if sync else "",
                "revisions": tuple(sync.revisions) if sync else (),
                "serverSide": "true" if overrides.server_side else "",
            }
        found = await self.api.raw("GET", _look_path(stored.key), query)
        try:
            return codec.decode(ServedLook, found)
        except msgspec.DecodeError:
            raise NeedsUser(
                f"{self.api.server} tells what it sees in another form than this version reads",
                hint="use the version of the server",
            ) from None

    async def _assessed(self, found: ServedLook) -> Assessment:
        from syncline.controller.deliver.reconcile import assess_with

        async with self._evaluating(found.snapshot.settings.jq_timeout) as evaluator:
            return await assess_with(found.snapshot, evaluator)


def _look_path(key: AppKey) -> str:
    return app_path(key, "look")


def _stored(found: Any) -> StoredApplication:
    return StoredApplication({**found, "apiVersion": names.API_VERSION, "kind": "Application"}, changed=True)
