"""What an Application that cannot even be read gets: one condition that says which field, and Unknown.

Called by `syncline.controller.deliver.reconcile`. Conditions of other kinds stay as they are, since nothing was found
out about them. A refresh that was asked for is answered all the same, or whoever asked would wait forever.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge
from syncline.controller.app_key import AppKey, application_key
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.model import names
from syncline.model.condition import ConditionType
from syncline.ports.kube import ApiResource

_TYPE = ConditionType.INVALID_SPEC_ERROR


async def record_invalid(world: World, live: LiveCluster, resource: ApiResource, key: AppKey, message: str) -> None:
    """Write an InvalidSpecError to an Application, once."""
    obj = live.index.get(application_key(key))
    if obj is None:
        return
    metadata = obj["metadata"]
    patch: dict[str, Any] = {}
    if status := _status_patch(obj, message, world.now()):
        patch["status"] = status
    asked = [name for name in (names.REFRESH, names.REFRESH_TIMESTAMP) if name in (metadata.get("annotations") or {})]
    if not patch and not asked:
        return
    patch["metadata"] = {"resourceVersion": metadata["resourceVersion"]}
    if asked:
        patch["metadata"]["annotations"] = dict.fromkeys(asked)
    stored = await world.home.patch(resource, key.namespace, key.name, patch, manager=names.STATUS_MANAGER)
    live.note_write(stored)


def _status_patch(obj: Object, message: str, now: str) -> dict[str, Any] | None:
    """Return the merge patch of the status; None where it says so already."""
    status = obj.get("status") or {}
    before = {name: status[name] for name in ("sync", "health", "conditions") if status.get(name) is not None}
    conditions: list[Object] = before.get("conditions") or []
    mine = [item for item in conditions if item.get("type") == _TYPE]
    known = next((item for item in mine if item.get("message") == message), None)
    condition = known or {"type": _TYPE, "message": message, "lastTransitionTime": now}
    others = [item for item in conditions if item.get("type") != _TYPE]
    health = before.get("health") or {}
    if health.get("status") != "Unknown":
        health = {"status": "Unknown", "lastTransitionTime": now}
    after = {
        "sync": {**(before.get("sync") or {}), "status": "Unknown"},
        "health": health,
        "conditions": sorted([*others, condition], key=lambda item: (item.get("type"), item.get("message"))),
    }
    return json_merge.make(before, after)
