"""The sync windows of an Application: whether a sync may start now, and which windows say so."""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.times import format_time
from syncline.core.policy import windows
from syncline.core.policy.windows import Standing
from syncline.model import names, project
from syncline.model.application import Destination
from syncline.model.errors import InvalidSpec
from syncline.model.project import SyncWindow
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, Cluster

_PROJECT = GroupKind(names.GROUP, "AppProject")


class SyncWindows(msgspec.Struct, frozen=True):
    """Whether automatic syncs and syncs by hand may start, and the windows that concern the Application."""

    automatic: Standing
    manual: Standing
    assigned: tuple[SyncWindow, ...] = ()


async def sync_windows(cluster: Cluster, app: Object, namespace: str, clock: Clock) -> SyncWindows | None:
    """Return how the windows stand, by the project in the installation's namespace; None where it may not be read."""
    resource = (await cluster.discover()).find(_PROJECT)
    name = str((app.get("spec") or {}).get("project") or "default")
    try:
        found = await cluster.get(resource, namespace, name) if resource is not None else None
        rules = project.parse(found).spec.sync_windows if found is not None else None
    except (ApiError, InvalidSpec):
        return None
    return None if rules is None else standing(app, rules, format_time(clock.now()))


def standing(app: Object, rules: tuple[SyncWindow, ...], now: str) -> SyncWindows:
    """Return how windows stand for an Application at a time."""
    destination = msgspec.convert((app.get("spec") or {}).get("destination") or {}, Destination)
    name = str(app["metadata"]["name"])
    return SyncWindows(
        windows.standing(name, destination, rules, as_of=now, manual=False),
        windows.standing(name, destination, rules, as_of=now, manual=True),
        tuple(rule for rule in rules if windows.concerns(rule, name, destination)),
    )
