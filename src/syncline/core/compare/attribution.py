"""Who wrote a field, and when, read from managedFields.

Called by `syncline.core.compare.differences` for every difference. Owning a part of a map does not make a manager the
writer of its other members; owning a field as a whole (an atomic list or map) does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import KeyMatch, Step


class FieldWriter(msgspec.Struct, frozen=True):
    """A field manager and the time of its last change."""

    manager: str = ""
    time: str = ""
    operation: str = ""


NOBODY = FieldWriter()


def writer_of(live: Object, path: tuple[Step, ...]) -> FieldWriter:
    """Return the manager that owns a field most closely; of several, the one that wrote last."""
    found, depth = NOBODY, 0
    for entry in meta.managed_fields(live):
        reach = _reach(entry.get("fieldsV1") or {}, path)
        writer = FieldWriter(
            str(entry.get("manager") or ""), str(entry.get("time") or ""), str(entry.get("operation") or "")
        )
        if reach and (reach > depth or (reach == depth and writer.time >= found.time)):
            found, depth = writer, reach
    return found


def owns(live: Object, manager: str, path: tuple[Step, ...]) -> bool:
    """Whether a manager's fields include the path itself, something below it, or a whole that it is part of."""
    for entry in meta.managed_fields(live):
        if entry.get("manager") == manager and _reach(entry.get("fieldsV1") or {}, path):
            return True
    return False


def names(live: Object, manager: str, path: tuple[Step, ...]) -> bool:
    """Whether a manager's fields include the path itself or something below it; a whole around it does not do."""
    entries = meta.managed_fields(live)
    return any(
        entry.get("manager") == manager and _reach(entry.get("fieldsV1") or {}, path) == len(path) for entry in entries
    )


def _reach(fields: Mapping[str, Any], path: tuple[Step, ...]) -> int:
    """Return how deep a FieldsV1 tree holds a path: all of it, up to a whole that is owned as one, or (0) not."""
    node = fields
    for depth, step in enumerate(path):
        child = _child(node, step)
        if child is None:
            return depth if not node else 0
        node = child
    return len(path)


def _child(node: Mapping[str, Any], step: Step) -> Mapping[str, Any] | None:
    if isinstance(step, str):
        return node.get(f"f:{step}")
    if isinstance(step, int):
        return node.get(f"i:{step}")
    prefix, wanted = ("k:", dict(step.keys)) if isinstance(step, KeyMatch) else ("v:", step.value)
    return next(
        (child for name, child in node.items() if name.startswith(prefix) and orjson.loads(name[2:]) == wanted), None
    )
