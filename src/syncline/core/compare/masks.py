"""Masks for Secret values in differences: equal values equal masks, other values other masks, length hidden.

Used by `syncline.core.compare.compare` before a difference is put into a `Comparison`.
"""

from __future__ import annotations

from typing import Any

import orjson

from syncline.apimachinery.paths import MISSING, Step
from syncline.model import names

_SECRET_ROOTS = ("data", "stringData")


class Masks:
    """Hands out one mask per distinct value of one object pair."""

    def __init__(self) -> None:
        self._masks: dict[bytes, str] = {}

    def mask(self, value: Any) -> Any:
        """Return the mask of a value; absent stays absent."""
        if value is MISSING:
            return value
        if isinstance(value, dict):
            return {key: self.mask(member) for key, member in value.items()}
        plain = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return self._masks.setdefault(plain, "+" * (8 + 4 * len(self._masks)))


def is_sensitive(path: tuple[Step, ...]) -> bool:
    """Whether a field of a Secret holds, or may hold, secret values."""
    if not path or path[0] in _SECRET_ROOTS:
        return True
    return path[:2] == ("metadata", "annotations") and (len(path) == 2 or path[2] == names.LAST_APPLIED)
