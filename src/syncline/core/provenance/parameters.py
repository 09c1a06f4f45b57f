"""Reads Helm parameters (`--set a.b[0]=1`): which value they set, and to what.

Called by `syncline.core.provenance.values`. Dots part names unless written `\\.`; a value that looks like a whole
number, true, false or null is one, unless it has to stay a text; `{a,b}` is a list, and `{}` one of an empty text. A
name with an equals sign ends there.
"""

from __future__ import annotations

import re
from typing import Any

_STEP = re.compile(r"(?P<name>(?:\\.|[^.\[\\])+)|\[(?P<index>\d+)\]")
_NUMBER = re.compile(r"0|[1-9]\d*|[+-]\d+")
_LARGEST = 2**63
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMMA = re.compile(r"(?<!\\),")
_MAX_INDEX = 65536


def parse(name: str, text: str, *, is_text: bool = False) -> tuple[tuple[str | int, ...], Any]:
    """Return the path that a parameter names and the value it gives."""
    name, equals, rest = name.partition("=")
    text = f"{rest}={text}" if equals else text
    steps = _STEP.finditer(name)
    path = [int(step["index"]) if step["index"] else _ESCAPED.sub(r"\1", step["name"]) for step in steps]
    if text.startswith("{") and text.endswith("}"):
        return tuple(path), [_scalar(item, is_text=is_text) for item in _COMMA.split(text[1:-1])]
    return tuple(path), _scalar(text, is_text=is_text)


def with_item(before: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a list (or what is in it) with the value at a path; positions that are not there yet are null."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        whole: list[Any] = list(before) if isinstance(before, list) else []
        if step > _MAX_INDEX:
            return whole
        whole += [None] * (step + 1 - len(whole))
        whole[step] = with_item(whole[step], rest, value)
        return whole
    known: dict[str, Any] = dict(before) if isinstance(before, dict) else {}
    return {**known, step: with_item(known.get(step, []), rest, value)}


def _scalar(text: str, *, is_text: bool) -> Any:
    text = _ESCAPED.sub(r"\1", text)
    if is_text:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return int(text) if _NUMBER.fullmatch(text) and -_LARGEST <= int(text) < _LARGEST else text
