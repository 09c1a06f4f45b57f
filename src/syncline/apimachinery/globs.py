"""Globs as Argo CD's rules use them: `*`, `**`, `?`, `[abc]`, `[!a-z]`, `{a,b}` and a backslash before any of these.

Used by rules of projects, settings, permissions and comparison. With a separator `*` and `?` stop at it, and only `**`
crosses it. The odd facts: brackets hold either one range or a list of letters, in which `-` and `^` are letters too,
and `[a-z0-9]` is not a glob at all.
"""

from __future__ import annotations

import functools
import re


def matches(value: str, pattern: str, *, separator: str = "") -> bool:
    """Whether a value is covered by a pattern; a pattern that is not a glob is compared as it is."""
    compiled = _compiled(pattern, separator)
    return value == pattern if compiled is None else compiled.fullmatch(value) is not None


def expression(pattern: str, separator: str = "") -> str | None:
    """Return a glob as a regular expression, in which `.` has to be any letter; None for what cannot be read as one."""
    one = f"[^{re.escape(separator)}]" if separator else "."
    out: list[str] = []
    at = depth = 0
    try:
        while at < len(pattern):
            text, at, depth = _part(pattern, at, depth, one)
            out.append(text)
    except _NotAGlob:
        return None
    return None if depth else "".join(out)


class _NotAGlob(ValueError):
    """A bracket, brace or backslash that is not finished."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, separator: str) -> re.Pattern[str] | None:
    text = expression(pattern, separator)
    return None if text is None else re.compile(text, re.DOTALL)


def _part(pattern: str, at: int, depth: int, one: str) -> tuple[str, int, int]:
    """Return the regular expression of the next part, where to go on, and how many braces are open."""
    letter = pattern[at]
    if pattern.startswith("**", at):
        return ".*", at + 2, depth
    if letter == "\\":
        text, at = _letter(pattern, at)
        return re.escape(text), at, depth
    if letter == "[":
        text, at = _brackets(pattern, at + 1)
        return text, at, depth
    if letter == "{":
        return "(?:", at + 1, depth + 1
    if letter == "}" and depth:
        return ")", at + 1, depth - 1
    if letter == "," and depth:
        return "|", at + 1, depth
    return {"*": f"{one}*", "?": one}.get(letter, re.escape(letter)), at + 1, depth


def _brackets(pattern: str, at: int) -> tuple[str, int]:
    """Return the class of letters in brackets, and where to go on behind them."""
    negated = pattern.startswith("!", at)
    at += negated
    low, following = _letter(pattern, at)
    if pattern.startswith("-", following):
        high, end = _letter(pattern, following + 1)
        if not pattern.startswith("]", end) or high < low:
            raise _NotAGlob
        inside = f"{re.escape(low)}-{re.escape(high)}"
    else:
        letters: list[str] = []
        end = at
        while not pattern.startswith("]", end):
            found, end = _letter(pattern, end)
            letters.append(re.escape(found) if found not in "^-" else f"\\{found}")
        if not letters:
            raise _NotAGlob
        inside = "".join(letters)
    return f"[{'^' if negated else ''}{inside}]", end + 1


def _letter(pattern: str, at: int) -> tuple[str, int]:
    """Return one letter, or the one behind a backslash, and where to go on."""
    at += pattern.startswith("\\", at)
    if at >= len(pattern):
        raise _NotAGlob
    return pattern[at], at + 1
