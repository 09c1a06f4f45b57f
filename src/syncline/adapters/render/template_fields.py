"""Reads from the text of a template on which lines the fields of an object stand, without running it.

Used by `syncline.adapters.render.object_lines`, beside `syncline.adapters.render.template_objects`, which finds the
object. Only what is certain is told: a field that stands on one line of its document, that the object has, in lists of
as many entries as were rendered, and whose value is the one that was rendered unless an action makes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, FieldPath, Step
from syncline.model.desired import Positions

_KEY = re.compile(r"(?P<quote>[\"']?)(?P<name>[\w./-]+)(?P=quote):(?:\s+(?P<value>.*))?$")
_ACTION = "{{"
_SCALAR = re.compile(r"^[|>][+-]?\d*$")
Steps = tuple[Step, ...]


class _Field(NamedTuple):
    """A field: where it is in the object, its line, and what stands behind it."""

    steps: Steps
    line: int
    value: str


def fields(text: str, line: int, obj: Object) -> Positions:
    """Return the lines of the fields of the object that begins near a line of a template."""
    found = list(_fields(_document(text, line)))
    counts = Counter(one.steps for one in found)
    entries = Counter(one.steps[:-1] for one in found if isinstance(one.steps[-1], int))
    known = [one for one in found if counts[one.steps] == 1 and _is_certain(one, entries, obj)]
    return Positions(tuple(str(FieldPath(one.steps)) for one in known), tuple(one.line for one in known))


def _document(text: str, line: int) -> list[tuple[int, str]]:
    """Return the numbered lines of the document around a line; nothing where it may make several objects."""
    lines: list[tuple[int, str]] = []
    for number, row in enumerate(text.splitlines(), start=1):
        if row.startswith("---"):
            if number > line:
                break
            lines = []
        else:
            lines.append((number, row))
    kinds = [row for _, row in lines if row.startswith("kind:")]
    return lines if len(kinds) == 1 else []


def _fields(lines: list[tuple[int, str]]) -> Iterator[_Field]:
    above: list[tuple[int, Steps, bool]] = [(-1, (), False)]
    entries: Counter[Steps] = Counter()
    inside = -1
    for number, row in lines:
        column = len(row) - len(row.lstrip(" "))
        rest = row.strip()
        if not rest or rest.startswith(("#", _ACTION)) or (inside >= 0 and column > inside):
            continue
        inside = -1
        while rest.startswith("- "):
            while above[-1][0] > column or (above[-1][0] == column and above[-1][2]):
                above.pop()
            steps = above[-1][1]
            above.append((column, (*steps, entries[steps]), True))
            entries[steps] += 1
            yield _Field(above[-1][1], number, _ACTION)
            rest, column = rest[2:].lstrip(), column + 2
        key = _KEY.match(rest)
        if key is None:
            continue
        while above[-1][0] >= column:
            above.pop()
        steps = (*above[-1][1], key["name"])
        value = (key["value"] or "").partition(" #")[0].strip()
        above.append((column, steps, False))
        if _SCALAR.match(value):
            inside, value = column, _ACTION
        yield _Field(steps, number, value)


def _is_certain(one: _Field, written: Counter[Steps], obj: Object) -> bool:
    for at, step in enumerate(one.steps):
        if isinstance(step, int):
            entries = FieldPath(one.steps[:at]).resolve(obj)
            if not isinstance(entries, list) or len(entries) != written[one.steps[:at]]:
                return False
    value = FieldPath(one.steps).resolve(obj)
    if value is MISSING:
        return False
    plain = bool(one.value) and _ACTION not in one.value and one.value[0] not in "[{&*!"
    return not plain or isinstance(value, (dict, list)) or _shown(value) == one.value.strip("\"'")


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
