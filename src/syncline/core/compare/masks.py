"""Masks for Secret values: equal values equal masks, other values other masks, length hidden.

Used before a difference is put into a `Comparison` and before a side is shown. One `Masks` serves both sides of an
object. Whatever is not known to be harmless in a Secret is masked, however it is spelt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, Step
from syncline.model import names

_OPEN_ROOTS = ("apiVersion", "kind", "metadata", "type", "immutable")


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

    def masked(self, obj: Object, annotations: Sequence[str] = ()) -> Object:
        """Return a Secret without its values; `annotations` names those that settings call sensitive."""
        shown = {name: value if name in _OPEN_ROOTS else self.mask(value) for name, value in obj.items()}
        metadata = obj.get("metadata")
        found = metadata.get("annotations") if isinstance(metadata, dict) else None
        if isinstance(metadata, dict) and isinstance(found, dict):
            hidden = {
                name: self.mask(text) if is_sensitive(("metadata", "annotations", name), annotations) else text
                for name, text in found.items()
            }
            shown["metadata"] = {**metadata, "annotations": hidden}
        return shown


def is_sensitive(path: tuple[Step, ...], annotations: Sequence[str] = ()) -> bool:
    """Whether a field of a Secret holds, or may hold, secret values."""
    if len(path) < 2 or path[0] not in _OPEN_ROOTS:
        return not path or path[0] not in _OPEN_ROOTS or path[0] == "metadata"
    if path[:2] != ("metadata", "annotations"):
        return False
    return len(path) == 2 or path[2] == names.LAST_APPLIED or path[2] in annotations
