"""Secrets never leave: their values are replaced by digests or masks before anything is kept or shown.

Used by `syncline.model.codec` (keyed digests, so that equality survives) and by `syncline.core.compare.prepare`. A
Secret is recognised by its kind alone, whatever an object's caller says it is.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from syncline.model import names

_OPEN_FIELDS = ("apiVersion", "kind", "metadata", "type", "immutable")
"""The fields of a Secret that hold no secret; everything else is replaced, however it is spelt or shaped."""


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
    metadata = obj.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    last_applied = annotations.get(names.LAST_APPLIED)
    if isinstance(last_applied, str):
        text = _mask_last_applied(last_applied, replace)
        masked["metadata"] = {**metadata, "annotations": {**annotations, names.LAST_APPLIED: text}}
    return masked


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
        return "(unreadable, left out)"
    if not isinstance(applied, dict):
        return "(unreadable, left out)"
    return orjson.dumps(with_values(applied, replace)).decode()


def digest_values(obj: Object, key: bytes) -> Object:
    """Return the object with Secret values replaced by keyed digests: equal values, equal digests."""

    def digest(_field: str, value: Any) -> str:
        plain = value.encode() if isinstance(value, str) else orjson.dumps(value)
        return "hmac:" + hmac.new(key, plain, hashlib.sha256).hexdigest()[:32]

    return with_values(obj, digest) if is_secret(obj) else obj
