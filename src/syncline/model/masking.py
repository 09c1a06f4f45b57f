"""Secrets never leave: their values are replaced by digests or masks before anything is kept or shown.

Used by `syncline.model.codec` (keyed digests, so that equality survives) and by `syncline.core.compare.prepare`. A
Secret is recognised by its kind alone, whatever an object's caller says it is.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.model import names

_OPEN_FIELDS = ("apiVersion", "kind", "metadata", "type", "immutable")
"""The fields of a Secret that hold no secret; everything else is replaced, however it is spelt or shaped."""

MASK = "++++++++"
"""What people see in place of a value."""

_TELLING = 4
"""Shorter values are found in any text by chance."""


def is_secret(obj: Object) -> bool:
    """Whether the object is a core Secret, or a list of them."""
    return obj.get("kind") in ("Secret", "SecretList") and str(obj.get("apiVersion") or "v1") == "v1"


def with_values(obj: Object, replace: Callable[[str, Any], str]) -> Object:
    """Return a Secret in which each value became `replace(field, value)`, inside last-applied too.

    `stringData` is written as the `data` it becomes, so that Git and cluster give equal replacements.
    """
    masked = {name: value for name, value in obj.items() if name in _OPEN_FIELDS}
    for name, value in as_stored(obj).items():
        if name == "items" and isinstance(value, list):
            masked[name] = [
                with_values(item, replace) if isinstance(item, dict) else replace(name, item) for item in value
            ]
        elif name not in _OPEN_FIELDS:
            masked[name] = _replaced(name, value, replace)
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        masked["metadata"] = _metadata(metadata, set(_texts(obj)), replace)
    return masked


def _metadata(metadata: Object, texts: set[str], replace: Callable[[str, Any], str]) -> Object:
    """Return metadata without secrets: last-applied masked inside, other texts that repeat a value replaced whole."""
    shown = dict(metadata)
    for part in ("annotations", "labels"):
        found = metadata.get(part)
        if isinstance(found, dict):
            shown[part] = {
                name: _shown(f"metadata.{part}.{name}", text, texts, replace) for name, text in found.items()
            }
    return shown


def _shown(field: str, value: Any, texts: set[str], replace: Callable[[str, Any], str]) -> Any:
    if field == f"metadata.annotations.{names.LAST_APPLIED}" and isinstance(value, str):
        return _mask_last_applied(value, replace)
    repeats = isinstance(value, str) and any(text in value for text in texts)
    return replace(field, value) if repeats else value


def _texts(obj: Object) -> Iterator[str]:
    return (text for name, value in as_stored(obj).items() if name not in _OPEN_FIELDS for text in spelt(value))


def spelt(value: Any) -> Iterator[str]:
    """Yield the texts in a value of a Secret that tell something, base64 also decoded."""
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from spelt(member)
    elif isinstance(value, str):
        yield from (text for text in (value, _decoded(value)) if len(text) >= _TELLING)


def _decoded(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def as_stored(obj: Object) -> Object:
    """Return a Secret as the API server keeps it: `stringData` encoded into `data`."""
    plain = obj.get("stringData")
    if not isinstance(plain, dict):
        return obj
    encoded = {key: b64encode(str(value or "").encode()).decode() for key, value in plain.items()}
    data = obj.get("data")
    rest = {name: value for name, value in obj.items() if name != "stringData"}
    return {**rest, "data": {**(data if isinstance(data, dict) else {}), **encoded}}


def _replaced(field: str, value: Any, replace: Callable[[str, Any], str]) -> Any:
    if isinstance(value, dict):
        return {key: replace(f"{field}.{key}", member) for key, member in value.items()}
    return None if value is None else replace(field, value)


def _mask_last_applied(text: str, replace: Callable[[str, Any], str]) -> str:
    try:
        applied = orjson.loads(text)
    except orjson.JSONDecodeError:
        return "(unreadable, omitted)"
    if not isinstance(applied, dict):
        return "(unreadable, omitted)"
    return orjson.dumps(with_values(applied, replace)).decode()


def digest_values(obj: Object, key: bytes) -> Object:
    """Return the object with Secret values replaced by keyed digests: equal values, equal digests."""

    def digest(_field: str, value: Any) -> str:
        plain = value.encode() if isinstance(value, str) else orjson.dumps(value)
        return "hmac:" + hmac.new(key, plain, hashlib.sha256).hexdigest()[:32]

    return with_values(obj, digest) if is_secret(obj) else obj
