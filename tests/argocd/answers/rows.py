"""What both servers are asked: a path, by whom, and what is known not to be comparable about the answer."""

import dataclasses
import urllib.parse
from collections.abc import Iterator

from tests.argocd.answers import installation
from tests.argocd.answers.servers import Both

_APPS = "/api/v1/applications"
_EVERYBODY = ("admin", "ben", "ann", "eve", "", "with a bad token")


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One question: its path, and who asks."""

    path: str
    who: str = "admin"

    @property
    def name(self) -> str:
        """Under which differences are known: the path, and who asks where that is not admin."""
        return self.path if self.who == "admin" else f"{self.path} as {self.who or 'nobody'}"


def rows(both: Both) -> Iterator[Row]:
    """Yield all questions."""
    for path in (*_streams(), *_lists(both), *_applications(both), *_objects(), *_others(both), *_missing(both)):
        yield Row(path)
    for who in _EVERYBODY[1:]:
        for path in _rights(both):
            yield Row(path, who)


def _streams() -> Iterator[str]:
    """Yield streams, of which the first line is compared; Argo CD's of a tree has none until the tree changes."""
    yield "/api/v1/stream/applications?name=web"
    yield "/api/v1/stream/applications?name=web&fields=result.type,result.application.metadata.name"


def _lists(both: Both) -> Iterator[str]:
    yield _APPS
    for query in (
        "name=web",
        "projects=team",
        "projects=team&projects=default",
        "project=team",
        "selector=tier%3Dlow",
        "selector=from%3Dset,tier!%3Dhigh",
        f"repo={quoted(both.url)}",
        "appNamespace=argocd",
        "fields=items.metadata.name,items.status.sync.status",
        "fields=-items.status,items.metadata.managedFields",
        "fields=metadata.resourceVersion",
        "name=nothing",
    ):
        yield f"{_APPS}?{query}"


def _applications(both: Both) -> Iterator[str]:
    for name in ("web", "drift", "green", "kust", "broken"):
        yield f"{_APPS}/{name}"
        yield f"{_APPS}/{name}/resource-tree"
        yield f"{_APPS}/{name}/managed-resources"
        yield f"{_APPS}/{name}/manifests"
        yield f"{_APPS}/{name}/syncwindows"
        yield f"{_APPS}/{name}/events"
        yield f"{_APPS}/{name}/links"
    yield f"{_APPS}/idle"
    yield f"{_APPS}/web?fields=metadata.name"
    yield f"{_APPS}/web?project=team&appNamespace=argocd"
    yield f"{_APPS}/web?refresh=normal"
    yield f"{_APPS}/web/managed-resources?kind=Deployment&group=apps"
    yield f"{_APPS}/web/manifests?revision=v1.0.0"
    yield f"{_APPS}/web/revisions/{both.revision}/metadata"
    yield f"{_APPS}/web/revisions/v1.0.0/metadata"


def _objects() -> Iterator[str]:
    objects = (
        ("", "ConfigMap", "v1", "settings"),
        ("", "Secret", "v1", "login"),
        ("", "Service", "v1", "web"),
        ("apps", "Deployment", "v1", "web"),
        ("batch", "Job", "v1", "before"),
    )
    for group, kind, version, name in objects:
        query = f"namespace=web&resourceName={name}&group={group}&kind={kind}&version={version}"
        yield f"{_APPS}/web/resource?{query}"
        yield f"{_APPS}/web/resource/actions?{query}"
        yield f"{_APPS}/web/resource/links?{query}"
    yield f"{_APPS}/web/logs?namespace=web&group=apps&kind=Deployment&resourceName=web&container=main&tailLines=3"
    yield f"{_APPS}/web/logs?namespace=web&container=main&tailLines=1&filter=no-line-has-this"


