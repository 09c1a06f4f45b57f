"""Differences for people: by field path, both values, what made them, who and when, and the place in Git."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from syncline.model.comparison import ComparedObject, Difference

_LONG = 160


def lines_of(row: ComparedObject) -> Iterator[str]:
    """Yield the lines of one object; an object that is missing or extra as a whole is one line."""
    if not row.live:
        yield f"  missing live, Git has it{_at(row)}"
    elif not row.desired:
        yield "  extra live, Git does not have it"
    else:
        for one in row.differences:
            yield from _difference(one)
    if row.message:
        yield f"  {row.message}"


def _at(row: ComparedObject) -> str:
    return f" ({row.place})" if row.place else ""


def _difference(one: Difference) -> Iterator[str]:
    by = f" by {one.manager}" if one.manager else ""
    at = f" at {one.time}" if one.time else ""
    yield f"  {one.path}  ({one.cause.value}{by}{at})"
    yield f"    Git:  {value(one.desired)}" + (f"   {one.place}" if one.place else "")
    yield f"    live: {value(one.live)}"


def value(found: Any) -> str:
    """Return one side of a difference as JSON, cut where it is long, with the length said."""
    if found is msgspec.UNSET:
        return "absent"
    text = orjson.dumps(found).decode()
    return text if len(text) <= _LONG else f"{text[:_LONG]}… ({len(text)} characters)"


def as_values(row: ComparedObject) -> dict[str, Any]:
    """Return one object for JSON output."""
    return {
        "group": row.key.group,
        "kind": row.key.kind,
        "namespace": row.key.namespace,
        "name": row.key.name,
        "missing": not row.live,
        "extra": not row.desired,
        "reasons": [reason.value for reason in row.reasons],
        "differences": [
            {
                "path": one.path,
                "desired": None if one.desired is msgspec.UNSET else one.desired,
                "live": None if one.live is msgspec.UNSET else one.live,
                "cause": one.cause.value,
                "manager": one.manager,
                "time": one.time,
                "place": str(one.place) if one.place else "",
            }
            for one in row.differences
        ],
    }
