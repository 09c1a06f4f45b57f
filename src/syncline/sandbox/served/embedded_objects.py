"""Objects that custom objects carry inside (x-kubernetes-embedded-resource): each has a kind and sound metadata.

Called by `syncline.sandbox.served.custom_rules`, and by `syncline.sandbox.kinds.schema_defaults` for defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery import names
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

Schema = Mapping[str, Any]
_WORD: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_WORD_TEXT: Final = (
    "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric "
    "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  "
    "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def check(schema: Schema, value: Any, path: str = "") -> Iterator[FieldCause]:
    """Return what is wrong with the objects inside of a value."""
    if isinstance(value, dict):
        if schema.get("x-kubernetes-embedded-resource"):
            yield from _check_one(value, path)
        properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, item in value.items():
            if key in properties:
                yield from check(properties[key], item, _join(path, key))
            elif isinstance(extra, Mapping):
                yield from check(extra, item, f"{path}[{key}]")
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for index, item in enumerate(value):
            yield from check(schema["items"], item, f"{path}[{index}]")


def _check_one(obj: Mapping[str, Any], path: str) -> Iterator[FieldCause]:
    for name in ("apiVersion", "kind"):
        where = _join(path, name)
        if name not in obj:
            yield errors.required(where)
        elif not isinstance(obj[name], str):
            yield errors.invalid_value(where, _print(obj[name]), "must be a string")
        elif not obj[name]:
            yield errors.invalid_value(where, '""', "must not be empty")
    version, kind = obj.get("apiVersion"), obj.get("kind")
    if isinstance(version, str) and version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        yield errors.invalid_value(_join(path, "apiVersion"), _print(version), text)
    if isinstance(kind, str) and kind and (len(kind) > 63 or not _WORD.fullmatch(kind.lower())):
        yield errors.invalid_value(_join(path, "kind"), _print(kind), _WORD_TEXT)
    if isinstance(obj.get("metadata"), Mapping):
        yield from _check_metadata(obj["metadata"], _join(path, "metadata"))


def _check_metadata(metadata: Mapping[str, Any], path: str) -> Iterator[FieldCause]:
    name = metadata.get("name")
    told: list[tuple[str, str, list[str]]] = []
    if isinstance(name, str) and name:
        told.append(("name", name, names.path_segment(name)))
    for key, value in (metadata.get("labels") or {}).items():
        told.append(("labels", key, names.qualified(key)))
        told.append(("labels", str(value), names.label_value(str(value))))
    told += [("annotations", key, names.qualified(key.lower())) for key in metadata.get("annotations") or {}]
    for field, value, complaints in told:
        for complaint in complaints:
            yield errors.invalid_value(f"{path}.{field}", _print(value), complaint)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()
