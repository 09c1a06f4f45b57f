"""Writes JSON values as YAML in the very text that Go's sigs.k8s.io/yaml gives.

Called by `syncline.core.appset.functions.argo` for `toYaml`, whose text users compare and indent; manifests are written
by `syncline.apimachinery.yaml.writer`, which quotes more. PyYAML's emitter and Go's come from the same libyaml: what is
chosen here are the styles of texts and the order of keys.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from typing import Any

from yaml.emitter import Emitter
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from syncline.apimachinery.yaml import scalars

_BASE60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:[Tt](?=.*(?:Z|[-+][0-9]{2}:[0-9]{2})$)| )([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?"
    r"(?:Z|[-+][0-9]{2}:[0-9]{2})?)?"
)
_LAST_PRINTED = "\uffff"
"""Go's writer escapes the characters beyond."""
_DIGITS = re.compile(r"[0-9]{0,300}")
_LONGEST_PLAIN = 21
_WIDTH = 80


class _Text:
    """What the emitter writes to."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, text: str) -> None:
        """Keep a part."""
        self.parts.append(text)


def dump(value: Any) -> str:
    """Write one value as a YAML document."""
    text = _Text()
    emitter = Emitter(text, width=_WIDTH, allow_unicode=True)
    emitter.emit(StreamStartEvent())
    emitter.emit(DocumentStartEvent(explicit=False))
    _emit(emitter, value)
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    # A bare scalar stands between the marks that begin and end a document, which Go leaves out.
    written = "".join(text.parts).removesuffix("...\n")
    return written.removeprefix("--- ") if value == "" else written


def _emit(emitter: Emitter, value: Any) -> None:
    if isinstance(value, dict):
        emitter.emit(MappingStartEvent(None, None, True, flow_style=not value))
        for key in sorted(value, key=functools.cmp_to_key(_before)):
            _emit(emitter, key)
            _emit(emitter, value[key])
        emitter.emit(MappingEndEvent())
    elif isinstance(value, list):
        emitter.emit(SequenceStartEvent(None, None, True, flow_style=not value))
        for item in value:
            _emit(emitter, item)
        emitter.emit(SequenceEndEvent())
    elif isinstance(value, str):
        emitter.emit(ScalarEvent(None, None, (True, True), value, style=_style(value)))
    else:
        emitter.emit(ScalarEvent(None, None, (True, False), _plain(value)))


def _style(text: str) -> str | None:
    if "\n" in text and max(text) <= _LAST_PRINTED:
        return "|"
    means_itself = text != "" and scalars.typed(text) == text and not _BASE60.fullmatch(text)
    if means_itself and not _is_time(text) and max(text) <= _LAST_PRINTED:
        return None
    return '"'


def _is_time(text: str) -> bool:
    found = _TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in found.groups("0"))
    try:
        dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    except ValueError:
        return False
    return True


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _float(value)


def _float(value: float) -> str:
    """Write a float as Go's %g does."""
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return f"{mantissa.removesuffix('.0')}e{int(exponent):+03d}"
    digits = text.removesuffix(".0").lstrip("-")
    whole = digits.partition(".")[0]
    if len(whole) <= _LONGEST_PLAIN:
        return text.removesuffix(".0")
    bare = digits.replace(".", "").rstrip("0")
    head = bare[0] + (f".{bare[1:]}" if len(bare) > 1 else "")
    return f"{'-' if value < 0 else ''}{head}e{len(whole) - 1:+03d}"


def _before(first: str, second: str) -> int:
    """Order keys as Go's YAML does: letters after all else, and digits by the number they make."""
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one == other:
            continue
        if one.isalpha() and other.isalpha():
            return -1 if one < other else 1
        if one.isalpha() or other.isalpha():
            return -1 if other.isalpha() else 1
        return _numbers_before(first, second, at)
    return len(first) - len(second)


def _numbers_before(first: str, second: str, at: int) -> int:
    # A zero counts for more when digits that are not zero stand before it.
    lead = ""
    if "0" in (first[at], second[at]):
        before = first[:at]
        digits = before[len(before.rstrip("0123456789")) :]
        lead = "1" if digits.strip("0") else ""
    one, other = _DIGITS.match(first, at), _DIGITS.match(second, at)
    texts = (one[0] if one else "", other[0] if other else "")
    numbers = [int(lead + text or "0") for text in texts]
    if numbers[0] != numbers[1]:
        return -1 if numbers[0] < numbers[1] else 1
    if len(texts[0]) != len(texts[1]):
        return -1 if len(texts[0]) < len(texts[1]) else 1
    return -1 if first[at] < second[at] else 1
