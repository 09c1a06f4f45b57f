"""What one schema of a CustomResourceDefinition says of itself: its type, and the kind of its list, map or resource.

Asked by `syncline.sandbox.kinds.schemas` for every schema within a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks
from syncline.sandbox.kinds.rules import go_value

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_LISTS: Final = ("atomic", "map", "set")
_MAPS: Final = ("atomic", "granular")
Schema = Mapping[str, Any]


def check(schema: Schema, field: str) -> list[FieldCause]:
    """Return what is wrong with one schema, whatever is below it."""
    causes = checks.one_of(f"{field}.type", schema.get("type") or None, _TYPES)
    causes += checks.one_of(f"{field}.x-kubernetes-map-type", schema.get("x-kubernetes-map-type"), _MAPS)
    causes += _check_list(schema, field)
    if schema.get("x-kubernetes-embedded-resource"):
        causes += _check_embedded(schema, field)
    return causes


def _check_list(schema: Schema, field: str) -> list[FieldCause]:
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or []
    where = f"{field}.x-kubernetes-list-map-keys"
    causes = checks.one_of(f"{field}.x-kubernetes-list-type", kind, _LISTS)
    if keys and kind != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        causes.append(errors.required(f"{field}.x-kubernetes-list-type", text))
    if kind != "map":
        return causes
    if not keys:
        text = "must not be empty if x-kubernetes-list-type is map"
        return [*causes, errors.required(where, text)]
    items = schema.get("items")
    members = (items.get("properties") or {}) if isinstance(items, Mapping) else {}
    needed = (items.get("required") or ()) if isinstance(items, Mapping) else ()
    if any(key not in members for key in keys):
        text = "entries must all be names of item properties"
        return [*causes, errors.invalid_value(where, go_value(keys), text)]
    text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
    return causes + [
        errors.required(f"{field}.items.properties[{key}].default", text)
        for key in keys
        if key not in needed and (members[key] or {}).get("default") is None
    ]


def _check_embedded(schema: Schema, field: str) -> list[FieldCause]:
    if schema.get("type") != "object":
        text = "must be object if x-kubernetes-embedded-resource is true"
        return [errors.required(f"{field}.type", text)]
    if not schema.get("properties") and not schema.get("x-kubernetes-preserve-unknown-fields"):
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        return [errors.required(f"{field}.properties", text)]
    return []
