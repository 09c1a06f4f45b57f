"""What the project of an Application lets it do, for commands that store it or render on this machine in its name."""

from __future__ import annotations

import msgspec

from syncline.apimachinery import meta, nearest
from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.settings import read_settings
from syncline.core.policy.permission import Permission, permission, source_permission
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.cluster import KnownCluster, choose
from syncline.model.errors import InvalidSpec
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.clusters import known_clusters
from syncline.verbs.errors import Denied, InvalidRequest

_PROJECT = GroupKind(names.GROUP, "AppProject")


class ProjectRules(msgspec.Struct, frozen=True):
    """The projects of an installation as they are stored, with the clusters and settings that they are judged by.

    `clusters` is None where Secrets may not be read. `unread` is why there are no projects to judge by: whoever asks
    may not read them, and the controller decides alone.
    """

    settings: Settings
    projects: dict[str, Object]
    clusters: tuple[KnownCluster, ...] | None = None
    unread: str = ""

    def require(self, app: Object, *, known_cluster: bool = True) -> None:
        """Raise `Denied` where the project of an Application denies its sources or its destination.

        As with Argo CD, a destination that is not a known cluster is refused too.
        """
        if self.unread:
            return
        typed = application.parse(app)
        granted = permission(typed, self._cluster(typed, required=known_cluster), self.settings, self.projects.get)
        if granted.denials:
            told = ";".join(f"{granted.condition}: {one}" for one in granted.denials)
            raise _denied(granted, f"application spec for {typed.metadata.name} is invalid: {told}", typed, self)

    def require_sources(self, app: Application) -> Permission:
        """Return what the project says of the sources of an Application; raises `Denied` where it denies one."""
        granted = source_permission(app, self.settings, self.projects.get)
        if granted.denials:
            raise _denied(granted, "; ".join(map(str, granted.denials)), app, self)
        return granted

    def _cluster(self, app: Application, *, required: bool) -> KnownCluster | None:
        if self.clusters is None:
            return None
        try:
            return choose(app.spec.destination, self.clusters)
        except InvalidSpec as error:
            if not required:
                return None
            name = app.metadata.name
            raise InvalidRequest(f"application destination spec for {name} is invalid: {error}") from None


def _denied(granted: Permission, sentence: str, app: Application, rules: ProjectRules) -> Denied:
    # The server asks for people who need not see all projects, so only one that was misspelt is named.
    near = nearest.misspelt(app.spec.project or "default", rules.projects) if granted.project is None else ""
    hint = f"did you mean {near}?" if near else ""
    return Denied(sentence, granted.denials, control=rules.settings.namespace, hint=hint)


async def read_rules(cluster: Cluster, namespace: str) -> ProjectRules:
    """Return the projects of the installation in a namespace, as far as whoever asks may read them.

    Applications may live in other namespaces than their installation: where one has no project, the one that has is it.
    """
    projects: dict[str, Object] = {}
    unread = f"not checked against its project: there are no AppProjects in namespace {namespace}"
    try:
        namespace, projects = await _installation(cluster, namespace)
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        unread = f"not checked against its project: {error.message}"
    settings = (await read_settings(cluster, namespace)).settings
    if not projects:
        return ProjectRules(settings, {}, unread=unread)
    try:
        known, _ = await known_clusters(cluster, namespace)
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return ProjectRules(settings, projects)
    return ProjectRules(settings, projects, tuple(known))


async def _installation(cluster: Cluster, namespace: str) -> tuple[str, dict[str, Object]]:
    """Return the namespace of an installation and its projects; no projects where it cannot be told."""
    if found := await _projects(cluster, namespace):
        return namespace, found
    everywhere = await _projects(cluster, "")
    homes = {meta.namespace(obj) for obj in everywhere.values()}
    return (homes.pop(), everywhere) if len(homes) == 1 else (namespace, {})


async def _projects(cluster: Cluster, namespace: str) -> dict[str, Object]:
    resource = (await cluster.discover()).find(_PROJECT)
    if resource is None:
        return {}
    return {meta.name(obj): obj for obj in (await cluster.list(resource, namespace=namespace)).items}


async def permitted_repos(cluster: Cluster, namespace: str, app: Application) -> tuple[str, ...]:
    """Return the sourceRepos of an Application's project; raises `Denied` where its own sources are not permitted.

    The namespace is that of the installation. Only the cluster is asked, no repository.
    """
    settings = (await read_settings(cluster, namespace)).settings
    granted = ProjectRules(settings, await _projects(cluster, namespace)).require_sources(app)
    return granted.spec.source_repos if granted.spec is not None else ()
