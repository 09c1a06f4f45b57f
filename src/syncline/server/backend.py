"""What routes work with: the ports, the live view of the home cluster, one look at an Application, rights, accounts.

Built by `syncline.server.app` for a server beside a controller (`up`, `demo`) and for one of its own. Nothing here
decides: routes ask `syncline.verbs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.policy import namespaces
from syncline.model import names
from syncline.ports.auth import Passwords, Unguessable
from syncline.ports.kube import Cluster
from syncline.server.metering.meter import Meter
from syncline.server.webhooks.room import BodyRoom
from syncline.verbs.look import ClusterView
from syncline.verbs.sources import Checker

if TYPE_CHECKING:
    from syncline.server.access.accounts import Accounts
    from syncline.server.access.guard import Guard
    from syncline.server.access.links import LoginLinks
    from syncline.server.access.oidc.dex import KeptDex
    from syncline.server.access.oidc.pending import PendingLogins
    from syncline.server.access.oidc.provider import Provider
    from syncline.server.access.sessions import Sessions
    from syncline.server.access.tokens import Tokens
    from syncline.server.insight.blames import Blames
    from syncline.server.insight.branches import Branches
    from syncline.server.insight.diagnoses import Diagnoses
    from syncline.server.insight.looks import Looks
    from syncline.server.lists.feed import Feed
    from syncline.server.lists.shelf import Shelf
    from syncline.server.ui.breaks import Breaks
    from syncline.server.webhooks.refreshing import Refreshing


@dataclass(frozen=True, slots=True)
class Reached:
    """How the server is reached: the names it answers to (none: any), and whether over TLS."""

    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    tls: bool = False


@dataclass(slots=True)
class Backend:
    """All that a route may use."""

    world: World
    live: LiveCluster
    view: ClusterView
    looks: Looks
    shelf: Shelf
    feed: Feed
    accounts: Accounts
    tokens: Tokens
    sessions: Sessions
    guard: Guard
    links: LoginLinks
    passwords: Passwords
    secrets: Unguessable
    provider: Provider
    dex: KeptDex
    pending: PendingLogins
    diagnoses: Diagnoses
    refreshing: Refreshing
    branches: Branches
    blames: Blames
    version: str = ""
    checker: Checker | None = None
    meter: Meter = field(default_factory=Meter)
    webhook_room: BodyRoom = field(default_factory=BodyRoom)
    reached: Reached = field(default_factory=Reached)
    demo: Breaks | None = None

    @property
    def home(self) -> Cluster:
        """The cluster with the Applications."""
        return self.world.home

    @property
    def namespace(self) -> str:
        """The namespace of the installation."""
        return self.world.settings.namespace

    def is_read(self) -> bool:
        """Whether the home cluster was read, so that what is missing is not there."""
        return self.live.is_ready()

    def is_ours(self, namespace: str, project_name: str) -> bool:
        """Whether Applications in a namespace are looked after, and may be of a project from there."""
        if namespace == self.namespace:
            return True
        project = self.guard.project(project_name)
        listed = project is not None and namespaces.listed(namespace, project.spec.source_namespaces)
        return listed and namespaces.permitted(namespace, self.world.settings)

    def application(self, key: AppKey) -> Object | None:
        """Return an Application as the live view has it."""
        return self.live.index.get(application_key(key))

    def project(self, name: str) -> Object | None:
        """Return a project as the live view has it."""
        return self.live.index.get(ObjectKey(names.GROUP, "AppProject", self.namespace, name))

    def config(self, name: str) -> dict[str, str]:
        """Return the entries of a ConfigMap of the installation."""
        found = self.live.index.get(ObjectKey("", "ConfigMap", self.namespace, name)) or {}
        data = found.get("data")
        return {str(key): str(value) for key, value in data.items()} if isinstance(data, dict) else {}
