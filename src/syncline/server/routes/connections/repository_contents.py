"""What a repository has: its branches and tags, folders for Applications, and what one of them is.

Only repositories are asked that the installation knows, or that the project of the Application permits: nobody has this
server call on others.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.controller.clusters.access import read_access
from syncline.model import application as model
from syncline.model.logins import without_logins
from syncline.model.sources import repository_urls
from syncline.model.sources.source import ApplicationSource
from syncline.ports.source import RevisionRequest, Tree
from syncline.server.access import claimed_projects as claimed
from syncline.server.answers import connections
from syncline.server.lists import selection
from syncline.server.lists.shelf import project_of, rbac_name
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure, PermissionDenied
from syncline.server.requests.permissions import Also, Chosen, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.verbs.errors import NotFound

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_CHART = "Chart.yaml"
_MOST = 1_000
_LONGEST = 1024 * 1024


async def refs(call: Call) -> dict[str, Any]:
    """Return the branches and tags of a repository."""
    url, project = call.path("repo"), call.text("appProject")
    await _require_listed(call, url, project)
    found = await call.backend.world.source.references(url, project)
    return {
        "branches": sorted(name.removeprefix("refs/heads/") for name in found if name.startswith("refs/heads/")),
        "tags": sorted(name.removeprefix("refs/tags/") for name in found if name.startswith("refs/tags/")),
    }


async def helm_charts(call: Call) -> dict[str, Any]:
    """Return the charts of a Helm repository with their versions."""
    url, project = call.path("repo"), call.text("appProject")
    await _require_listed(call, url, project)
    reader = call.backend.world.charts
    if reader is None:
        raise Failure(INVALID, "charts are not listed here")
    found = await reader.charts(url, project)
    return {"items": [{"name": name, "versions": list(versions)} for name, versions in found.items()]}


async def _require_listed(call: Call, url: str, project: str) -> None:
    """Require of a repository that it is known, and of a claimed project that it permits the repository.

    Known is what a repository of the installation names, or an Application that whoever asks may see and whose own
    project permits it: else anybody could name an address in an Application and have it called on.
    """
    backend = call.backend
    access = await read_access(backend.home, backend.namespace)
    if project:
        claimed.require_permitted(backend, project, url)
    if access.known(url, project) is None:
        rows = [row for row in backend.shelf.rows() if url in row.repos and project in ("", row.project)]
        permitting = (row for row in rows if claimed.permits_repository(backend, row.project, url))
        if not selection.visible(call, permitting):
            raise NotFound(f"repository '{without_logins(url)}' not found")


async def _find_stored(call: Call, project: str) -> Target[None]:
    access = await read_access(call.backend.home, call.backend.namespace)
    return Target(claimed.stored_name(access, call.path("repo"), project))


async def _find_listed(call: Call) -> Target[None]:
    return await _find_stored(call, call.text("appProject"))


_STORED = Subject("the repository in the path as it is stored, `URL` or `PROJECT/URL`", _find_listed)


async def apps(call: Call) -> dict[str, Any]:
    """Return the folders of a revision with a chart or a kustomization."""
    url = call.path("repo")
    project = _require_source(call, ApplicationSource(repo_url=url), *_named_in_query(call), whole=True)
    tree = await _tree(call, url, call.text("revision"), "", project)
    kinds: dict[str, str] = {}
    for file in tree.files():
        folder, name = posixpath.split(file.path)
        if name in (*_KUSTOMIZATIONS, _CHART) and kinds.get(folder or ".") != "Helm":
            kinds[folder or "."] = "Helm" if name == _CHART else "Kustomize"
    return {"items": [{"type": kind, "path": folder} for folder, kind in sorted(kinds.items())][:_MOST]}


def _require_source(call: Call, source: ApplicationSource, project: str, name: str, *, whole: bool = False) -> str:
    """Require that the Application which comes, or is to come, from a source may have it.

    Returns the project that it is read for. Of an Application that exists, its own project counts and a claim of
    another one is refused; who may only see it may look at the sources that it has or had, as with Argo CD, and with
    `whole` at all of their repositories.
    """
    own, present = _project_for(call, project, name)
    if present is not None and project not in ("", own):
        raise PermissionDenied
    if present is not None and not _comes_from(present, source, whole=whole):
        call.require("applications", "update", _rbac_of(call, own, name))
    claimed.require_permitted(call.backend, own, source.repo_url)
    return own


def _comes_from(app: Object, source: ApplicationSource, *, whole: bool) -> bool:
    """Whether an Application has, or was synced from, a source; with `whole` any part of its repository will do."""
    typed = model.parse(app)
    past = [one for entry in typed.status.history for one in (entry.source, *entry.sources) if one is not None]
    for one in (*typed.spec.all_sources, *past):
        same = repository_urls.same(one.repo_url, source.repo_url)
        if same and (whole or (one.path, one.chart) == (source.path, source.chart)):
            return True
    return False


def _project_for(call: Call, project: str, name: str) -> tuple[str, Object | None]:
    """Return the project that a source is read for, and the Application that is named where it exists."""
    present = call.backend.application(AppKey(call.backend.namespace, name)) if name else None
    return (project_of(present) if present is not None else project or "default"), present


def _rbac_of(call: Call, project: str, name: str) -> str:
    return rbac_name(project, call.backend.namespace, name or "*", call.backend.namespace)


def _reads_for(named: Callable[[Call], tuple[str, str]]) -> tuple[Needs, Needs]:
    """Return what reading a folder needs: the repository, and the Application that comes, or is to come, from it."""

    async def find_repository(call: Call) -> Target[None]:
        own, _present = _project_for(call, *named(call))
        return await _find_stored(call, own)

    async def find_application(call: Call) -> Target[None]:
        project, name = named(call)
        return Target(_rbac_of(call, _project_for(call, project, name)[0], name))

    def verb(call: Call) -> tuple[str, ...]:
        return ("create" if _project_for(call, *named(call))[1] is None else "get",)

    return (
        Needs("repositories", "get", Subject(_STORED.shown, find_repository)),
        Needs(
            "applications",
            Chosen(("get", "create"), verb),
            Subject("the Application that is named, `PROJECT/NAME`", find_application),
            "`get` where it exists, else `create`",
        ),
    )


def _named_in_query(call: Call) -> tuple[str, str]:
    return call.text("appProject"), call.text("appName")


def _named_in_body(call: Call) -> tuple[str, str]:
    wanted = call.body(AppDetails)
    return wanted.app_project, wanted.app_name


async def _tree(call: Call, url: str, revision: str, path: str, project: str) -> Tree:
    source = call.backend.world.source
    sha = await source.resolve(RevisionRequest(repo_url=url, revision=revision, project=project))
    return await source.tree(url, sha, path, project=project)


class AppDetails(msgspec.Struct, frozen=True, rename="camel"):
    """A source to look at, and the Application that it is for."""

    source: dict[str, Any] = {}
    app_name: str = ""
    app_project: str = ""


async def app_details(call: Call) -> dict[str, Any]:
    """Return what the folder of a source is: a chart with its values, a kustomization, or plain files."""
    wanted = call.body(AppDetails)
    source = msgspec.convert({**wanted.source, "repoURL": call.path("repo")}, ApplicationSource)
    project = _require_source(call, source, *_named_in_body(call))
    if source.chart:
        raise Failure(INVALID, "only folders of Git repositories are looked at, not charts of a chart repository")
    tree = await _tree(call, source.repo_url, source.target_revision, source.path, project)
    files = {posixpath.relpath(file.path, source.path or "."): file for file in tree.files()}
    if _CHART in files:
        return {"type": "Helm", "helm": _chart(tree, files)}
    if any(name in files for name in _KUSTOMIZATIONS):
        return {"type": "Kustomize", "kustomize": {"images": []}}
    return {"type": "Directory", "directory": {}}


def _chart(tree: Tree, files: dict[str, Any]) -> dict[str, Any]:
    values = files.get("values.yaml")
    text = tree.read(values.path).decode("utf-8", "replace") if values and values.size <= _LONGEST else ""
    named = sorted(name for name in files if "/" not in name and "values" in name and name.endswith((".yaml", ".yml")))
    return {"valueFiles": named, "values": text, "parameters": []}


_ONE = "/api/v1/repositories/{repo:path}"
_PROJECT = Query("appProject", "The project that it is read for.")
_OTHER_SOURCE = Also("applications", "update", "a source that the Application neither has nor had")
_NAMED_BY_APPS = Also("applications", "get", "a repository that is not stored has to be that of an Application")
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_ONE}/refs",
        handler=refs,
        about="List branches and tags.",
        answer=connections.Refs,
        permission=Needs("repositories", "get", _STORED),
        also=(_NAMED_BY_APPS,),
        query=(_PROJECT,),
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/helmcharts",
        handler=helm_charts,
        about="List charts and their versions.",
        answer=connections.ChartList,
        permission=Needs("repositories", "get", _STORED),
        also=(_NAMED_BY_APPS,),
        query=(_PROJECT,),
    ),
    Endpoint(
        method="GET",
        path=f"{_ONE}/apps",
        handler=apps,
        about="List folders with a chart or a kustomization.",
        answer=connections.AppFolders,
        permission=_reads_for(_named_in_query),
        also=(_OTHER_SOURCE,),
        query=(Query("revision"), Query("appName", "The Application that it is for."), _PROJECT),
    ),
    Endpoint(
        method="POST",
        path=f"{_ONE}/appdetails",
        handler=app_details,
        about="Say what the folder of a source is.",
        answer=connections.FolderDetails,
        permission=_reads_for(_named_in_body),
        also=(_OTHER_SOURCE,),
        body=AppDetails,
    ),
)
