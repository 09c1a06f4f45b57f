"""Masks for Secret values: equal values equal masks, other values other masks, length hidden.

Used before a difference is put into a `Comparison` and before a side is shown. One `Masks` serves both sides of an
object; who makes it from the same objects gets the same masks. Whatever is not known to be harmless in a Secret is
masked, however it is spelt, and so is an annotation or label that repeats a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, Step
from syncline.model import names
from syncline.model.masking import spelt

_OPEN_ROOTS = ("apiVersion", "kind", "metadata", "type", "immutable")


class Masks:
    """Hands out one mask per distinct value of one object pair; knows the values of the objects it is given."""

    def __init__(self, *objects: Object) -> None:
        self._masks: dict[bytes, str] = {}
        self._texts: set[str] = set()
        for obj in objects:
            self._learn(obj)

    def mask(self, value: Any) -> Any:
        """Return the mask of a value; absent stays absent."""
        if value is MISSING:
            return value
        if isinstance(value, dict):
            return {key: self.mask(member) for key, member in value.items()}
        plain = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return self._masks.setdefault(plain, "+" * (8 + 4 * len(self._masks)))

    def covers(self, path: tuple[Step, ...], values: Sequence[Any], annotations: Sequence[str] = ()) -> bool:
        """Whether a field is not to be shown: by what it is, or since its text repeats a value of the Secret."""
        return is_sensitive(path, annotations) or (path[0] == "metadata" and any(map(self._repeats, values)))

    def masked(self, obj: Object, annotations: Sequence[str] = ()) -> Object:
        """Return a Secret without its values; `annotations` names those that settings call sensitive."""
        self._learn(obj)
        shown = {name: value if name in _OPEN_ROOTS else self.mask(value) for name, value in obj.items()}
        metadata = obj.get("metadata")
        for part in ("annotations", "labels"):
            found = metadata.get(part) if isinstance(metadata, dict) else None
            if isinstance(found, dict):
                hidden = {
                    name: self.mask(text) if self.covers(("metadata", part, name), (text,), annotations) else text
                    for name, text in found.items()
                }
                shown["metadata"] = {**shown["metadata"], part: hidden}
        return shown

    def _learn(self, obj: Object) -> None:
        """Take note of the values of a Secret, as they are stored and as they are meant."""
        for name, value in obj.items():
            if name not in _OPEN_ROOTS:
                self.mask(value)
                self._texts.update(spelt(value))
        metadata = obj.get("metadata")
        annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
        applied = _read(annotations.get(names.LAST_APPLIED)) if isinstance(annotations, dict) else {}
        for name, value in applied.items():
            if name not in _OPEN_ROOTS:
                self._texts.update(spelt(value))

    def _repeats(self, value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(self._repeats, value.values()))
        return isinstance(value, str) and any(text in value for text in self._texts)


def _read(applied: Any) -> Object:
    try:
        found = orjson.loads(applied) if isinstance(applied, str) else {}
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def is_sensitive(path: tuple[Step, ...], annotations: Sequence[str] = ()) -> bool:
    """Whether a field of a Secret holds, or may hold, secret values."""
    if len(path) < 2 or path[0] not in _OPEN_ROOTS:
        return not path or path[0] not in _OPEN_ROOTS or path[0] == "metadata"
    if path[:2] != ("metadata", "annotations"):
        return False
    return len(path) == 2 or path[2] == names.LAST_APPLIED or path[2] in annotations
