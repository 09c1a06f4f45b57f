"""Lists that are sets or go by keys: what tells one element from another, and elements that stand twice.

Asked by `syncline.sandbox.served.structural` (which element was which before) and by
`syncline.sandbox.served.custom_rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

Schema = Mapping[str, Any]


def identity(item: Any, keys: Iterable[str]) -> bytes:
    """Return what an element is known by."""
    picked = {key: item[key] for key in keys if key in item} if isinstance(item, dict) else {}
    return orjson.dumps(picked, option=orjson.OPT_SORT_KEYS)


def duplicates(schema: Schema, value: Any, path: str = "") -> Iterator[FieldCause]:
    """Return the elements that stand twice in sets and keyed lists."""
    if isinstance(value, dict):
        extra, properties = schema.get("additionalProperties"), schema.get("properties") or {}
        for key, item in value.items():
            if not isinstance(item, dict | list):
                continue
            if key in properties:
                yield from duplicates(properties[key], item, f"{path}.{key}" if path else key)
            elif isinstance(extra, Mapping):
                yield from duplicates(extra, item, f"{path}[{key}]")
    elif isinstance(value, list):
        yield from _repeated(schema, value, path)
        items = schema.get("items")
        if isinstance(items, Mapping):
            for index, item in enumerate(value):
                if isinstance(item, dict | list):
                    yield from duplicates(items, item, f"{path}[{index}]")


def _repeated(schema: Schema, value: list[Any], path: str) -> Iterator[FieldCause]:
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or ()
    if kind not in ("set", "map"):
        return
    seen: dict[bytes, int] = {}
    for index, item in enumerate(value):
        if kind == "map" and not isinstance(item, dict | None):
            text = "must be an object for an array of list-type map"
            yield errors.invalid_value(f"{path}[{index}]", orjson.dumps(item).decode(), text)
            return
    for index, item in enumerate(value):
        printed = identity(item, keys) if kind == "map" else orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
        seen[printed] = seen.get(printed, 0) + 1
        if seen[printed] == 2:
            yield FieldCause(f"{path}[{index}]", "FieldValueDuplicate", f"Duplicate value: {printed.decode()}")
