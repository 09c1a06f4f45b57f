"""Differences for people and for programs: by field path, both values, what made them, who and when, the place in Git.

Printed by `app diff` and `admin diff`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal
from syncline.model.comparison import ComparedObject, Difference


def lines_of(row: ComparedObject, missing: Object | None = None) -> Iterator[str]:
    """Yield the lines of one object; one that is missing live is shown whole, where it is given, as additions."""
    if not row.is_permitted:
        yield f"not permitted{f' ({row.place})' if row.place else ''}"
    elif not row.live:
        yield f"missing live, Git has it{f' ({row.place})' if row.place else ''}"
        if missing is not None:
            yield from (terminal.style(f"+ {line}", "green") for line in yaml.dump(missing).splitlines())
    elif not row.desired:
        yield "extra live, Git does not have it"
    else:
        for one in row.differences:
            yield from lines(one)
    if row.message:
        yield row.message


def lines(one: Difference) -> Iterator[str]:
    """Yield the lines of one field, or one line where the whole object is meant."""
    if not one.path:
        yield one.cause.value
        return
    by = f" by {one.manager}" if one.manager else ""
    at = f" at {one.time}" if one.time else ""
    where = f"  ({one.place})" if one.place is not None and one.place.line else ""
    yield f"{one.path}  ({one.cause.value}{by}{at})"
    yield f"  Git:  {value(one.desired)}{where}"
    yield f"  live: {value(one.live)}"


def value(found: Any) -> str:
    """Return one side of a difference as JSON."""
    return "absent" if found is msgspec.UNSET else orjson.dumps(found).decode()


def as_value(one: Difference) -> dict[str, Any]:
    """Return a difference for JSON output; an absent side is null."""
    return {
        "path": one.path,
        "desired": None if one.desired is msgspec.UNSET else one.desired,
        "live": None if one.live is msgspec.UNSET else one.live,
        "cause": one.cause.value,
        "manager": one.manager,
        "time": one.time,
    }


def as_values(row: ComparedObject) -> dict[str, Any]:
    """Return one object of a cluster for JSON output."""
    return {
        "group": row.key.group,
        "kind": row.key.kind,
        "namespace": row.key.namespace,
        "name": row.key.name,
        "missing": row.is_missing,
        "extra": not row.desired,
        "reasons": [reason.value for reason in row.reasons],
        "differences": [{**as_value(one), "place": str(one.place) if one.place else ""} for one in row.differences],
    }
