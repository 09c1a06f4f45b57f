"""Renders the sources of Applications that are not in order, so that causes can be told with file and line.

Called by the command line after a fleet was read. Only repositories that are on this machine are read unless somebody
asks for all: a diagnosis should not wait for a Git server that may be part of the incident. What is rendered is the
commit that the Application was last compared with. One source that fails, or is slow, concerns its own app alone.
Besides, ApplicationSets are asked what they generate: only so can an app be told that nobody generates any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Iterable, Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, key_of
from syncline.controller.app_key import AppKey
from syncline.controller.settings import settings_of
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.sources.layers import layers_of
from syncline.controller.world import World
from syncline.core.diagnose.graph.diagnose import not_serving
from syncline.core.diagnose.graph.view.fleet import title
from syncline.core.settings.keys import Home
from syncline.core.sources import is_chart
from syncline.model import application, names, project
from syncline.model.application import Application
from syncline.model.errors import SynclineError
from syncline.model.fleet import FleetSnapshot, Rendered
from syncline.model.project import ProjectSpec
from syncline.model.settings.settings import Settings
from syncline.model.sources import repository_urls
from syncline.verbs.fleet import generating
from syncline.verbs.fleet.generating import Here

APPS_AT_MOST = 300
_JUDGED_AT_MOST = 2000
"""Of so many apps also the green ones are judged before anything is rendered."""
_AT_ONCE = 4
WITHIN = 20.0
LATE = "not rendered in time"
_NOT_HERE = "its repository is not on this machine"


def settings(snapshot: FleetSnapshot, namespace: str) -> Settings:
    """Return the settings of the installation, from the ConfigMaps that were read."""
    homes = {str(home) for home in Home}
    found = [
        obj
        for cluster in snapshot.clusters[:1]
        for obj in cluster.objects
        if obj.get("kind") == "ConfigMap" and meta.namespace(obj) == namespace and meta.name(obj) in homes
    ]
    return settings_of(found, namespace).settings


def here(copies: Mapping[str, str], *, by_path: bool) -> Here:
    """Return what tells whether a repository is on this machine: as a copy, or also by a path as its address.

    A path that stands in a file of somebody else is not followed.
    """
    known = repository_urls.mirrors(copies)
    return lambda url: bool(repository_urls.mirror(known, url)) or (by_path and url.startswith(("file://", "/")))


async def with_rendered(
    snapshot: FleetSnapshot, world: World, is_here: Here, *, within: float = WITHIN, fetching: bool = False
) -> FleetSnapshot:
    """Return the snapshot with what is rendered of apps that are not in order, and of those that deliver them.

    With `fetching` what sources lead to is fetched too, as far as the project of the app permits: the render is the
    one that the controller made, and is found where that is kept.
    """
    every = list(objects_of(snapshot, "Application"))
    green = not_serving(snapshot) if 0 < len(every) <= _JUDGED_AT_MOST else frozenset()
    apps = _looked_at(every, green)[:APPS_AT_MOST]
    sources = DesiredSources(world, lambda _app: None)
    projects = _projects(snapshot) if fetching else {}
    turn = asyncio.Semaphore(_AT_ONCE)
    deadline = asyncio.get_running_loop().time() + within
    try:
        # First, because it takes little and names causes; renders only add files and lines to them.
        sets = objects_of(snapshot, "ApplicationSet") if apps else ()
        generated = await generating.generated(sets, world.source, is_here, deadline)
        found = await asyncio.gather(*(_rendered(app, sources, projects, is_here, turn, deadline) for app in apps))
    finally:
        await sources.stop()
        await world.evaluator.close()
    return msgspec.structs.replace(snapshot, rendered=tuple(found), generated=generated)


def objects_of(snapshot: FleetSnapshot, kind: str) -> Iterable[Object]:
    """Yield the Applications, ApplicationSets or AppProjects of the home cluster."""
    for cluster in snapshot.clusters[:1]:
        for obj in cluster.objects:
            if obj.get("kind") == kind and obj.get("apiVersion") == names.API_VERSION:
                yield obj


def _looked_at(apps: list[Object], green: Collection[str]) -> list[Object]:
    """Return the apps that are not in order, then those of which such an app is an object: their files name it.

    `green` are those that are Synced and Healthy, and do not serve all the same.
    """
    bad = [app for app in apps if not _is_good(app) or title(app) in green]
    known = {(meta.namespace(app), meta.name(app)) for app in bad}
    rest = (app for app in apps if (meta.namespace(app), meta.name(app)) not in known)
    parents = [app for app in rest if not known.isdisjoint(_children(app))]
    return [*bad, *parents]


def _children(app: Object) -> Iterable[tuple[str, str]]:
    for row in (app.get("status") or {}).get("resources") or ():
        if row.get("kind") == "Application" and row.get("group") == names.API_VERSION.partition("/")[0]:
            yield str(row.get("namespace") or ""), str(row.get("name") or "")


def _is_good(app: Object) -> bool:
    status = app.get("status") or {}
    words = [(status.get(part) or {}).get("status") for part in ("sync", "health")]
    return words == ["Synced", "Healthy"] and not status.get("conditions")


def _projects(snapshot: FleetSnapshot) -> dict[str, ProjectSpec]:
    """Return from where apps of each project may fetch; one that cannot be read permits nothing."""
    found: dict[str, ProjectSpec] = {}
    for obj in objects_of(snapshot, "AppProject"):
        with contextlib.suppress(SynclineError):
            found[meta.name(obj)] = ProjectSpec(source_repos=project.parse(obj).spec.source_repos)
    return found


async def _rendered(
    obj: Object,
    sources: DesiredSources,
    projects: Mapping[str, ProjectSpec],
    is_here: Here,
    turn: asyncio.Semaphore,
    deadline: float,
) -> Rendered:
    key = key_of(obj)
    try:
        app = application.parse(obj)
        if not all(is_here(one.repo_url) and not is_chart(one) for one in app.spec.all_sources):
            return Rendered(app=key, problem=_NOT_HERE)
        async with turn, asyncio.timeout_at(deadline):
            revisions = await _revisions(app, sources)
            rules = projects.get(app.spec.project)
            desired = await sources.render(app, app.spec.all_sources, revisions, project=rules)
            layers = await layers_of(sources, app, app.spec.all_sources, revisions, desired)
            return Rendered(app=key, desired=desired, layers=layers)
    except SynclineError as error:
        return Rendered(app=key, problem=str(error))
    except TimeoutError:
        return Rendered(app=key, problem=LATE)


async def _revisions(app: Application, sources: DesiredSources) -> tuple[str, ...]:
    """Return the commits that the app was last compared with; the newest where it never was."""
    sync = app.status.sync
    compared = (sync.revisions or (sync.revision,)) if sync is not None else ()
    if len(compared) == len(app.spec.all_sources) and all(compared):
        return tuple(compared)
    key = AppKey(app.metadata.namespace, app.metadata.name)
    return await sources.newest(key, app.spec.all_sources, project=app.spec.project, permitted=("*",))
