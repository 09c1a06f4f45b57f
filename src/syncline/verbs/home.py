"""An installation, whichever way it is reached: what the command line asks of it.

`syncline.verbs.direct.DirectHome` asks the Kubernetes API and renders here;
`syncline.verbs.served.home.ServedHome` asks an API server. Both give the same values, so that commands print the same.
Made by `syncline.cli.options.Chosen.opened`. `Sight` is one Application as it is now, with what can be done to its
objects.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import AppKey
from syncline.ports.kube import Cluster
from syncline.verbs.applications import StoredApplication

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.core.diagnose.explain import Explanation
    from syncline.model.cluster import KnownCluster
    from syncline.model.sources.repository import Repository
    from syncline.verbs.accounts import Account, AccountToken
    from syncline.verbs.actions import ActionRequest, Offered
    from syncline.verbs.blocking import Chains
    from syncline.verbs.delete import DeleteRequest
    from syncline.verbs.explain import Explained
    from syncline.verbs.logs import LogLine, LogRequest, Printing
    from syncline.verbs.look import ClusterView, Overrides
    from syncline.verbs.refresh import RefreshRequest
    from syncline.verbs.resources import DeleteResourceRequest, PatchResourceRequest
    from syncline.verbs.sync import RollbackRequest, SyncRequest
    from syncline.verbs.sync_windows import SyncWindows

Remarks = Callable[["Explained", "ClusterView"], Awaitable["Explanation"]]
"""Adds to an explanation what only this machine can find out, such as whether an image can be pulled from here."""


class Sight(Protocol):
    """One Application as it is now."""

    @property
    def assessment(self) -> Assessment:
        """What was seen."""
        ...

    async def orphans(self) -> list[ObjectKey]:
        """Return what belongs to nobody in its namespace."""
        ...

    def lines(self, found: list[Printing], request: LogRequest) -> AsyncIterator[LogLine]:
        """Yield what containers print."""
        ...

    async def offered(self, objects: Sequence[Object]) -> list[Offered]:
        """Return the actions that objects offer now."""
        ...

    def run_action(self, request: ActionRequest) -> AsyncIterator[tuple[str, ObjectKey]]:
        """Run an action; yields what was done to which object."""
        ...

    async def patch(self, request: PatchResourceRequest) -> None:
        """Patch a live object."""
        ...

    async def delete(self, request: DeleteResourceRequest) -> None:
        """Delete a live object."""
        ...


class Home(Protocol):
    """One installation, as one user."""

    @property
    def cluster(self) -> Cluster:
        """Its Applications, ApplicationSets and projects, for verbs that read and edit those."""
        ...

    @property
    def words(self) -> str:
        """What it is called: `context minikube`, `server cd.example.com`."""
        ...

    @property
    def namespace(self) -> str:
        """The namespace of the installation."""
        ...

    @property
    def judges(self) -> bool:
        """Whether a server judges what is asked by the projects, so that nobody has to here."""
        ...

    async def repositories(self) -> list[Repository]:
        """Return the repositories that are described and may be seen."""
        ...

    async def clusters(self) -> list[KnownCluster]:
        """Return the clusters that may be seen."""
        ...

    async def accounts(self) -> list[Account]:
        """Return the local accounts that may be seen, `admin` first."""
        ...

    async def can_i(self, resource: str, action: str, name: str) -> str:
        """Return yes or no: whether whoever asks may do something."""
        ...

    async def account_tokens(self, name: str) -> list[AccountToken] | None:
        """Return the tokens of an account; None where they may not be seen."""
        ...

    async def refresh(self, request: RefreshRequest) -> StoredApplication:
        """Have an Application looked at again, and wait for that."""
        ...

    async def sync(self, stored: StoredApplication, request: SyncRequest) -> StoredApplication:
        """Start a sync; raises `Refused` where a window holds it or another one runs."""
        ...

    async def rollback(self, request: RollbackRequest) -> StoredApplication:
        """Go back to an earlier sync."""
        ...

    async def terminate(self, key: AppKey) -> None:
        """End the operation that runs."""
        ...

    async def delete(self, request: DeleteRequest) -> None:
        """Delete an Application."""
        ...

    async def windows(self, stored: StoredApplication) -> SyncWindows | None:
        """Return how its sync windows stand; None where that may not be seen."""
        ...

    async def look(self, stored: StoredApplication, overrides: Overrides | None = None) -> Assessment:
        """Return an Application as it is now, or as it would be."""
        ...

    def seeing(self, stored: StoredApplication) -> AbstractAsyncContextManager[Sight]:
        """Look at an Application, to do something with its objects."""
        ...

    async def explain(self, stored: StoredApplication, remarks: Remarks) -> Explanation:
        """Return why an Application is as it is."""
        ...

    def waiting(self, stored: StoredApplication) -> AbstractAsyncContextManager[Chains | None]:
        """Follow what objects of a sync wait for; None where that cannot be seen from here."""
        ...