def _others(both: Both) -> Iterator[str]:
    yield "/api/v1/applicationsets"
    yield "/api/v1/applicationsets?projects=team"
    yield "/api/v1/applicationsets?selector=tier%3Dhigh"
    yield from (f"/api/v1/applicationsets/charts{rest}" for rest in ("", "/resource-tree"))
    yield "/api/v1/projects"
    yield "/api/v1/projects?fields=items.metadata.name"
    for name in ("team", "default"):
        for rest in ("", "/detailed", "/events", "/globalprojects", "/syncwindows", "/links"):
            yield f"/api/v1/projects/{name}{rest}"
    yield "/api/v1/repositories"
    yield "/api/v1/repositories?repo=https%3A%2F%2Fcharts.example"
    yield f"/api/v1/repositories/{quoted(both.url)}"
    yield "/api/v1/repositories/https%3A%2F%2Fgit.example%2Fprivate.git?appProject=team"
    yield f"/api/v1/repositories/{quoted(both.url)}/refs"
    yield f"/api/v1/repositories/{quoted(both.url)}/apps?revision=main&appName=web&appProject=team"
    yield "/api/v1/repocreds"
    yield "/api/v1/clusters"
    yield "/api/v1/clusters?name=far"
    yield f"/api/v1/clusters/{quoted(installation.HOME)}"
    yield f"/api/v1/clusters/{quoted(installation.FAR)}"
    yield "/api/v1/clusters/far?id.type=name"
    yield "/api/v1/account"
    yield from (f"/api/v1/account/{name}" for name in ("admin", "ann", "eve"))
    yield "/api/v1/account/can-i/applications/sync/team%2Fweb"
    yield "/api/v1/certificates"
    yield "/api/v1/gpgkeys"
    yield "/api/v1/session/userinfo"
    yield "/api/v1/settings"
    yield "/api/v1/settings/plugins"
    yield "/api/version"


def _missing(both: Both) -> Iterator[str]:
    """Yield what is not there, or makes no sense."""
    yield f"{_APPS}/nothing"
    yield f"{_APPS}/web?project=default"
    yield f"{_APPS}/web?appNamespace=elsewhere"
    for rest in ("resource-tree", "managed-resources", "manifests", "syncwindows", "events", "links"):
        yield f"{_APPS}/nothing/{rest}"
    yield f"{_APPS}/web/revisions/nothing/metadata"
    yield f"{_APPS}/web/resource?namespace=web&resourceName=nothing&kind=ConfigMap&version=v1"
    yield f"{_APPS}/web/resource?namespace=drift&resourceName=settings&kind=ConfigMap&version=v1"
    yield f"{_APPS}/web/manifests?revision=nothing"
    yield f"{_APPS}?selector=%3D%3D"
    yield "/api/v1/applicationsets/nothing"
    yield from (f"/api/v1/projects/nothing{rest}" for rest in ("", "/detailed", "/globalprojects", "/syncwindows"))
    yield "/api/v1/repositories/https%3A%2F%2Fgit.example%2Fnothing.git"
    yield "/api/v1/clusters/https%3A%2F%2Fnothing.example"
    yield "/api/v1/clusters/nothing?id.type=name"
    yield "/api/v1/account/nothing"
    yield "/api/v1/account/can-i/nothing/get/team%2Fweb"
    yield "/api/v1/nothing"


def _rights(both: Both) -> Iterator[str]:
    """Yield what people with fewer rights ask for."""
    yield from (_APPS, f"{_APPS}?fields=items.metadata.name", f"{_APPS}/web", f"{_APPS}/kust", f"{_APPS}/nothing")
    yield from (f"{_APPS}/nothing?project=team", f"{_APPS}/web/resource-tree", f"{_APPS}/kust/resource-tree")
    yield f"{_APPS}/web/logs?namespace=web&container=main&tailLines=1"
    yield "/api/v1/applicationsets"
    yield "/api/v1/applicationsets/charts"
    yield "/api/v1/projects?fields=items.metadata.name"
    yield from (f"/api/v1/projects/{name}" for name in ("team", "default", "nothing"))
    yield "/api/v1/repositories"
    yield f"/api/v1/repositories/{quoted(both.url)}"
    yield "/api/v1/repocreds"
    yield "/api/v1/clusters"
    yield f"/api/v1/clusters/{quoted(installation.HOME)}"
    yield "/api/v1/account"
    yield from (f"/api/v1/account/{name}" for name in ("admin", "ann", "nothing"))
    yield "/api/v1/account/can-i/applications/sync/team%2Fweb"
    yield "/api/v1/account/can-i/applications/delete/team%2Fweb"
    yield "/api/v1/session/userinfo"
    yield "/api/v1/settings"
    yield "/api/version"


def quoted(text: str) -> str:
    """Return a text as a part of a path."""
    return urllib.parse.quote(text, safe="")
