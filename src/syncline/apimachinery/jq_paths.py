"""Plain jq paths such as `.spec.replicas` or `.webhooks[].clientConfig.caBundle`, deleted without jq.

Used wherever fields are ignored by jq path: `parse` gives None for everything that is more than a plain path, and that
goes to jq itself. What is deleted and what is an error is what `del(PATH)` says, and a missing field is no error.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

_STEP = re.compile(
    r"""
    (?: \. (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | \. "(?P<quoted>[^"\\\x00-\x1f]*)"
      | \.? \[ [ ]* (?: "(?P<key>[^"\\\x00-\x1f]*)" | (?P<index>[0-9]{1,9}) )? [ ]* \]
    )
    (?P<optional>\??)
    """,
    re.VERBOSE | re.ASCII,
)


class PathFailed(Exception):
    """The object has another shape than the path says; the text is jq's."""


class Step(NamedTuple):
    """One step down: into a field, to an index, or (None) to every item; an optional step fails silently."""

    key: str | int | None
    optional: bool


JqPath = tuple[Step, ...]
_MISSING = object()


@functools.lru_cache(maxsize=1024)
def parse(expression: str) -> JqPath | None:
    """Return the steps of a plain path; None where the expression is anything else."""
    text = expression.strip(" ")
    if not text.startswith("."):
        return None
    steps: list[Step] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            return None
        steps.append(Step(_key(found), bool(found["optional"])))
        at = found.end()
    return tuple(steps) or None


def _key(found: re.Match[str]) -> str | int | None:
    for name in ("name", "quoted", "key"):
        if found[name] is not None:
            return found[name]
    return int(found["index"]) if found["index"] is not None else None


def delete(value: Any, path: JqPath) -> Any:
    """Return the value without what the path points at, sharing the parts that stay; raises PathFailed."""
    return _without(value, path, 0)


def _without(value: Any, path: JqPath, at: int) -> Any:
    key, optional = path[at]
    if key is None:
        return _without_items(value, path, at)
    if value is None:
        return _through_null(path, at)
    if not isinstance(value, dict if isinstance(key, str) else list):
        if optional:
            return value
        raise PathFailed(f"Cannot index {_type(value)} with {_quoted(key)}")
    inner = _at(value, key)
    if inner is _MISSING:
        _through_null(path, at)
        return value
    if at == len(path) - 1:
        return _cut(value, key)
    after = _without(inner, path, at + 1)
    return value if after is inner else _put(value, key, after)


def _without_items(value: Any, path: JqPath, at: int) -> Any:
    if not isinstance(value, (dict, list)):
        if path[at].optional:
            return value
        raise PathFailed(f"Cannot iterate over {_type(value)}")
    if at == len(path) - 1:
        return type(value)() if value else value
    if isinstance(value, dict):
        fields = {name: _without(inner, path, at + 1) for name, inner in value.items()}
        return fields if any(fields[name] is not value[name] for name in value) else value
    items = [_without(inner, path, at + 1) for inner in value]
    return items if any(after is not inner for after, inner in zip(items, value, strict=True)) else value


def _through_null(path: JqPath, at: int) -> None:
    """Follow the rest of a path through what is not there: only the items of null are an error."""
    for step in path[at + 1 :]:
        if step.key is None:
            if step.optional:
                return
            raise PathFailed("Cannot iterate over null")


def _at(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key, _MISSING)
    return value[key] if isinstance(key, int) and key < len(value) else _MISSING


def _cut(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if name != key}
    return [inner for index, inner in enumerate(value) if index != key]


def _put(value: Any, key: str | int, inner: Any) -> Any:
    changed = value.copy()
    changed[key] = inner
    return changed


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return names.get(type(value), "null")


def _quoted(key: str | int) -> str:
    return f'"{key}"' if isinstance(key, str) else "number"
