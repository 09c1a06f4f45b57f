"""Which fields of an object the API server names when it refuses it, and what it would take instead.

Used by what rules say about failed syncs: the words are those of `kubectl apply`, and each names a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import item, line, place, rewrite, value
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, Fix

_PATH = r"(?P<path>[a-zA-Z]\w*(?:\.[\w-]+|\[[^\]]*\])+)"
_INVALID = re.compile(
    rf"{_PATH}: (?P<sort>Required value|Invalid value|Unsupported value|Forbidden|Too long|Duplicate value)"
    r"(?P<said>.*?)(?=, [a-z]\w*(?:\.[\w-]+|\[[^\]]*\])+: [A-Z]|\]?$)",
    re.DOTALL,
)
_TYPED = re.compile(rf"\.{_PATH}: expected (?P<wanted>[^,]+), got (?P<got>.+?)(?=$|[;)])")
_QUOTED = re.compile(r'value: "([^"]*)"')
_SUPPORTED = re.compile(r'supported values: (?P<values>"[^"]*"(?:, "[^"]*")*)')


class RefusedField(msgspec.Struct, frozen=True):
    """A field that the server does not take as it is: why, and which values it would take, where it says so."""

    path: str
    said: str
    supported: tuple[str, ...] = ()
    missing: bool = False


def refused_fields(message: str) -> list[RefusedField]:
    """Return the fields that a refusal names."""
    found = [RefusedField(one["path"], f"it must be {one['wanted']}") for one in _TYPED.finditer(message)]
    for one in _INVALID.finditer(message):
        values = _SUPPORTED.search(one["said"])
        supported = tuple(re.findall(r'"([^"]*)"', values["values"])) if values else ()
        found.append(
            RefusedField(one["path"], one["sort"] + one["said"], supported, missing=one["sort"] == "Required value")
        )
    return found


def exact_path(one: RefusedField, has: Any) -> str:
    """Return the path of what was refused: of a list, the entry that the server quotes."""
    quoted = _QUOTED.search(one.said)
    if isinstance(has, list) and quoted is not None and quoted[1] in has:
        return f"{one.path}[{has.index(quoted[1])}]"
    return one.path


def lines(app: App, key: ObjectKey, fields: list[RefusedField]) -> Iterator[Evidence]:
    """Yield the lines of fields; of one that is missing, the line of what it belongs to."""
    for one in fields:
        text = f"{one.path} is missing" if one.missing else ""
        yield from line(app, key, exact_path(one, value(app, key, one.path)), text)


def fix(app: App, key: ObjectKey, fields: list[RefusedField]) -> Fix | None:
    """Return the edit that follows from what the server said; else the decision, with its place."""
    if not fields or item(app, key) is None:
        return None
    one = fields[0]
    path = exact_path(one, value(app, key, one.path))
    near = nearest(str(value(app, key, path)), one.supported)
    if near and len(fields) == 1:
        return rewrite(app, key, path, near[0])
    live = FieldPath.parse(one.path).resolve(around.get(app, key) or {})
    if "can not be less than" in one.said and live is not MISSING:
        return rewrite(app, key, one.path, live, remark="as it is live; a volume cannot shrink")
    if "port is already allocated" in one.said:
        port = _named(app, key, one.path)
        return Fix(text=f"decide: another {port}, or none, so that the cluster chooses one{_taken(app, key, one)}")
    where = [_named(app, key, one.path) for one in fields]
    verb = "write" if all(one.missing for one in fields) else "correct"
    return Fix(text=f"decide: {verb} {', '.join(where)}")


def _named(app: App, key: ObjectKey, path: str) -> str:
    where = place(app, key, path)
    return f"{path} at {where}" if where else path


def _taken(app: App, key: ObjectKey, one: RefusedField) -> str:
    """Return which Service that was read has the node port that is wanted."""
    port = value(app, key, one.path)
    for other, obj in around.of_kind(app, GroupKind("", "Service")):
        if other != key and any(entry.get("nodePort") == port for entry in (obj.get("spec") or {}).get("ports") or ()):
            return f"; {other.short} in {other.namespace} has {port}"
    return ""
