"""Holds two answers against each other, field by field.

JSON texts inside of JSON are opened, lists whose order says nothing are ordered by what names their members.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.argocd.answers.servers import Answer

MISSING = "(not there)"
_NAMES = ("path", "group", "kind", "namespace", "name", "uid", "repo", "url", "server", "keyID")


def differences(theirs: Answer, ours: Answer) -> Iterator[tuple[str, Any, Any]]:
    """Yield each field that is not the same: its path, what Argo CD has and what we have."""
    if theirs.status != ours.status:
        yield "status", theirs.status, ours.status
    yield from _of(_opened(theirs.value), _opened(ours.value), "")


def _of(theirs: Any, ours: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in sorted({*theirs, *ours}):
            yield from _of(theirs.get(name, MISSING), ours.get(name, MISSING), f"{path}.{name}")
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield from _of_lists(theirs, ours, path)
    elif theirs != ours or type(theirs) is not type(ours):
        yield path, theirs, ours


def _of_lists(theirs: list[Any], ours: list[Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    both = [*theirs, *ours]
    if both and all(isinstance(one, dict) and _name(one) for one in both):
        by_name = [{_name(one): one for one in side} for side in (theirs, ours)]
        if all(len(named) == len(side) for named, side in zip(by_name, (theirs, ours), strict=True)):
            for name in sorted({*by_name[0], *by_name[1]}):
                yield from _of(by_name[0].get(name, MISSING), by_name[1].get(name, MISSING), f"{path}[{name}]")
            return
    for place in range(max(len(theirs), len(ours))):
        one, other = (side[place] if place < len(side) else MISSING for side in (theirs, ours))
        yield from _of(one, other, f"{path}[{place}]")


def _name(one: dict[str, Any]) -> str:
    named = one.get("metadata") if isinstance(one.get("metadata"), dict) else one
    return "/".join(str((named or {}).get(name)) for name in _NAMES if (named or {}).get(name))


def _opened(value: Any) -> Any:
    """Return a value in which texts that are JSON objects were read."""
    if isinstance(value, dict):
        return {name: _opened(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_opened(one) for one in value]
    if isinstance(value, str) and value.startswith("{"):
        try:
            return _opened(json.loads(value))
        except ValueError:
            return value
    return value
