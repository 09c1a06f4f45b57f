"""What an Application that cannot even be read gets: one condition that says which field, and Unknown.

Called by `syncline.controller.reconcile`.
"""

from __future__ import annotations

from syncline.apimachinery.patch import json_merge
from syncline.controller.live import LiveCluster
from syncline.controller.observe import application_key
from syncline.controller.queue import AppKey
from syncline.controller.world import World
from syncline.model import names
from syncline.ports.kube import ApiResource


async def record_invalid(world: World, live: LiveCluster, resource: ApiResource, key: AppKey, message: str) -> None:
    """Write an InvalidSpecError to an Application, once."""
    obj = live.index.get(application_key(key))
    if obj is None:
        return
    status = obj.get("status") or {}
    before = {"sync": status.get("sync"), "health": status.get("health"), "conditions": status.get("conditions")}
    known = next((item for item in status.get("conditions") or () if item.get("message") == message), None)
    condition = known or {"type": "InvalidSpecError", "message": message, "lastTransitionTime": world.now()}
    after = {
        "sync": {**(before["sync"] or {}), "status": "Unknown"},
        "health": {**(before["health"] or {}), "status": "Unknown"},
        "conditions": [condition],
    }
    patch = json_merge.make({name: value for name, value in before.items() if value is not None}, after)
    if patch:
        stored = await world.home.patch(
            resource, key.namespace, key.name, {"status": patch}, manager=names.STATUS_MANAGER
        )
        live.note_write(stored)
