"""Turns ownership won by client-side apply into ownership by server-side apply.

Used before the first server-side sync of an object kubectl (or an older controller) wrote with updates: without it
a field removed from the source later stays, since its update owner still holds it. The result replaces
`metadata.managedFields`, in a patch that also names the resource version it was computed from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import lastapplied, paths, updating
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.managers import APPLY, UPDATE
from syncline.apimachinery.merge.ownership import NEVER_OWNED
from syncline.apimachinery.schema.node import Node

_ANNOTATION = paths.path("metadata", "annotations", lastapplied.ANNOTATION)

_Entry = Mapping[str, Any]


def migrate_client_side(
    obj: Object, *, from_managers: Sequence[str], to_manager: str, node: Node, subresource: str = ""
) -> list[Object] | None:
    """Return managedFields in which `to_manager` applied what the others wrote; None when nothing changes.

    Whoever wrote the last-applied annotation is a client-side applier too, whatever its name.
    """
    entries: list[Object] = list(updating.managed_fields(obj) or ())
    before = list(entries)
    for name in dict.fromkeys((*from_managers, *_annotation_writers(entries, to_manager))):
        entries = _moved(entries, name, to_manager, subresource)
    if entries == before:
        return None
    return _with_last_applied(entries, obj, to_manager, node)


def _annotation_writers(entries: Sequence[_Entry], to_manager: str) -> list[str]:
    return [
        entry.get("manager") or ""
        for entry in entries
        if entry.get("operation") == UPDATE and entry.get("manager") != to_manager and _fields(entry).has(_ANNOTATION)
    ]


def _fields(entry: _Entry) -> FieldSet:
    return FieldSet.from_fields_v1(entry.get("fieldsV1"))


def _is(entry: _Entry, manager: str, operation: str, subresource: str) -> bool:
    return (
        entry.get("manager") == manager
        and entry.get("operation") == operation
        and (entry.get("subresource") or "") == subresource
    )


def _moved(entries: list[Object], name: str, to_manager: str, subresource: str) -> list[Object]:
    """Join one updater's fields with the applier's; of several versions the applier's own counts."""
    place = _find(entries, to_manager, APPLY, subresource)
    if place is None:
        place = _find(entries, name, UPDATE, subresource)
        if place is None:
            return entries
    applier = {**entries[place], "manager": to_manager, "operation": APPLY}
    fields = _fields(applier)
    # Paths of another version may mean other fields, so only the entry of the applier's version is joined; the others
    # are dropped with the manager that is migrated, as client-go does it.
    for entry in entries:
        if _is(entry, name, UPDATE, subresource) and entry.get("apiVersion") == applier.get("apiVersion"):
            fields = fields.union(_fields(entry))
            break
    applier["fieldsV1"] = fields.to_fields_v1()
    return [
        applier if number == place else entry
        for number, entry in enumerate(entries)
        if number == place or not _is(entry, name, UPDATE, subresource)
    ]


def _find(entries: Sequence[_Entry], manager: str, operation: str, subresource: str) -> int | None:
    places = (number for number, entry in enumerate(entries) if _is(entry, manager, operation, subresource))
    return next(places, None)


def _with_last_applied(entries: list[Object], obj: Object, to_manager: str, node: Node) -> list[Object]:
    """Add what the annotation says was applied and is still so, even where its writer was never tracked."""
    out = []
    for entry in entries:
        if entry.get("manager") == to_manager and entry.get("operation") == APPLY:
            known = lastapplied.still_as_applied(
                updating.without_managed_fields(obj), entry.get("apiVersion") or "", node
            )
            fields = _fields(entry)
            joined = fields.union(known.difference(NEVER_OWNED))
            if joined != fields:
                entry = {**entry, "fieldsV1": joined.to_fields_v1()}
        out.append(entry)
    return out
