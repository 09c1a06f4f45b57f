"""Turns what a Lua script returned into JSON values, beside the object the script was given.

Used by `syncline.adapters.scripts.lua` inside a worker. Lua knows one kind of table and one kind of number: an empty
table becomes a map where the original object has a map at that place, else a list, and a number that equals the
original one is the original one, with all its digits.
"""

from __future__ import annotations

import math
from typing import Any

from lupa import lua52

_MAX_DEPTH = 200
_MAX_VALUES = 500_000


class NotJson(Exception):
    """A returned value has no form in JSON."""


class Conversion:
    """One conversion with its own budget, since a table that holds itself twice has no end."""

    def __init__(self) -> None:
        self._left = _MAX_VALUES

    def convert(self, value: Any, original: Any = None, depth: int = 0) -> Any:
        """Return the value as JSON; `original` is what stood at the same place."""
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            raise NotJson("the result is too large or contains itself")
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, float)):
            return _number(value, original)
        if lua52.lua_type(value) != "table":
            raise NotJson(
                f"the result holds a {lua52.lua_type(value) or type(value).__name__}, which is not a JSON value"
            )
        items = list(value.items())
        if not items:
            return {} if isinstance(original, dict) else []
        if isinstance(items[0][0], str):
            return self._map(items, original if isinstance(original, dict) else {}, depth)
        return self._list(items, original if isinstance(original, list) else [], depth)

    def _map(self, items: list[tuple[Any, Any]], original: dict[str, Any], depth: int) -> dict[str, Any]:
        if not all(isinstance(key, str) for key, _ in items):
            raise NotJson("a table in the result mixes names and positions")
        found = dict(items)
        # Lua gives names in any order: those of the original come first and in its order, the rest by the alphabet.
        names = [*(name for name in original if name in found), *sorted(found.keys() - original.keys())]
        return {name: self.convert(found[name], original.get(name), depth + 1) for name in names}

    def _list(self, items: list[tuple[Any, Any]], original: list[Any], depth: int) -> list[Any]:
        places = dict(items)
        if any(isinstance(key, str) for key in places):
            raise NotJson("a table in the result mixes names and positions")
        if any(isinstance(key, bool) for key in places) or any(key not in places for key in range(1, len(places) + 1)):
            raise NotJson("a list of the result has gaps or does not start at 1")
        return [
            self.convert(places[key], original[key - 1] if key <= len(original) else None, depth + 1)
            for key in range(1, len(places) + 1)
        ]


def _number(value: float, original: Any) -> Any:
    # Lua counts in doubles: the original may have had digits that do not fit into one.
    if isinstance(original, (int, float)) and not isinstance(original, bool) and float(original) == value:
        return original
    if not math.isfinite(value):
        raise NotJson("a number of the result is not finite")
    return value
