"""Fills the values of a rule from the object it is played on.

Called by `syncline.sandbox.behaviours.controller`. `{spec.name}` stands for a field, `{spec.name|web}` has a value for
when it is missing, `{spec.name|.metadata.name}` another field, `{spec.url!host}` passes it through a filter, and a text
that is one such word alone takes the field's own type. A mapping with `$each` makes an entry, or an element where it
has `$item`, per element of a list or mapping.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery import duration

_PATH: Final = r'[A-Za-z](?:\["[^"\]]+"\]|[\w.\-/*])*'
_WORD: Final = re.compile(r"\{(" + _PATH + r")((?:![a-z]+)*)(?:\|([^{}]*))?\}")
_PART: Final = re.compile(r'\["([^"\]]+)"\]|([^.\[]+)')
_EACH: Final = "$each"


def fill(value: Any, facts: Mapping[str, Any]) -> Any:
    """Return a value with every word replaced; a mapping loses entries whose field is missing, but keeps nulls."""
    if isinstance(value, str):
        return _fill_text(value, facts)
    if isinstance(value, list):
        return [fill(item, facts) for item in value]
    if isinstance(value, dict):
        if _EACH in value:
            return _entries(value, facts)
        filled = [(_text(key, facts), fill(item, facts), item) for key, item in value.items()]
        return {key: made for key, made, item in filled if made is not None or item is None}
    return value


def at(facts: Any, path: str) -> Any:
    """Return a field by its path (`metadata.labels["a.b/c"]`, `items.0`), or None; `*` gives a list of all."""
    return _walk(facts, _parts(path))


@functools.lru_cache(maxsize=4096)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(quoted or plain for quoted, plain in _PART.findall(path))


def _walk(facts: Any, parts: tuple[str, ...]) -> Any:
    for number, part in enumerate(parts):
        if part == "*":
            items = facts.values() if isinstance(facts, Mapping) else facts if isinstance(facts, list) else ()
            found = [_walk(item, parts[number + 1 :]) for item in items]
            return [item for item in found if item is not None]
        if isinstance(facts, Mapping):
            facts = facts.get(part)
        elif isinstance(facts, list) and part.isdigit() and int(part) < len(facts):
            facts = facts[int(part)]
        else:
            return None
    return facts


def seconds(value: Any) -> float:
    """Return a number of seconds, or a duration as Go writes it; 0 for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    try:
        return duration.parse(str(value or "0s")) / 1e9
    except ValueError:
        return 0.0


def unknown_filters(text: str) -> list[str]:
    """Return the filters a text asks for that do not exist."""
    asked = [name for found in _WORD.finditer(text) for name in found[2].split("!") if name]
    return [name for name in asked if name not in _FILTERS]


def filters() -> list[str]:
    """Return the names of all filters."""
    return sorted(_FILTERS)


def _fill_text(text: str, facts: Mapping[str, Any]) -> Any:
    whole = _WORD.fullmatch(text)
    return _value(whole, facts) if whole else _text(text, facts)


def _text(text: str, facts: Mapping[str, Any]) -> str:
    return _WORD.sub(lambda found: _printed(_value(found, facts)), text)


def _value(found: re.Match[str], facts: Mapping[str, Any]) -> Any:
    value = at(facts, found[1])
    if value in (None, "") and found[3] is not None:
        value = at(facts, found[3][1:]) if found[3].startswith(".") else found[3]
    for name in filter(None, found[2].split("!")):
        value = _FILTERS[name](value)
    return value


def _printed(value: Any) -> str:
    return "" if value is None else str(value)


def _entries(template: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:
    source = at(facts, str(template[_EACH])) or []
    items = [{"key": key, "value": item} for key, item in source.items()] if isinstance(source, Mapping) else source
    if "$item" in template:
        return [fill(template["$item"], {**facts, "item": item}) for item in items]
    made: dict[str, Any] = {}
    for item in items:
        known = {**facts, "item": item}
        made[str(fill(template["$key"], known))] = fill(template["$value"], known)
    return made


def _host(value: Any) -> str:
    return re.sub(r"^[a-z+]+://", "", str(value or "")).partition("/")[0].partition(":")[0]


def _label(number: int) -> Callable[[Any], str | None]:
    def label(value: Any) -> str | None:
        labels = _host(value).split(".")
        return labels[number] if len(labels) > number else None

    return label


def _count(value: Any) -> int:
    return len(value) if isinstance(value, (list, Mapping)) else 0


def _part(*, after: bool) -> Callable[[Any], str]:
    def part(value: Any) -> str:
        name, _, tag = str(value or "").partition(":")
        return (tag or "latest") if after else name

    return part


_FILTERS: Final[dict[str, Callable[[Any], Any]]] = {
    "base": lambda value: base64.b64encode(str(value or "").encode()).decode(),
    "count": _count,
    "first": lambda value: value[0] if isinstance(value, list) and value else None,
    "hash": lambda value: hashlib.sha256(_printed(value).encode()).hexdigest()[:8],
    "host": _host,
    "image": _part(after=False),
    "json": lambda value: orjson.dumps(value).decode(),
    "less": lambda value: max(0, int(value) - 1) if str(value or "").isdigit() else 0,
    "lower": lambda value: str(value or "").lower(),
    "namespace": _label(1),
    "number": lambda value: int(value) if str(value or "").lstrip("-").isdigit() else 0,
    "seconds": seconds,
    "service": _label(0),
    "tag": _part(after=True),
    "text": _printed,
}
"""What `{path!name}` can do to a field."""
