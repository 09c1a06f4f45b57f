"""Writes JSON values as block-style YAML that Go reads back as the same values.

Called by whoever shows or stores manifests. Strings are left plain only where Go would read the very same string;
lists stand at the column of their field, as kubectl prints them. Strings that other YAML readers take for a date
or a base-60 number are quoted as well. Order is kept; nothing is folded, so no line depends on a width.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.yaml import scalars

# These classes let every character above U+00A0 pass: naming wide ranges makes a pattern slow to compile.
# `_ODD` holds the few of those that need an escape, and is compiled when a text beyond ASCII comes along.
_PLAIN = re.compile(
    r"(?:[^\x00- !\"#%&'*,\-:<=>?@\[\]`{|}~\x7f-\xa0]|-(?=[^\s-]|-[^\s-]))"
    r"(?:[^\x00- :\x7f-\xa0]|:(?=[^\x00- \x7f-\xa0])| +(?=[^\x00- #\x7f-\xa0]))*"
)
_FLOW_PLAIN = re.compile(r"[A-Za-z0-9_/.][A-Za-z0-9_/. -]*")
_LITERAL = re.compile(r"[^\x00- \x7f-\xa0][^\x00-\x08\x0b-\x1f\x7f-\xa0]*")
_PRINTABLE = re.compile(r"[^\x00-\x1f\x7f-\xa0]*")
_TO_ESCAPE = r"[\"\\\x00-\x1f\x7f-\xa0]"
_ODD = "[\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
_OTHER_READERS = re.compile(
    r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"
)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_LONGEST_SIMPLE_KEY = 512
"""Parsers give up on a key of more than 1,024 characters unless it is announced with a question mark."""


def dump(value: Any) -> str:
    """Write one value as a YAML document."""
    lines: list[str] = []
    _write(lines, "", "", value)
    return "\n".join(lines) + "\n"


def dump_all(values: Iterable[Any]) -> str:
    """Write several values as one stream, separated by `---`."""
    return "---\n".join(dump(value) for value in values)


def dump_flow(value: Any) -> str:
    """Write one value on one line, fit to stand inside braces or brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow_string(key)}: {dump_flow(child)}" for key, child in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(dump_flow, value)) + "]"
    return _flow_string(value) if isinstance(value, str) else _scalar(value, "")


def dump_string(text: str, *, style: str, indent: str) -> str:
    """Write a string in the quotes another one has had, where they can hold it."""
    # Blank lines that follow in the file would become part of a string that keeps its own.
    if style == '"' or text.endswith("\n\n"):
        return _double_quoted(text)
    if style == "'" and text.isascii() and _PRINTABLE.fullmatch(text):
        return _single_quoted(text)
    return _string(text, indent)


def _write(lines: list[str], lead: str, indent: str, value: Any) -> None:
    """Write a value whose first line begins with `lead` and whose other lines are indented by `indent`."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            _field(lines, lead, indent, key, child)
            lead = indent
    elif isinstance(value, list | tuple) and value:
        for child in value:
            _write(lines, lead + "- ", indent + "  ", child)
            lead = indent
    else:
        lines.append(lead + _scalar(value, indent))


def _field(lines: list[str], lead: str, indent: str, key: Any, value: Any) -> None:
    if not isinstance(key, str):
        raise TypeError(f"a YAML key must be a string, not {type(key).__name__}")
    name = _string(key, None)
    if len(name) > _LONGEST_SIMPLE_KEY:
        lines.append(f"{lead}? {name}")
        _write(lines, indent + ": ", indent + "  ", value)
    elif isinstance(value, dict) and value:
        lines.append(f"{lead}{name}:")
        _write(lines, indent + "  ", indent + "  ", value)
    elif isinstance(value, list | tuple) and value:
        lines.append(f"{lead}{name}:")
        _write(lines, indent, indent, value)
    else:
        lines.append(f"{lead}{name}: {_scalar(value, indent + '  ')}")


def _scalar(value: Any, indent: str) -> str:
    if isinstance(value, str):
        return _string(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not scalars.INT64_MIN <= value <= scalars.INT64_MAX:
            raise ValueError("an integer beyond 64 bits cannot be written: Kubernetes would read another number")
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("infinity and not-a-number cannot be written: Kubernetes has no value for them")
        # Go would pass a large whole float on by its shortest digits, which name another integer.
        whole = value.is_integer() and abs(value) < 2**63
        return str(int(value)) if whole else repr(float(value))
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise TypeError(f"a {type(value).__name__} cannot be written as YAML")


def _string(text: str, indent: str | None) -> str:
    """Write a string; without an indentation it has to stay on one line."""
    if not text.isascii() and re.search(_ODD, text):
        return _double_quoted(text)
    if _PLAIN.fullmatch(text) and scalars.typed(text) == text and not _OTHER_READERS.fullmatch(text):
        return text
    if indent and "\n" in text and _LITERAL.fullmatch(text):
        return _literal(text, indent)
    if ('"' in text or "\\" in text) and _PRINTABLE.fullmatch(text):
        return _single_quoted(text)
    return _double_quoted(text)


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double_quoted(text: str) -> str:
    pattern = _TO_ESCAPE if text.isascii() else f"{_TO_ESCAPE}|{_ODD}"
    return '"' + re.sub(pattern, _escape, text) + '"'


def _flow_string(text: str) -> str:
    written = _string(text, None)
    return _double_quoted(text) if written == text and not _FLOW_PLAIN.fullmatch(text) else written


def _literal(text: str, indent: str) -> str:
    body = text.rstrip("\n")
    newlines = len(text) - len(body)
    header = ("|-", "|")[newlines] if newlines < 2 else "|+"
    lines = [indent + line if line else "" for line in body.split("\n")]
    return "\n".join([header, *lines, *[""] * (newlines - 1)])


def _escape(found: re.Match[str]) -> str:
    character = str(found[0])
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("half of a surrogate pair cannot be written as text")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
