"""Cuts an expression into words: numbers, texts, names and operators.

Called by `syncline.core.expr.parser`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from syncline.core.expr.errors import InvalidExpr

LONGEST = 64 * 1024
"""Characters of one expression."""
_WORDS = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+
        |[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?(?:[eE][+-]?[0-9_]+)?|\.[0-9][0-9_]*(?:[eE][+-]?[0-9_]+)?)
    |(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)
    |(?P<pointer>\#[A-Za-z_]?[A-Za-z0-9_]*)
    |(?P<name>[A-Za-z_$\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]*)
    |(?P<operator>\?\.|\?\?|\?\[|\*\*|==|!=|<=|>=|&&|\|\||\.\.|::|[-+*/%^<>=!?:.,;|(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[0-7]{3}|.)", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OPERATOR_WORDS = frozenset(
    {"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches", "let", "if", "else"}
)


class Word(NamedTuple):
    """One word: its kind (number, text, name, pointer, operator or end), its value, and where it begins."""

    kind: str
    value: str
    at: int


def words(text: str) -> list[Word]:
    """Return the words of an expression, and an end."""
    if len(text) > LONGEST:
        raise InvalidExpr(f"the expression has {len(text)} characters, more than {LONGEST}")
    found: list[Word] = []
    at = 0
    while at < len(text):
        match = _WORDS.match(text, at)
        if match is None:
            raise InvalidExpr(f"unexpected {text[at]!r} at character {at + 1}")
        at = match.end()
        kind = match.lastgroup or ""
        value = match[0]
        if kind == "space":
            continue
        if kind == "text":
            value = value[1:-1] if value[0] == "`" else _ESCAPE.sub(_unescaped, value[1:-1])
        elif kind == "name" and value in _OPERATOR_WORDS:
            kind = "operator"
        found.append(Word(kind, value, match.start()))
    found.append(Word("end", "the end", len(text)))
    return found


def _unescaped(match: re.Match[str]) -> str:
    body = match[1]
    try:
        if body[0] in "uUx" and len(body) > 1:
            return chr(int(body[1:].strip("{}"), 16))
        if len(body) == 3:
            return chr(int(body, 8))
    except (ValueError, OverflowError):
        raise InvalidExpr(f"\\{body} is not a character") from None
    return _ESCAPES.get(body, body)


def number(word: Word) -> int | float:
    """Return what a number says."""
    text = word.value.replace("_", "")
    try:
        if text[:2].lower() in ("0x", "0b", "0o"):
            return int(text, 0)
        return float(text) if any(char in text for char in ".eE") else int(text)
    except ValueError:
        raise InvalidExpr(f"{word.value} at character {word.at + 1} is not a number") from None
