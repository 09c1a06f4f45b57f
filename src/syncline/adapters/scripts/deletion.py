"""Runs jq inside a worker: the object without what a path expression points at.

Called by `syncline.adapters.scripts.worker`. The program is put together as text, `del(EXPRESSION)`, and must give
exactly one result; users rely on both. jq itself knows no limits: the worker is killed when it goes over them.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import jq
import orjson

from syncline.adapters.scripts.lua import ScriptFailed
from syncline.model.script import UNREADABLE


def delete(expression: str, obj: dict[str, Any]) -> Any:
    """Return the object without what the expression points at; raises ScriptFailed."""
    program = _compiled(expression)
    if isinstance(program, str):
        raise ScriptFailed(f"the jq path expression {expression} {UNREADABLE}: {program}")
    try:
        results = iter(program.input_text(orjson.dumps(obj).decode()))
        first = next(results, _NOTHING)
        more = next(results, _NOTHING)
    except ValueError as error:
        raise ScriptFailed(f"the jq path expression {expression} failed: {_without_values(str(error))}") from None
    if first is _NOTHING or more is not _NOTHING:
        count = "no result" if first is _NOTHING else "more than one result"
        raise ScriptFailed(f"the jq path expression {expression} returned {count}, expected exactly one")
    return first


_NOTHING = object()
_KNOWN = re.compile(
    r"(Cannot (?:iterate over|index|delete \w+ at) \w+|Invalid path expression)(?: with (?:number|object|array))?"
)


def _without_values(text: str) -> str:
    """Return what jq complains about without the values it quotes, which may be secret."""
    found = _KNOWN.match(text)
    return found[0] if found else "the object does not fit it"


@functools.lru_cache(maxsize=256)
def _compiled(expression: str) -> Any:
    """Return the program, or the text of why there is none."""
    try:
        return jq.compile(f"del({expression})")
    except ValueError as error:
        return str(error).removeprefix("jq: error: ").partition(" at <top-level>")[0].partition("\n")[0]
