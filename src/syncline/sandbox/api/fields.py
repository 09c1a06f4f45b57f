"""Keeps metadata.managedFields: who set which field, and who may.

Called by `syncline.sandbox.api.writes` on every write; the arithmetic is `syncline.apimachinery.merge`.
"""

from __future__ import annotations

from syncline.apimachinery import merge
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.served.resources import Resource


def track_update(
    resource: Resource, live: Object | None, obj: Object, *, manager: str, now: str, subresource: str = ""
) -> Object:
    """Return the written object with the manager's ownership of what it changed; without `now`, at no time."""
    family = resource.family
    updated = merge.update(
        live,
        obj,
        manager=manager,
        node=resource.node(),
        now=now,
        subresource=subresource,
        node_for=family.node if family is not None else None,
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
            node_for=family.node if family is not None else None,
            to_version=family.convert if family is not None else None,
        )
    except merge.SchemaError as error:
        raise errors.StatusError(500, "", str(error)) from None
    if merged.conflicts:
        causes = merge.conflict_causes(merged.conflicts)
        raise errors.apply_conflict(merge.conflict_message(merged.conflicts), causes)
    return merged.obj
