"""Fills the values of a rule from the object it is played on.

Called by `syncline.sandbox.behaviours.controller`. `{spec.name}` stands for a field, `{spec.name|web}` has a value for
when it is missing, `{spec.name|.metadata.name}` another field, and a text that is one such word alone takes the field's
own type. A mapping with `$each` makes an entry per element of a list or mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_WORD: Final = re.compile(r"\{([A-Za-z][\w.\-/]*)(?:\|([^{}]*))?\}")
_EACH: Final = "$each"


def fill(value: Any, facts: Mapping[str, Any]) -> Any:
    """Return a value with every word replaced; a mapping loses the entries whose value is a missing field."""
    if isinstance(value, str):
        return _fill_text(value, facts)
    if isinstance(value, list):
        return [fill(item, facts) for item in value]
    if isinstance(value, dict):
        if _EACH in value:
            return _entries(value, facts)
        filled = {_text(key, facts): fill(item, facts) for key, item in value.items()}
        return {key: item for key, item in filled.items() if item is not None}
    return value


def at(facts: Any, path: str) -> Any:
    """Return a field by its dotted path, or None."""
    for part in path.split("."):
        facts = facts.get(part) if isinstance(facts, Mapping) else None
    return facts


def _fill_text(text: str, facts: Mapping[str, Any]) -> Any:
    whole = _WORD.fullmatch(text)
    return _value(whole, facts) if whole else _text(text, facts)


def _text(text: str, facts: Mapping[str, Any]) -> str:
    return _WORD.sub(lambda found: _printed(_value(found, facts)), text)


def _value(found: re.Match[str], facts: Mapping[str, Any]) -> Any:
    value = at(facts, found[1])
    if value not in (None, "") or found[2] is None:
        return value
    return at(facts, found[2][1:]) if found[2].startswith(".") else found[2]


def _printed(value: Any) -> str:
    return "" if value is None else str(value)


def _entries(template: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    source = at(facts, str(template[_EACH])) or []
    items = [{"key": key, "value": item} for key, item in source.items()] if isinstance(source, Mapping) else source
    made: dict[str, Any] = {}
    for item in items:
        known = {**facts, "item": item}
        made[str(fill(template["$key"], known))] = fill(template["$value"], known)
    return made
