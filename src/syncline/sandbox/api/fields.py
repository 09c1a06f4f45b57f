"""Keeps metadata.managedFields: who set which field, and who may.

Called by `syncline.sandbox.api.writes` on every write; the arithmetic is `syncline.apimachinery.merge`.
"""

from __future__ import annotations

from collections.abc import Callable

from syncline.apimachinery import merge
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import described
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.served.resources import Resource


def track_update(
    resource: Resource, live: Object | None, obj: Object, *, manager: str, now: str, subresource: str = ""
) -> Object:
    """Return the written object with the manager's ownership of what it changed; without `now`, at no time."""
    family = resource.family
    if live is not None and _misfit(resource, live, live, obj):
        kept = {**obj["metadata"], "managedFields": live["metadata"].get("managedFields") or []}
        return {**obj, "metadata": kept}
    updated = merge.update(
        live,
        obj,
        manager=manager,
        node=resource.node(),
        now=now,
        subresource=subresource,
        node_for=_node_for(resource),
        to_version=family.convert if family is not None else None,
    )
    if not now:
        for entry in updated["metadata"].get("managedFields") or ():
            if not entry.get("time"):
                entry.pop("time", None)
    return updated


def apply(
    resource: Resource,
    live: Object | None,
    config: Object,
    *,
    manager: str,
    force: bool,
    now: str,
    subresource: str = "",
) -> Object:
    """Merge an applied configuration into the live object; raises Conflict where others own what it sets."""
    family = resource.family
    try:
        merged = merge.apply(
            live,
            config,
            manager=manager,
            node=resource.node(),
            force=force,
            now=now,
            subresource=subresource,
            node_for=_node_for(resource),
            to_version=family.convert if family is not None else None,
        )
    except merge.SchemaError as error:
        raise errors.StatusError(500, "", str(error)) from None
    misfit = "" if live is None else _misfit(resource, live, live, merged.obj)
    if misfit:
        raise errors.StatusError(500, "", misfit)
    if merged.conflicts:
        causes = merge.conflict_causes(merged.conflicts)
        raise errors.apply_conflict(merge.conflict_message(merged.conflicts), causes)
    return merged.obj


def _node_for(resource: Resource) -> Callable[[str], Node | None] | None:
    if resource.family is not None:
        return resource.family.node
    return None if resource.custom is None else resource.custom.others.get


def _misfit(resource: Resource, live: Object, *objects: Object) -> str:
    """Return why the owners of other versions of a custom kind cannot be followed, empty where they can.

    Without a conversion their versions must know every field of the object; an update then leaves the owners alone, and
    server-side apply fails.
    """
    others = resource.custom.others if resource.custom is not None else {}
    if not others:
        return ""
    owners = live["metadata"].get("managedFields") or ()
    for version in {str(entry.get("apiVersion")) for entry in owners} & others.keys():
        for obj in objects:
            try:
                described.checked_set_of(obj, others[version])
            except merge.SchemaError as error:
                return str(error)
    return ""
