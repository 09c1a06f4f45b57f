"""What one schema of a CustomResourceDefinition says of itself: its words, its type, and the kind of its list or map.

Asked by `syncline.sandbox.kinds.schemas` for every schema within a schema; the same as the API server's
ValidateCustomResourceDefinitionOpenAPISchema, but for CEL rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import go_value

Schema = Mapping[str, Any]
_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_LISTS: Final = ("atomic", "set", "map")
_MAPS: Final = ("atomic", "granular")
_META: Final = ("apiVersion", "kind", "metadata")
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_LIST_TYPE: Final = "x-kubernetes-list-type"
_LIST_KEYS: Final = "x-kubernetes-list-map-keys"
_MAP_TYPE: Final = "x-kubernetes-map-type"
_UNSUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")


class Around:
    """What a schema may not have because of where it stands."""

    __slots__ = ("in_metadata", "no_defaults")

    def __init__(self, no_defaults: str = "", *, in_metadata: bool = False) -> None:
        self.no_defaults = no_defaults
        """Why defaults are forbidden; empty where they are not."""
        self.in_metadata = in_metadata


def check(schema: Schema, field: str) -> list[FieldCause]:
    """Return what is wrong with a whole schema."""
    return list(_check(schema, field, Around(), root=True))


def has_foreign_words(schema: Schema) -> bool:
    """Tell whether a schema has words that keep it from being looked at any closer."""
    return any(
        isinstance(part.get("items"), list) or any(part.get(word) for word in _UNSUPPORTED) for part in every(schema)
    )


def every(schema: Schema) -> Iterator[Schema]:
    """Return a schema and all those inside of it."""
    yield schema
    inner = [schema.get(word) for word in ("items", "additionalProperties", "not")]
    inner += [part for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word) or ()]
    for part in (*inner, *(schema.get("properties") or {}).values()):
        if isinstance(part, Mapping):
            yield from every(part)


def _check(schema: Schema, field: str, around: Around, *, root: bool = False) -> Iterator[FieldCause]:
    yield from _words(schema, field, around)
    yield from _members(schema, field, around, root=root)
    for word in ("not", "allOf", "oneOf", "anyOf"):
        parts = schema.get(word)
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            yield from _check(part, f"{field}.{word}[{index}]", around)
        if isinstance(parts, Mapping):
            yield from _check(parts, f"{field}.{word}", around)
    if isinstance(schema.get("items"), Mapping):
        yield from _check(schema["items"], f"{field}.items", around)
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        text = "must be true or undefined"
        yield errors.invalid_value(f"{field}.x-kubernetes-preserve-unknown-fields", "false", text)
    yield from _map_type(schema, field)
    yield from _list_type(schema, field)
    yield from _map_keys(schema, field)


def _words(schema: Schema, field: str, around: Around) -> Iterator[FieldCause]:
    kind = schema.get("type")
    if kind and kind not in _TYPES:
        yield errors.not_supported(f"{field}.type", str(kind), _TYPES)
    if schema.get("default") is not None and around.no_defaults:
        yield errors.forbidden_field(f"{field}.default", f"must not be set {around.no_defaults}")
    for word in _UNSUPPORTED:
        if schema.get(word):
            yield errors.forbidden_field(f"{field}.{word}", f"{word} is not supported")
    if kind == "null":
        text = "type cannot be set to null, use nullable as an alternative"
        yield errors.forbidden_field(f"{field}.type", text)
    if isinstance(schema.get("items"), list):
        yield errors.forbidden_field(f"{field}.items", "items must be a schema object and not an array")
    if around.in_metadata and schema.get(_EMBEDDED):
        yield errors.forbidden_field(f"{field}.{_EMBEDDED}", "must not be used inside of resource meta")
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield errors.forbidden_field(f"{field}.uniqueItems", text)


def _members(schema: Schema, field: str, around: Around, *, root: bool) -> Iterator[FieldCause]:
    extra, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if extra is not None:
        where = f"{field}.additionalProperties"
        if properties and extra is not True:
            yield errors.forbidden_field(where, "additionalProperties and properties are mutual exclusive")
        told = "inside additionalProperties applying to object metadata" if around.in_metadata else around.no_defaults
        if isinstance(extra, Mapping):
            yield from _check(extra, where, Around(told, in_metadata=around.in_metadata))
    for name, member in properties.items():
        inner = around
        if name in _META and (root or schema.get(_EMBEDDED)):
            inner = Around(f"in top-level {name}" if root else around.no_defaults, in_metadata=True)
        yield from _check(member, f"{field}.properties[{name}]", inner)


def _typed(schema: Schema, field: str, wanted: str, word: str) -> Iterator[FieldCause]:
    kind = schema.get("type")
    if schema.get(word) is not None and kind != wanted:
        text, where = f"must be {wanted} if {word} is specified", f"{field}.type"
        yield errors.invalid_value(where, _print(kind), text) if kind else errors.required(where, text)


def _map_type(schema: Schema, field: str) -> Iterator[FieldCause]:
    kind = schema.get(_MAP_TYPE)
    yield from _typed(schema, field, "object", _MAP_TYPE)
    if kind is not None and kind not in _MAPS:
        yield errors.not_supported(f"{field}.{_MAP_TYPE}", str(kind), _MAPS)


def _list_type(schema: Schema, field: str) -> Iterator[FieldCause]:
    kind, keys, items = schema.get(_LIST_TYPE), schema.get(_LIST_KEYS) or [], schema.get("items")
    yield from _typed(schema, field, "array", _LIST_TYPE)
    if kind == "set" and schema.get("type") == "array" and isinstance(items, Mapping):
        text = f"must be atomic as item of a list with {_LIST_TYPE}=set"
        inner = items.get(_LIST_TYPE)
        if items.get("type") == "array" and inner not in (None, "atomic"):
            yield errors.invalid_value(f"{field}.items.{_LIST_TYPE}", _print(inner), text)
        if items.get("type") == "object" and items.get(_MAP_TYPE) != "atomic":
            # The API server quotes the type of the list here, too.
            yield errors.invalid_value(f"{field}.items.{_MAP_TYPE}", _print(inner), text)
    if kind is not None and kind not in _LISTS:
        yield errors.not_supported(f"{field}.{_LIST_TYPE}", str(kind), _LISTS)
    if keys and kind != "map":
        text, where = f"must be map if {_LIST_KEYS} is non-empty", f"{field}.{_LIST_TYPE}"
        yield errors.required(where, text) if kind is None else errors.invalid_value(where, _print(kind), text)


def _map_keys(schema: Schema, field: str) -> Iterator[FieldCause]:
    kind, keys, items = schema.get(_LIST_TYPE), schema.get(_LIST_KEYS) or [], schema.get("items")
    where = f"{field}.{_LIST_KEYS}"
    if kind == "map":
        if not keys:
            yield errors.required(where, f"must not be empty if {_LIST_TYPE} is map")
        if items is None:
            yield errors.required(f"{field}.items", f"must have a schema if {_LIST_TYPE} is map")
        elif isinstance(items, Mapping) and items.get("type") != "object":
            text = f"must be object if parent array's {_LIST_TYPE} is map"
            yield errors.invalid_value(f"{field}.items.type", _print(items.get("type") or ""), text)
        elif isinstance(items, Mapping):
            yield from _key_fields(items, keys, field, where)
    if kind in ("map", "set") and isinstance(items, Mapping):
        if items.get("nullable"):
            yield errors.forbidden_field(f"{field}.items.nullable", f"cannot be nullable when {_LIST_TYPE} is {kind}")
        if kind == "map":
            yield from _key_values(items, keys, field)


def _key_fields(items: Schema, keys: list[str], field: str, where: str) -> Iterator[FieldCause]:
    members, seen = items.get("properties") or {}, set()
    for key in keys:
        if key not in members:
            yield errors.invalid_value(where, go_value(keys), "entries must all be names of item properties")
        elif members[key].get("type") in ("array", "object"):
            text = f"must be a scalar type if parent array's {_LIST_TYPE} is map"
            yield errors.invalid_value(f"{field}.items.properties[{key}].type", _print(items.get("type")), text)
        if key in seen:
            yield errors.invalid_value(where, go_value(keys), "must not contain duplicate entries")
        seen.add(key)


def _key_values(items: Schema, keys: list[str], field: str) -> Iterator[FieldCause]:
    members, needed = items.get("properties") or {}, items.get("required") or ()
    for key in (one for one in keys if one in members):
        where = f"{field}.items.properties[{key}]"
        if key not in needed and members[key].get("default") is None:
            text = f"this property is in {_LIST_KEYS}, so it must have a default or be a required property"
            yield errors.required(f"{where}.default", text)
        if members[key].get("nullable"):
            text = f"this property is in {_LIST_KEYS}, so it cannot be nullable"
            yield errors.forbidden_field(f"{where}.nullable", text)


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()
