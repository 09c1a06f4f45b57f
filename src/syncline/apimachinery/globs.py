"""Globs as Argo CD's rules use them: `*`, `**`, `?`, `[a-z]`, `[!a-z]` and `{a,b}`.

Used by rules of projects, settings and comparison. With a separator `*` and `?` stop at it, and only `**` crosses it.
"""

from __future__ import annotations

import functools
import re


def matches(value: str, pattern: str, *, separator: str = "") -> bool:
    """Whether a value is covered by a pattern; a pattern that is not a glob is compared as it is."""
    compiled = _compiled(pattern, separator)
    return value == pattern if compiled is None else compiled.fullmatch(value) is not None


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, separator: str) -> re.Pattern[str] | None:
    one = f"[^{re.escape(separator)}]" if separator else "."
    out: list[str] = []
    at = depth = 0
    while at < len(pattern):
        text, at, depth = _part(pattern, at, depth, one)
        out.append(text)
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        return None


def _part(pattern: str, at: int, depth: int, one: str) -> tuple[str, int, int]:
    """Return the regular expression of the next part, where to go on, and how many braces are open."""
    letter = pattern[at]
    if pattern.startswith("**", at):
        return ".*", at + 2, depth
    if letter == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2, depth
    if letter == "[" and (end := pattern.find("]", at + 2)) > 0:
        inside = pattern[at + 1 : end].replace("\\", "\\\\")
        return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]", end + 1, depth
    if letter == "{":
        return "(?:", at + 1, depth + 1
    if letter == "}" and depth:
        return ")", at + 1, depth - 1
    if letter == "," and depth:
        return "|", at + 1, depth
    return {"*": f"{one}*", "?": one}.get(letter, re.escape(letter)), at + 1, depth
