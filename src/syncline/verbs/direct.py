"""An installation by the Kubernetes API: `syncline.verbs.home.Home` with everything looked at and rendered here.

Much is loaded for a look, and a list needs none, so what looks is imported where it is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.app_key import AppKey
from syncline.ports.clock import Clock
from syncline.ports.kube import Cluster
from syncline.verbs.applications import StoredApplication

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.core.diagnose.explain import Explanation
    from syncline.model.cluster import KnownCluster
    from syncline.model.sources.repository import Repository
    from syncline.ports.evaluate import Evaluator
    from syncline.verbs.accounts import Account, AccountToken
    from syncline.verbs.actions import ActionRequest, Offered
    from syncline.verbs.blocking import Chains
    from syncline.verbs.clusters import Connectors
    from syncline.verbs.delete import DeleteRequest
    from syncline.verbs.home import Remarks, Sight
    from syncline.verbs.logs import LogLine, LogRequest, Printing
    from syncline.verbs.look import Overrides, Seen, Worlds
    from syncline.verbs.refresh import RefreshRequest
    from syncline.verbs.resources import DeleteResourceRequest, PatchResourceRequest
    from syncline.verbs.sync import RollbackRequest, SyncRequest
    from syncline.verbs.sync_windows import SyncWindows


class DirectSight:
    """What the Kubernetes API shows."""

    def __init__(self, seen: Seen, evaluator: Evaluator, clock: Clock) -> None:
        self._seen = seen
        self._evaluator = evaluator
        self._clock = clock

    @property
    def assessment(self) -> Assessment:
        """What was seen."""
        return self._seen.assessment

    async def orphans(self) -> list[ObjectKey]:
        """Return what belongs to nobody in its namespace."""
        from syncline.verbs.resources import orphaned_keys

        return orphaned_keys(self._seen)

    def lines(self, found: list[Printing], request: LogRequest) -> AsyncIterator[LogLine]:
        """Yield what containers print."""
        from syncline.verbs.logs import lines

        return lines(self._seen.place.cluster, found, request)

    async def offered(self, objects: Sequence[Object]) -> list[Offered]:
        """Return the actions that objects offer now."""
        from syncline.verbs.actions import offered

        return await offered(objects, self.assessment.snapshot.settings, self._evaluator)

    async def run_action(self, request: ActionRequest) -> AsyncIterator[tuple[str, ObjectKey]]:
        """Run an action; yields what was done to which object."""
        from syncline.verbs.actions import run_action

        async for step in run_action(self._seen, request, self._evaluator, self._clock):
            yield step.operation.value, key_of(step.obj)

    async def patch(self, request: PatchResourceRequest) -> None:
        """Patch a live object."""
        from syncline.verbs.resources import patch_resource

        await patch_resource(self._seen, request)

    async def delete(self, request: DeleteResourceRequest) -> None:
        """Delete a live object."""
        from syncline.verbs.resources import delete_resource

        await delete_resource(self._seen, request)


@dataclass(frozen=True, slots=True)
class DirectTools:
    """What a direct look needs of this machine: ports of a look, scripts, other clusters, the time."""

    worlds: Worlds
    evaluating: Callable[[float], AbstractAsyncContextManager[Evaluator]]
    connectors: Connectors
    clock: Clock


class DirectHome:
    """An installation by the Kubernetes API."""

    judges = False

    def __init__(self, cluster: Cluster, words: str, namespace: str, tools: DirectTools) -> None:
        self.cluster = cluster
        self.words = words
        self.namespace = namespace
        self._tools = tools

    async def repositories(self) -> list[Repository]:
        """Return the repositories that are described."""
        from syncline.controller.clusters.access import read_access

        return list((await read_access(self.cluster, self.namespace)).repositories)

    async def clusters(self) -> list[KnownCluster]:
        """Return the clusters."""
        from syncline.verbs.clusters import known_clusters

        return (await known_clusters(self.cluster, self.namespace))[0]

    async def accounts(self) -> list[Account]:
        """Return the local accounts, `admin` first."""
        from syncline.verbs.accounts import accounts

        return await accounts(self.cluster, self.namespace)

    async def can_i(self, resource: str, action: str, name: str) -> str:
        """Return yes or no for `admin`: without a server there is no login."""
        from syncline.core.policy.rbac.rights import Who
        from syncline.verbs import rights

        policies = await rights.read_policies(self.cluster, self.namespace)
        verdict = rights.decide(policies, Who("admin", ()), rights.request_for("admin", action, resource, name))
        return "yes" if verdict.allowed else "no"

    async def account_tokens(self, name: str) -> list[AccountToken] | None:
        """Return the tokens of an account; None where they may not be seen."""
        from syncline.verbs.accounts import tokens

        return await tokens(self.cluster, self.namespace, name)

    async def refresh(self, request: RefreshRequest) -> StoredApplication:
        """Have an Application looked at again, and wait for that."""
        from syncline.verbs.refresh import refresh

        return await refresh(self.cluster, request)

    async def sync(self, stored: StoredApplication, request: SyncRequest) -> StoredApplication:
        """Start a sync."""
        from syncline.verbs.sync import sync
        from syncline.verbs.sync_windows import refuse_held

        await refuse_held(self.cluster, stored.obj, self._control(stored), self._tools.clock)
        return await sync(self.cluster, request)

    async def rollback(self, request: RollbackRequest) -> StoredApplication:
        """Go back to an earlier sync; a refusal names the place of each rule behind it."""
        from syncline.verbs.sync import rollback

        async with self._naming_rules():
            return await rollback(self.cluster, request)

    async def terminate(self, key: AppKey) -> None:
        """End the operation that runs."""
        from syncline.verbs.sync import terminate

        await terminate(self.cluster, key, self._tools.clock)

    async def delete(self, request: DeleteRequest) -> None:
        """Delete an Application."""
        from syncline.verbs.delete import delete_application

        await delete_application(self.cluster, request)

    async def windows(self, stored: StoredApplication) -> SyncWindows | None:
        """Return how its sync windows stand."""
        from syncline.verbs.sync_windows import sync_windows

        return await sync_windows(self.cluster, stored.obj, self._control(stored), self._tools.clock)

    async def look(self, stored: StoredApplication, overrides: Overrides | None = None) -> Assessment:
        """Return an Application as it is now, or as it would be."""
        from syncline.verbs.look import Overrides, look

        wanted = overrides or Overrides()
        return await look(self.cluster, self._control(stored), stored.obj, self._tools.worlds, wanted)

    @asynccontextmanager
    async def seeing(self, stored: StoredApplication) -> AsyncIterator[Sight]:
        """Look at an Application, to do something with its objects."""
        from syncline.verbs.look import looking

        async with (
            self._naming_rules(),
            looking(self.cluster, self._control(stored), self._tools.worlds) as view,
        ):
            seen = await view.see(stored.obj)
            async with self._tools.evaluating(seen.assessment.snapshot.settings.jq_timeout) as evaluator:
                yield DirectSight(seen, evaluator, self._tools.clock)

    async def explain(self, stored: StoredApplication, remarks: Remarks) -> Explanation:
        """Return why an Application is as it is."""
        from syncline.verbs.explain import explain
        from syncline.verbs.look import looking

        async with looking(self.cluster, self._control(stored), self._tools.worlds) as view:
            return await remarks(await explain(view, stored.obj), view)

    @asynccontextmanager
    async def waiting(self, stored: StoredApplication) -> AsyncIterator[Chains | None]:
        """Follow what objects of a sync wait for."""
        from syncline.verbs.blocking import chains

        async with chains(self.cluster, self._control(stored), self._tools.connectors) as found:
            yield found

    @asynccontextmanager
    async def _naming_rules(self) -> AsyncIterator[None]:
        """Let a refusal out with the place of each rule behind it."""
        from syncline.verbs.errors import Denied

        try:
            yield
        except Denied as denied:
            from syncline.verbs.deciding import located

            raise await located(denied, self.cluster, self._tools.worlds) from None

    def _control(self, stored: StoredApplication) -> str:
        return stored.control_namespace(self.namespace)
