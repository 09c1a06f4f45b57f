"""JSON as Go's encoding/json writes and reads it.

Part of the table in `syncline.core.appset.functions`; `syncline.core.appset.functions.argo` takes the same way to YAML.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from syncline.core.appset.gotemplate import floats
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.quoting import joined, shown
from syncline.core.appset.gotemplate.values import Object, is_nil, sorted_keys, type_name

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ALWAYS = re.compile('["\\\\\x00-\x1f\u2028\u2029\ud800-\udfff]')
_FOR_HTML = re.compile('["\\\\\x00-\x1f\u2028\u2029\ud800-\udfff<>&]')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_SPACES = " \t\r\n"


class _Writer:
    """Writes one value."""

    def __init__(self, ctx: Context, *, html: bool, indent: str) -> None:
        self._budget = ctx.budget
        self._pattern = _FOR_HTML if html else _ALWAYS
        self._indent = indent
        self._size = 0

    def write(self, value: Any, depth: int = 0) -> str:
        """Return a value as JSON."""
        self._budget.spend(1)
        self._budget.depth(depth)
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if is_nil(value):
            return "null"
        if isinstance(value, Object):
            return self._string(value.json())
        if isinstance(value, int):
            return str(int(value))
        if isinstance(value, float):
            if not math.isfinite(value):
                raise CallError(f"json: unsupported value: {floats.formatted(value, 'g')}")
            return floats.json(value)
        if isinstance(value, dict):
            colon = ": " if self._indent else ":"
            members = [f"{self._string(key)}{colon}{self.write(value[key], depth + 1)}" for key in sorted_keys(value)]
            return self._enclosed("{", members, "}", depth)
        if isinstance(value, list):
            return self._enclosed("[", [self.write(item, depth + 1) for item in value], "]", depth)
        raise CallError(f"json: unsupported type: {type_name(value)}")

    def _enclosed(self, opening: str, parts: list[str], closing: str, depth: int) -> str:
        self._budget.text(sum(map(len, parts)) + len(parts) * (depth + 1) * len(self._indent))
        if not parts:
            return opening + closing
        if not self._indent:
            return opening + ",".join(parts) + closing
        inner = "\n" + self._indent * (depth + 1)
        return f"{opening}{inner}{f',{inner}'.join(parts)}\n{self._indent * depth}{closing}"

    def _string(self, text: str) -> str:
        return '"' + self._pattern.sub(_escape, joined(text)) + '"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char >= "\ud800":
        return "\\ufffd"
    return _SHORT.get(char) or f"\\u{ord(char):04x}"


def dumped(ctx: Context, value: Any, *, html: bool = True, indent: str = "") -> str:
    """Return a value as JSON text."""
    return _Writer(ctx, html=html, indent=indent).write(value)


def _silently(ctx: Context, value: Any, indent: str) -> str:
    try:
        return dumped(ctx, value, indent=indent)
    except CallError:
        return ""


def loaded(text: str) -> Any:
    """Return the value of a JSON text; every number is a float64."""
    text = shown(text)
    try:
        value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_refused)
        return _whole_pairs(value) if "\\u" in text else value
    except (ValueError, RecursionError):
        raise CallError(_why(text)) from None


def _whole_pairs(value: Any) -> Any:
    """Return a value whose halves of surrogate pairs are the replacement character, as Go reads them."""
    if isinstance(value, str):
        return _HALF_PAIR.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole_pairs(key): _whole_pairs(child) for key, child in value.items()}
    return [_whole_pairs(child) for child in value] if isinstance(value, list) else value


def loaded_exactly(text: str) -> Any:
    """Return the value of a JSON text that was written here, with whole numbers as such."""
    return json.loads(text, parse_int=_whole)


def _whole(text: str) -> int | float:
    number = int(text)
    return number if -(2**63) <= number < 2**64 else float(number)


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise CallError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return value


def _refused(_text: str) -> Any:
    raise ValueError


def _or_nothing(text: str) -> Any:
    try:
        return loaded(text)
    except CallError:
        return None


def _why(text: str) -> str:
    """Return what Go says about a text that is not JSON."""
    try:
        at = _Scanner(text).value(0, "looking for beginning of value")
        at = _skip(text, at)
        if at < len(text):
            return f"invalid character {_char(text[at])} after top-level value"
    except _Invalid as error:
        return str(error)
    return "unexpected end of JSON input"


class _Invalid(Exception):
    """Go's words for the first wrong character."""


