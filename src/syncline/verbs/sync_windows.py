"""The sync windows of an Application: whether a sync may start now, which windows say so, and when that changes."""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.times import format_time
from syncline.controller.settings import read_settings
from syncline.core.policy import global_projects, windows
from syncline.core.policy.windows import Standing, WindowState
from syncline.model import names, project
from syncline.model.application import Destination
from syncline.model.errors import InvalidSpec
from syncline.model.project import SyncWindow
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.clusters import known_clusters
from syncline.verbs.errors import Refused

_PROJECT = GroupKind(names.GROUP, "AppProject")


class SyncWindows(msgspec.Struct, frozen=True, kw_only=True):
    """Whether automatic syncs and syncs by hand may start, when they may again, and the windows of the Application."""

    project: str
    automatic: Standing
    manual: Standing
    opens: str = ""
    opens_by_hand: str = ""
    assigned: tuple[SyncWindow, ...] = ()
    states: tuple[WindowState, ...] = ()
    """How each of them stands, as far as it can be used."""

    @property
    def held(self) -> str:
        """What holds automatic syncs, in words; empty where nothing does."""
        return windows.held(self.automatic, self.project, self.opens)

    @property
    def held_by_hand(self) -> str:
        """What holds syncs by hand, in words; empty where nothing does."""
        return windows.held(self.manual, self.project, self.opens_by_hand)


async def sync_windows(cluster: Cluster, app: Object, namespace: str, clock: Clock) -> SyncWindows | None:
    """Return how the windows stand, by the project in the installation's namespace; None where it may not be read."""
    name = str((app.get("spec") or {}).get("project") or "default")
    try:
        rules = await _rules(cluster, namespace, name)
        if rules is None:
            return None
        destination = await _destination(cluster, namespace, app) if rules else Destination()
    except (ApiError, InvalidSpec):
        return None
    return standing(app, rules, format_time(clock.now()), project_name=name, destination=destination)


async def refuse_held(cluster: Cluster, app: Object, namespace: str, clock: Clock) -> None:
    """Raise `Refused` where windows let nobody sync by hand now, as a server of Argo CD refuses such a request."""
    found = await sync_windows(cluster, app, namespace, clock)
    if found is not None and found.held_by_hand:
        hint = f"sync then, or let people sync: syncline proj windows enable-manual-sync {found.project} ID"
        raise Refused(f"{app['metadata']['name']} is {found.held_by_hand}", hint=hint)


async def _rules(cluster: Cluster, namespace: str, name: str) -> tuple[SyncWindow, ...] | None:
    """Return the windows of a project and of the global ones it inherits from; None where it does not exist."""
    resource = (await cluster.discover()).find(_PROJECT)
    found = await cluster.get(resource, namespace, name) if resource is not None else None
    if resource is None or found is None:
        return None
    inherited = (await read_settings(cluster, namespace)).settings.global_projects
    others = {one.project: await cluster.get(resource, namespace, one.project) for one in inherited}
    return project.parse(global_projects.merged(found, inherited, others.get)).spec.sync_windows


async def _destination(cluster: Cluster, namespace: str, app: Object) -> Destination:
    """Return the destination with both its names where its cluster is known, since a window may name either."""
    wanted = msgspec.convert((app.get("spec") or {}).get("destination") or {}, Destination)
    try:
        known, _ = await known_clusters(cluster, namespace)
    except ApiError:
        return wanted
    for one in known:
        if one.server == wanted.server or (wanted.name and one.name == wanted.name):
            return Destination(server=one.server, name=one.name, namespace=wanted.namespace)
    return wanted


def standing(
    app: Object,
    rules: tuple[SyncWindow, ...],
    now: str,
    *,
    project_name: str = "default",
    destination: Destination | None = None,
) -> SyncWindows:
    """Return how windows stand for an Application at a time."""
    there = destination or msgspec.convert((app.get("spec") or {}).get("destination") or {}, Destination)
    name = str(app["metadata"]["name"])
    automatic, manual = (windows.standing(name, there, rules, as_of=now, manual=by_hand) for by_hand in (False, True))
    assigned = tuple(rule for rule in rules if windows.concerns(rule, name, there))
    return SyncWindows(
        project=project_name,
        automatic=automatic,
        manual=manual,
        opens="" if automatic.allowed else windows.opens(name, there, rules, as_of=now, manual=False),
        opens_by_hand="" if manual.allowed else windows.opens(name, there, rules, as_of=now, manual=True),
        assigned=assigned,
        states=tuple(state for state in windows.states(assigned, now) if state is not None),
    )
