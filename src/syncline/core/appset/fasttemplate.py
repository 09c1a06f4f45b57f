"""Fills `{{ name }}` in a text with the parameter of that name, the way an ApplicationSet without Go templates does.

Called by `syncline.core.appset.template`. Only a parameter that is a text is filled in, and only under its full flat
name (`metadata.labels.env`, `path[0]`); any other placeholder stays as it stands, so that a tool which is given the
result may fill it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from syncline.core.appset.limits import Limits

# Go trims the white space of Unicode, and Python a few control characters more.
_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_ON_ONE_LINE = re.compile(r"\{\{[^\n]*\}\}")
"""A text in which no line has both braces is not looked at, even where a placeholder spans lines."""


class UnclosedPlaceholder(Exception):
    """A text that opens a placeholder and does not close it."""


class TooLong(Exception):
    """A result that grows beyond the limit."""


def fill(text: str, params: Mapping[str, Any], limits: Limits) -> str:
    """Return the text with its placeholders filled."""
    if _ON_ONE_LINE.search(text) is None:
        return text
    parts: list[str] = []
    size = 0
    for literal, name in _placeholders(text):
        parts.append(literal)
        if name is not None:
            value = params.get(name.strip(_SPACE))
            parts.append(value if isinstance(value, str) and name.strip(_SPACE) else "{{" + name + "}}")
            size += len(literal) + len(parts[-1])
            if size > limits.max_output:
                raise TooLong
    return "".join(parts)


def _placeholders(text: str) -> list[tuple[str, str | None]]:
    """Return each literal with the name that follows it; None after the last."""
    found: list[tuple[str, str | None]] = []
    at = 0
    while (opened := text.find("{{", at)) >= 0:
        closed = text.find("}}", opened + 2)
        if closed < 0:
            raise UnclosedPlaceholder(text[opened:])
        found.append((text[at:opened], text[opened + 2 : closed]))
        at = closed + 2
    found.append((text[at:], None))
    return found
