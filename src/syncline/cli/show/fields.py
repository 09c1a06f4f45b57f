"""Fields of objects by their paths: only some of them, or all in a table, for `app get-resource`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.cli.show.tables import table


def only_fields(obj: Object, paths: Sequence[str]) -> Object:
    """Return the object with these fields alone; a path goes into every entry of a list on its way."""
    found: Object = {}
    for path in paths:
        kept = _kept(obj, path.split("."))
        if kept is not None:
            found = _merged(found, kept)
    return found


def _kept(value: Any, parts: Sequence[str]) -> Any:
    if not parts:
        return value
    if isinstance(value, list):
        entries = [_kept(entry, parts) for entry in value]
        return entries if any(entry is not None for entry in entries) else None
    if not isinstance(value, dict) or parts[0] not in value:
        return None
    below = _kept(value[parts[0]], parts[1:])
    return None if below is None else {parts[0]: below}


def _merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _merged(one.get(name), other.get(name)) for name in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_merged(left, right) for left, right in zip(one, other, strict=True)]
    return one if other is None else other


def fields_table(objects: Sequence[Object], names: Sequence[str]) -> str:
    """Return a row for every field of every object, with the object's name where names are given."""
    if not names:
        return table(("FIELD", "VALUE"), (row for obj in objects for row in _rows(obj, "")))
    return table(
        ("FIELD", "RESOURCE NAME", "VALUE"),
        ([path, name, text] for obj, name in zip(objects, names, strict=True) for path, text in _rows(obj, "")),
    )


def _rows(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from _rows(below, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, below in enumerate(value):
            yield from _rows(below, f"{path}[{index}]")
    else:
        yield path, value if isinstance(value, str) else orjson.dumps(value).decode()