def _char(char: str) -> str:
    if char == "'":
        return "'\\''"
    if char == '"':
        return "'\"'"
    # Go looks at bytes, and names the first one.
    printed = json.dumps(char)[1:-1] if ord(char) < 32 else chr(char.encode()[0])
    return f"'{printed}'"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at


class _Scanner:
    """Walks over a text until it is not JSON any more."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _at(self, at: int) -> str:
        if at >= len(self._text):
            raise _Invalid("unexpected end of JSON input")
        return self._text[at]

    def _or_space(self, at: int) -> str:
        """Return a character; the end of the text is a space to Go inside of a word or number."""
        return self._text[at : at + 1] or " "

    def _wrong(self, at: int, where: str) -> _Invalid:
        return _Invalid(f"invalid character {_char(self._or_space(at))} {where}")

    def value(self, at: int, where: str) -> int:
        """Return where a value ends."""
        at = _skip(self._text, at)
        char = self._at(at)
        if char == "{":
            return self._object(at + 1)
        if char == "[":
            return self._array(at + 1)
        if char == '"':
            return self._string(at + 1)
        if char in "-0123456789":
            return self._digits(at)
        for word in ("true", "false", "null"):
            if char == word[0]:
                return self._word(at, word)
        raise self._wrong(at, where)

    def _word(self, at: int, word: str) -> int:
        for offset, wanted in enumerate(word):
            if self._or_space(at + offset) != wanted:
                raise self._wrong(at + offset, f"in literal {word} (expecting '{wanted}')")
        return at + len(word)

    def _digits(self, at: int) -> int:
        found = _NUMBER.match(self._text, at)
        if found is None:
            raise self._wrong(at + 1, "in numeric literal")
        end = found.end()
        following = self._text[end : end + 1]
        if following == ".":
            raise self._wrong(end + 1, "after decimal point in numeric literal")
        if following in ("e", "E"):
            signed = end + 2 if self._text[end + 1 : end + 2] in ("+", "-") else end + 1
            raise self._wrong(signed, "in exponent of numeric literal")
        return end

    def _string(self, at: int) -> int:
        while (char := self._at(at)) != '"':
            if char < " ":
                raise self._wrong(at, "in string literal")
            if char == "\\":
                at += 1
                if self._at(at) == "u":
                    for offset in range(1, 5):
                        if self._at(at + offset) not in "0123456789abcdefABCDEF":
                            raise self._wrong(at + offset, "in \\u hexadecimal character escape")
                    at += 4
                elif self._text[at] not in '"\\/bfnrt':
                    raise self._wrong(at, "in string escape code")
            at += 1
        return at + 1

    def _array(self, at: int) -> int:
        at = _skip(self._text, at)
        if self._at(at) == "]":
            return at + 1
        while True:
            at = _skip(self._text, self.value(at, "looking for beginning of value"))
            char = self._at(at)
            if char == "]":
                return at + 1
            if char != ",":
                raise self._wrong(at, "after array element")
            at += 1

    def _object(self, at: int) -> int:
        at = _skip(self._text, at)
        if self._at(at) == "}":
            return at + 1
        while True:
            at = _skip(self._text, at)
            if self._at(at) != '"':
                raise self._wrong(at, "looking for beginning of object key string")
            at = _skip(self._text, self._string(at + 1))
            if self._at(at) != ":":
                raise self._wrong(at, "after object key")
            at = _skip(self._text, self.value(at + 1, "looking for beginning of value"))
            char = self._at(at)
            if char == "}":
                return at + 1
            if char != ",":
                raise self._wrong(at, "after object key:value pair")
            at += 1


JSON: dict[str, Function] = {
    "fromJson": Function(_or_nothing, "string"),
    "mustFromJson": Function(loaded, "string"),
    "mustToJson": Function(dumped, "any", needs_context=True),
    "mustToPrettyJson": Function(lambda ctx, value: dumped(ctx, value, indent="  "), "any", needs_context=True),
    "mustToRawJson": Function(lambda ctx, value: dumped(ctx, value, html=False), "any", needs_context=True),
    "toJson": Function(lambda ctx, value: _silently(ctx, value, ""), "any", needs_context=True),
    "toPrettyJson": Function(lambda ctx, value: _silently(ctx, value, "  "), "any", needs_context=True),
    "toRawJson": Function(lambda ctx, value: dumped(ctx, value, html=False), "any", needs_context=True),
}
