"""The sync windows of an Application as lines of `app get`, in Argo CD's words."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.ports.kube import Cluster
from syncline.verbs.sync_windows import SyncWindows, sync_windows


async def lines(cluster: Cluster, obj: Object, control: str) -> list[tuple[str, str]]:
    """Return the lines about windows; none where the project may not be read."""
    from syncline import wiring

    found = await sync_windows(cluster, obj, control, wiring.clock())
    return [] if found is None else words(found)


def words(found: SyncWindows) -> list[tuple[str, str]]:
    """Return `SyncWindow` and the windows that concern the Application."""
    verdict = "Sync Denied"
    if found.automatic.allowed or found.manual.allowed:
        verdict = "Sync Allowed" if found.automatic.allowed else "Manual Allowed"
    why = f": {'; '.join(found.automatic.forbidding)}" if found.automatic.forbidding else ""
    told = [("SyncWindow", verdict + why)]
    if found.assigned:
        listed = ", ".join(f"{rule.kind}:{rule.schedule}:{rule.duration}" for rule in found.assigned)
        told.append(("Assigned Windows", listed))
    return told
