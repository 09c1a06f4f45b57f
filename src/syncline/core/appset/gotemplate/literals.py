"""Reads number literals of templates: one literal may fit several of Go's types, and the place decides which is meant.

Called by `syncline.core.appset.gotemplate.pipelines`.
"""

from __future__ import annotations

import contextlib
import re

from syncline.core.appset.gotemplate.lexer import Item, Kind
from syncline.core.appset.gotemplate.nodes import NumberNode
from syncline.core.appset.gotemplate.numbers import (
    INT64_MAX,
    INT64_MIN,
    UINT64_MAX,
    NotANumber,
    parse_float,
    parse_int,
    parse_uint,
)
from syncline.core.appset.gotemplate.quoting import Malformed, from_bytes, quote, unquote_char

_COMPLEX = re.compile(r"(.+?)([+-][^+-]+(?:[eEpP][+-][0-9_]+)?)i")


class IllegalNumber(ValueError):
    """A literal that is not a number of Go; the message is Go's."""


def number(item: Item) -> NumberNode:
    """Return the number of a literal."""
    if item.kind is Kind.CHAR_CONSTANT:
        code = _character(item.text)
        return NumberNode(item.pos, item.text, code, code, float(code))
    if item.kind is Kind.COMPLEX:
        found = _COMPLEX.fullmatch(item.text)
        try:
            if found is None:
                raise NotANumber
            return _imaginary(item, complex(parse_float(found[1]), parse_float(found[2])))
        except NotANumber:
            raise IllegalNumber("syntax error scanning complex number") from None
    if item.text.endswith("i"):
        try:
            return _imaginary(item, complex(0, parse_float(item.text[:-1])))
        except NotANumber:
            pass
    return _real(item)


def _character(text: str) -> int:
    try:
        data, end = unquote_char(text[1:], 0, "'")
    except Malformed:
        raise IllegalNumber("invalid syntax") from None
    if text[1:][end:] != "'":
        raise IllegalNumber(f"malformed character constant: {text}")
    char = from_bytes(data)
    code = ord(char)
    return code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code


def _imaginary(item: Item, value: complex) -> NumberNode:
    node = NumberNode(item.pos, item.text, complex=value)
    if value.imag == 0:
        node.floating = value.real
        _fit(node, value.real)
    return node


def _fit(node: NumberNode, value: float) -> None:
    if value.is_integer() and INT64_MIN <= value <= INT64_MAX:
        node.integer = int(value)
    if value.is_integer() and 0 <= value <= UINT64_MAX:
        node.unsigned = int(value)


def _real(item: Item) -> NumberNode:
    node = NumberNode(item.pos, item.text)
    with contextlib.suppress(NotANumber):
        node.unsigned = parse_uint(item.text)
    try:
        node.integer = parse_int(item.text)
        if node.integer == 0:
            node.unsigned = 0
    except NotANumber:
        pass
    whole = node.integer if node.integer is not None else node.unsigned
    if whole is not None:
        node.floating = float(whole)
        return node
    try:
        value = parse_float(item.text)
    except NotANumber:
        raise IllegalNumber(f"illegal number syntax: {quote(item.text)}") from None
    if not any(char in ".eEpP" for char in item.text):
        raise IllegalNumber(f"integer overflow: {quote(item.text)}")
    node.floating = value
    _fit(node, value)
    return node
