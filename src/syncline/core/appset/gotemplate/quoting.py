"""Reads and writes quoted texts as Go does, and keeps bytes that are not UTF-8 in a text.

Used by the lexer, the parser, the printer and many functions. A Go text is a row of bytes: here it is a `str` in which
a byte that is not part of UTF-8 stands as a lone surrogate, as Python's `surrogateescape` puts it.
"""

from __future__ import annotations

import re
import unicodedata

_SHORT = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}
_UNSHORT = {value[1]: key for key, value in _SHORT.items()}
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_SURROGATE = re.compile("[\udc80-\udcff]")
_NOT_PRINTED = ("C", "Z")


class Malformed(ValueError):
    """A quoted text that Go does not read."""


def to_bytes(text: str) -> bytes:
    """Return the bytes that Go has for a text."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(data: bytes) -> str:
    """Return the text for the bytes that Go has."""
    return data.decode("utf-8", "surrogateescape")


def joined(text: str) -> str:
    """Return a text in which halves of one character that came together are that character."""
    return text if text.isascii() or _SURROGATE.search(text) is None else from_bytes(to_bytes(text))


def shown(text: str) -> str:
    """Return a text as JSON can carry it: what is not UTF-8 is the replacement character."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", joined(text))


def is_print(char: str) -> bool:
    """Tell whether Go prints a character as it is."""
    return char == " " or unicodedata.category(char)[0] not in _NOT_PRINTED


def quote(text: str, *, ascii_only: bool = False) -> str:
    """Return a text in double quotes, as Go's `%q` prints it."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return '"' + "".join(escaped(char, '"', ascii_only=ascii_only) for char in text) + '"'


def escaped(char: str, mark: str, *, ascii_only: bool = False) -> str:
    """Return one character as it stands between two marks."""
    code = ord(char)
    if char in (mark, "\\"):
        return "\\" + char
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if (code < 0x80 or not ascii_only) and is_print(char):
        return char
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unquote(quoted: str) -> str:
    """Return what a Go literal in double or back quotes says."""
    if quoted[0] == "`":
        return quoted[1:-1].replace("\r", "")
    body = quoted[1:-1]
    if "\\" not in body:
        return body
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        part, at = unquote_char(body, at, '"')
        parts.append(part)
    return from_bytes(b"".join(parts))


def unquote_char(body: str, at: int, mark: str) -> tuple[bytes, int]:
    """Return the bytes of one character of a literal, and where the next begins."""
    char = body[at]
    if char == mark and mark in "'\"":
        raise Malformed
    if char != "\\":
        return to_bytes(char), at + 1
    if at + 1 >= len(body):
        raise Malformed
    kind = body[at + 1]
    if kind in _UNSHORT:
        return _UNSHORT[kind].encode(), at + 2
    if kind in "xuU":
        return _coded(body, at + 2, {"x": 2, "u": 4, "U": 8}[kind], 16, raw=kind == "x")
    if kind in "01234567":
        return _coded(body, at + 1, 3, 8, raw=True)
    if kind in "'\"" and kind == mark:
        return kind.encode(), at + 2
    raise Malformed


def _coded(body: str, at: int, count: int, base: int, *, raw: bool) -> tuple[bytes, int]:
    digits = body[at : at + count]
    if len(digits) < count or not all(char in "0123456789abcdefABCDEF"[: 8 if base == 8 else 22] for char in digits):
        raise Malformed
    code = int(digits, base)
    if raw:
        if code > 255:
            raise Malformed
        return bytes([code]), at + count
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise Malformed
    return chr(code).encode(), at + count
