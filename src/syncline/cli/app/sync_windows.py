"""The sync windows of an Application, for `app get`: whether a sync may start now, and which windows say so."""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.times import format_time
from syncline.core.policy import windows
from syncline.model import names, project
from syncline.model.application import Destination
from syncline.model.errors import InvalidSpec
from syncline.model.project import SyncWindow
from syncline.ports.kube import ApiError, Cluster

_PROJECT = GroupKind(names.GROUP, "AppProject")


async def lines(cluster: Cluster, obj: Object, control: str) -> list[tuple[str, str]]:
    """Return the lines about windows; none where the project may not be read."""
    from syncline import wiring

    resource = (await cluster.discover()).find(_PROJECT)
    name = str((obj.get("spec") or {}).get("project") or "default")
    try:
        found = await cluster.get(resource, control, name) if resource is not None else None
        rules = project.parse(found).spec.sync_windows if found is not None else None
    except (ApiError, InvalidSpec):
        return []
    return [] if rules is None else words(obj, rules, format_time(wiring.clock().now()))


def words(obj: Object, rules: tuple[SyncWindow, ...], now: str) -> list[tuple[str, str]]:
    """Return `SyncWindow`, in Argo CD's words, and the windows that concern the Application."""
    spec = obj.get("spec") or {}
    destination = msgspec.convert(spec.get("destination") or {}, Destination)
    app = str(obj["metadata"]["name"])
    automatic = windows.standing(app, destination, rules, as_of=now, manual=False)
    manual = windows.standing(app, destination, rules, as_of=now, manual=True)
    verdict = "Sync Allowed" if automatic.allowed else "Manual Allowed" if manual.allowed else "Sync Denied"
    why = f": {'; '.join(automatic.forbidding)}" if automatic.forbidding else ""
    found = [("SyncWindow", verdict + why)]
    assigned = [rule for rule in rules if windows.concerns(rule, app, destination)]
    if assigned:
        listed = ", ".join(f"{rule.kind}:{rule.schedule}:{rule.duration}" for rule in assigned)
        found.append(("Assigned Windows", listed))
    return found
