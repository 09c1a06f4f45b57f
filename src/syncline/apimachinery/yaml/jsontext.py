"""Reads text that is JSON objects throughout, by JSON's rules instead of YAML's.

Called by `syncline.apimachinery.yaml.reader` when a text opens with a brace, as kubectl does: JSON knows surrogate
pairs, long keys and line separators that YAML reads otherwise or refuses. Whatever is not plainly fine here
(duplicate keys, odd numbers, deep nesting, YAML after all) is left to the YAML parser, whose errors name a place.
Places of fields are only worked out when asked for, by running the YAML parser over the same text.
"""

from __future__ import annotations

import json
import math
import re
from functools import partial
from typing import Any

from syncline.apimachinery.yaml import scalars
from syncline.apimachinery.yaml.document import Document
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import YamlLimits
from syncline.apimachinery.yaml.positions import Outline, Position

_BLANKS = re.compile(r"[ \t\r\n]*")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_NOT_YAML = "\\\\u[0-9a-fA-F]{4}|[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]"


def load_documents(text: str, *, limits: YamlLimits) -> list[Document] | None:
    """Read a stream of JSON objects, or give None if the YAML parser has to look at it."""
    if not _modest(text, limits):
        return None
    decoder = json.JSONDecoder(
        object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_refuse
    )
    documents: list[Document] = []
    begin = _skip_blanks(text, 0)
    try:
        while begin < len(text) and text[begin] == "{":
            value, end = decoder.raw_decode(text, begin)
            start = _position(text, begin)
            outline = partial(_outline, text[begin:end], start, limits)
            documents.append(Document(value, index=len(documents), start=start, outline=outline))
            begin = _skip_blanks(text, end)
        if begin < len(text):
            return None
        if _SURROGATE_ESCAPE.search(text):
            json.dumps([document.value for document in documents], ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return documents


def _modest(text: str, limits: YamlLimits) -> bool:
    """Say whether the text cannot exceed a limit, judged by its punctuation alone."""
    opened = text.count("{") + text.count("[")
    return opened + text.count(",") < limits.max_nodes and _depth_bound(text, opened) <= limits.max_depth


def _depth_bound(text: str, opened: int) -> int:
    if opened < 100:
        return opened
    depth = deepest = 0
    for bracket in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text):
        if bracket[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket[0] in "]}":
            depth -= 1
    return deepest


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("duplicate key")
    return result


def _integer(digits: str) -> int | float:
    integer = int(digits)
    return integer if scalars.INT64_MIN <= integer <= scalars.INT64_MAX else float(digits)


def _float(digits: str) -> int | float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("out of range")
    # Beyond 53 bits Kubernetes keeps a float that JSON wrote as one.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _skip_blanks(text: str, begin: int) -> int:
    blanks = _BLANKS.match(text, begin)
    return begin if blanks is None else blanks.end()


def _position(text: str, offset: int) -> Position:
    before = text[:offset]
    return Position(before.count("\n") + 1, offset - before.rfind("\n"))


def _outline(text: str, start: Position, limits: YamlLimits) -> Outline:
    """Mark the fields of one JSON object; its strings may be altered as long as nothing moves."""
    from yaml.error import YAMLError

    from syncline.apimachinery.yaml.build import Builder

    harmless = re.sub(_NOT_YAML, lambda found: "_" * len(found[0]), text)
    padded = "\n" * (start.line - 1) + " " * (start.column - 1) + harmless
    builder = Builder(padded, source="", limits=limits)
    try:
        builder.documents()
    except (YamlError, YAMLError):
        return Outline()
    return builder.outline
