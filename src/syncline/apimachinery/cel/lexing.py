"""Cuts an expression into words, numbers, texts and signs, for `parser`."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from syncline.apimachinery.cel.tree import Unreadable
from syncline.apimachinery.cel.values import Uint

_TOKEN: Final = re.compile(
    r"""(?sx)
    (?P<space>\s+|//[^\n]*)
  | (?P<text>[rRbB]{0,2}(?:\"{3}.*?(?<!\\)\"{3}|'{3}.*?(?<!\\)'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
  | (?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)
  | (?P<int>0x[0-9a-fA-F]+[uU]?|\d+[uU]?)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/ ]+`)
  | (?P<sign>&&|\|\||<=|>=|==|!=|[-+*/%!<>?:.,()\[\]{}])
    """,
    re.ASCII,
)
_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_ESCAPE: Final = re.compile(r"(?s)\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))")


class Token(NamedTuple):
    """One piece: `word`, `quoted`, `const` or `sign`, or `end`; where it begins, and what it is."""

    sort: str
    at: int
    value: Any


def tokens(text: str) -> list[Token]:
    """Cut a whole expression; raises `Unreadable`."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at:] if text[at] in "'\"" else text[at : at + 2]
            raise Unreadable(f"Syntax error: token recognition error at: '{shown}'", at)
        if match.lastgroup != "space":
            found.append(_token(str(match.lastgroup), at, match[0]))
        at = match.end()
    found.append(Token("end", len(text), "<EOF>"))
    return found


def _token(sort: str, at: int, text: str) -> Token:
    if sort == "text":
        return Token("const", at, _text(text, at))
    if sort == "float":
        return Token("const", at, float(text))
    if sort == "int":
        return Token("const", at, _number(text, at))
    return Token(sort, at, text[1:-1] if sort == "quoted" else text)


def _number(text: str, at: int) -> int:
    digits = text.rstrip("uU")
    value = int(digits, 16 if digits.startswith("0x") else 10)
    if digits != text:
        if value >= 1 << 64:
            raise Unreadable("invalid uint literal", at)
        return Uint(value)
    if value > 1 << 63:  # one more than fits, since the sign comes later
        raise Unreadable("invalid int literal", at)
    return value


def _text(written: str, at: int) -> str | bytes:
    start = re.match(r"[rRbB]*", written)
    prefix = (start[0] if start else "").lower()
    body = written[len(prefix) :]
    edge = 3 if body[:3] in ('"""', "'''") else 1
    inner = body[edge:-edge]
    if "b" in prefix:
        return inner.encode() if "r" in prefix else b"".join(_bytes(inner, at))
    return inner if "r" in prefix else _ESCAPE.sub(lambda found: _letter(found, at), inner)


def _letter(found: re.Match[str], at: int) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16))
    if found[4]:
        return chr(int(found[4], 8))
    if found[5] not in _SIMPLE:
        raise Unreadable(f"Syntax error: unable to unescape \\{found[5]}", at)
    return _SIMPLE[found[5]]


def _bytes(inner: str, at: int) -> list[bytes]:
    parts, last = [], 0
    for found in _ESCAPE.finditer(inner):
        parts.append(inner[last : found.start()].encode())
        raw = found[1] or found[4]
        parts.append(bytes([int(raw, 16 if found[1] else 8)]) if raw else _letter(found, at).encode())
        last = found.end()
    return [*parts, inner[last:].encode()]
