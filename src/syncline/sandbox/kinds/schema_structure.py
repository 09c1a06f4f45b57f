"""Whether the schema of a CustomResourceDefinition is structural: every field has its type outside of logical words.

Asked by `syncline.sandbox.kinds.schemas`; says the same as the API server's ValidateStructural, in its order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.cel import regexes
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

Schema = Mapping[str, Any]
_ROOT: Final = "must not be empty at the root"
_ITEM: Final = "must not be empty for specified array items"
_FIELD: Final = "must not be empty for specified object fields"
_EITHER: Final = [{"type": "integer"}, {"type": "string"}]
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_UNKNOWN: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_FORBIDDEN: Final = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (_UNKNOWN, "must be false to be structural"),
    (_EMBEDDED, "must be false to be structural"),
    (_INT_OR_STRING, "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
"""What may not stand below allOf, anyOf, oneOf and not."""


def check(schema: Schema, field: str) -> list[FieldCause]:
    """Return what keeps a whole schema from being structural."""
    causes = [*_invariants(schema, field, _ROOT), *_complete(schema, schema, field, field)]
    return sorted(causes, key=lambda cause: cause.text())


def _invariants(schema: Schema, field: str, untyped: str) -> Iterator[FieldCause]:
    """Return what is wrong with one schema and those below it; `untyped` tells a missing type."""
    items = schema.get("items")
    if schema.get("type") == "array" and not isinstance(items, Mapping):
        yield errors.required(f"{field}.items", "must be specified")
    if isinstance(items, Mapping):
        yield from _invariants(items, f"{field}.items", _ITEM)
    for name, member in (schema.get("properties") or {}).items():
        yield from _invariants(member, f"{field}.properties[{name}]", _FIELD)
    extra = schema.get("additionalProperties")
    if extra is not None and untyped == _ROOT:
        yield errors.forbidden_field(f"{field}.additionalProperties", "must not be used at the root")
    if isinstance(extra, Mapping):
        yield from _invariants(extra, f"{field}.additionalProperties", _FIELD)
    yield from _extensions(schema, field)
    yield from _values(schema, field, structural=schema)
    yield from _typed(schema, field, untyped)
    yield from _metadata(schema, field, root=untyped == _ROOT)


def _extensions(schema: Schema, field: str) -> Iterator[FieldCause]:
    if schema.get(_INT_OR_STRING):
        for name in (_UNKNOWN, _EMBEDDED):
            if schema.get(name):
                yield errors.invalid_value(f"{field}.{name}", "true", f"must be false if {_INT_OR_STRING} is true")


def _typed(schema: Schema, field: str, untyped: str) -> Iterator[FieldCause]:
    kind, where = schema.get("type") or "", f"{field}.type"
    if schema.get(_EMBEDDED) and kind != "object":
        text = f"must be object if {_EMBEDDED} is true"
        yield errors.invalid_value(where, _print(kind), text) if kind else errors.required(where, text)
    elif not kind and not schema.get(_INT_OR_STRING) and not schema.get(_UNKNOWN):
        yield errors.required(where, untyped)
    if schema.get(_EMBEDDED) and schema.get("additionalProperties") is not None:
        yield errors.forbidden_field(f"{field}.additionalProperties", f"must not be used if {_EMBEDDED} is set")
    if untyped == _ROOT and kind and kind != "object":
        yield errors.invalid_value(where, _print(kind), "must be object at the root")
    if schema.get(_EMBEDDED) and not schema.get(_UNKNOWN) and not schema.get("properties"):
        text = f"must not be empty if {_EMBEDDED} is true without {_UNKNOWN}"
        yield errors.required(f"{field}.properties", text)


def _metadata(schema: Schema, field: str, *, root: bool) -> Iterator[FieldCause]:
    """Check the fields that every object has, of the whole or of an object inside."""
    if not root and not schema.get(_EMBEDDED):
        return
    properties = schema.get("properties") or {}
    for name in ("kind", "apiVersion"):
        kind = (properties.get(name) or {}).get("type") or ""
        if name in properties and kind != "string":
            yield errors.invalid_value(f"{field}.properties[{name}].type", _print(kind), "must be string")
    metadata = properties.get("metadata")
    if metadata is None:
        return
    where = f"{field}.properties[metadata]"
    if metadata.get("type") != "object":
        yield errors.invalid_value(f"{where}.type", _print(metadata.get("type") or ""), "must be object")
    told = {name for name, value in metadata.items() if value and name not in ("type", "default")}
    if set(metadata.get("properties") or ()) <= {"name", "generateName"}:
        told.discard("properties")
    if root and told:
        text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield errors.forbidden_field(where, text)


def _values(schema: Schema, field: str, structural: Schema | None = None) -> Iterator[FieldCause]:
    """Check the logical words; the two ways to write a number or a text are let through where the type stands."""
    every = schema.get("allOf") or ()
    if structural is None or schema.get("anyOf") != _EITHER:
        for index, part in enumerate(schema.get("anyOf") or ()):
            yield from _nested(part, f"{field}.anyOf[{index}]")
    for index, part in enumerate(every):
        excused = structural is not None and index == 0 and part.get("anyOf") == _EITHER
        shown = {key: value for key, value in part.items() if key != "anyOf"} if excused else part
        yield from _nested(shown, f"{field}.allOf[{index}]")
    for index, part in enumerate(schema.get("oneOf") or ()):
        yield from _nested(part, f"{field}.oneOf[{index}]")
    if schema.get("not") is not None:
        yield from _nested(schema["not"], f"{field}.not")
    problem = regexes.problem(schema["pattern"]) if schema.get("pattern") else ""
    if problem:
        text = f"must be a valid regular expression, but isn't: {problem}"
        yield errors.invalid_value(f"{field}.pattern", _print(schema["pattern"]), text)


def _nested(schema: Schema, field: str) -> Iterator[FieldCause]:
    yield from _values(schema, field)
    if isinstance(schema.get("items"), Mapping):
        yield from _nested(schema["items"], f"{field}.items")
    properties = schema.get("properties") or {}
    for name, member in properties.items():
        yield from _nested(member, f"{field}.properties[{name}]")
    for name, text in _FORBIDDEN:
        if schema.get(name) or (name in ("default", "additionalProperties") and schema.get(name) is not None):
            yield errors.forbidden_field(f"{field}.{name}", text)
    if "metadata" in properties:
        yield errors.forbidden_field(f"{field}.properties[metadata]", "must not be specified in a nested context")


def _complete(values: Schema, schema: Schema | None, field: str, where: str) -> Iterator[FieldCause]:
    """Check that what logical words speak of stands outside of them too."""
    parts = [("not", values["not"])] if values.get("not") is not None else []
    for word in ("allOf", "anyOf", "oneOf"):
        parts += [(f"{word}[{index}]", part) for index, part in enumerate(values.get(word) or ())]
    for name, part in parts:
        yield from _counterparts(part, schema, field, f"{where}.{name}")


def _counterparts(values: Schema, schema: Schema | None, field: str, where: str) -> Iterator[FieldCause]:
    if schema is None:
        yield errors.required(field, f"because it is defined in {where}")
        return
    yield from _complete(values, schema, field, where)
    if isinstance(values.get("items"), Mapping):
        items = schema.get("items")
        inner = items if isinstance(items, Mapping) else None
        yield from _counterparts(values["items"], inner, f"{field}.items", f"{where}.items")
    known = schema.get("properties") or {}
    for name, member in (values.get("properties") or {}).items():
        path = f"properties[{name}]"
        yield from _counterparts(member, known.get(name), f"{field}.{path}", f"{where}.{path}")


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()
