"""Writes the JSON Schema that a validator compiles, for built-in kinds and for custom ones.

Called by `syncline.apimachinery.schema.validate` once per kind. It says what the API server accepts, not only what
OpenAPI says: null stands for absent in optional fields, an optional enum may be empty text, integers have the
bounds of their Go type, quantities are texts or numbers, and strict schemas know all their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.schema import definitions
from syncline.apimachinery.schema.node import Node

Schema = dict[str, Any]

_BOUNDS = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_QUANTITY = r"^[+-]?(\d+|\d+\.\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$"
_BASE64 = r"^[A-Za-z0-9+/\r\n]*[=\r\n]*$"
_SPECIAL: Mapping[str, Schema] = {
    definitions.QUANTITY: {"type": ["string", "number", "null"], "pattern": _QUANTITY, "format": "quantity"},
    definitions.INT_OR_STRING: {"type": ["integer", "string", "null"]},
    definitions.RAW_EXTENSION: {},
}
_COPIED = (
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "required",
    "uniqueItems",
)


def for_builtin(gvk: GroupVersionKind, *, version: str | None, strict: bool) -> Schema | None:
    """Return the schema of a built-in kind, None when the Kubernetes minor has no such kind."""
    name = definitions.of_version(version).names_by_kind.get(gvk)
    if name is None:
        return None
    writer = _Writer(definitions.of_version(version), strict=strict)
    return writer.finished({"$ref": f"#/$defs/{name}"}, name)


def for_custom(node: Node, *, strict: bool) -> Schema:
    """Return the schema of a custom kind or of a part of one, from the node of its CRD's schema."""
    writer = _Writer(definitions.of_version(None), strict=strict)
    root = writer.schema(node.source, optional=False)
    if node.embedded:
        writer.add_object_fields(root)
    return writer.finished(root, definitions.OBJECT_META)


class _Writer:
    """Translates schemas, and gathers the definitions they refer to."""

    def __init__(self, known: definitions.Definitions, *, strict: bool) -> None:
        self._known = known
        self._strict = strict

    def finished(self, root: Schema, *names: str) -> Schema:
        """Return the root with every definition it reaches."""
        found: dict[str, Schema] = {}
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = dict(_SPECIAL.get(name) or self.schema(self._known.body(name), optional=True))
                waiting.extend(_references(found[name]))
        return {**root, "$defs": found}

    def schema(self, source: Mapping[str, Any], *, optional: bool) -> Schema:
        """Return a schema; an optional one lets null stand for absent."""
        if "$ref" in source:
            return {"$ref": f"#/$defs/{source['$ref']}"}
        written: Schema = {word: source[word] for word in _COPIED if word in source}
        nullable = optional or bool(source.get("nullable"))
        self._write_type(written, source, nullable=nullable)
        if "enum" in source:
            written["enum"] = [*source["enum"], *([None, ""] if nullable else [])]
        if "items" in source:
            written["items"] = self.schema(source["items"], optional=True)
        self._write_properties(written, source)
        for word in ("allOf", "anyOf", "oneOf"):
            if word in source:
                written[word] = [self._constraint(part) for part in source[word]]
        if "not" in source:
            written["not"] = self._constraint(source["not"])
        return written

    def add_object_fields(self, written: Schema) -> None:
        """Write in the fields every object has."""
        written["properties"] = {
            **written.get("properties", {}),
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"$ref": f"#/$defs/{definitions.OBJECT_META}"},
        }

    def _constraint(self, source: Mapping[str, Any]) -> Schema:
        """Return a schema that only narrows another one, and so knows no fields of its own."""
        return _Writer(self._known, strict=False).schema(source, optional=False)

    def _write_type(self, written: Schema, source: Mapping[str, Any], *, nullable: bool) -> None:
        null = ["null"] if nullable else []
        if source.get("x-kubernetes-int-or-string"):
            written["type"] = ["integer", "string", *null]
        elif "type" in source:
            written["type"] = [source["type"], *null] if null else source["type"]
        if source.get("format") in _BOUNDS:
            low, high = _BOUNDS[written.pop("format")]
            written["minimum"] = max(low, written.get("minimum", low))
            written["maximum"] = min(high, written.get("maximum", high))
        if source.get("format") == "byte":
            written.setdefault("pattern", _BASE64)
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(written.get(exclusive), bool) and written.pop(exclusive):
                written[exclusive] = written.pop(bound)

    def _write_properties(self, written: Schema, source: Mapping[str, Any]) -> None:
        properties = source.get("properties") or {}
        required = source.get("required") or ()
        if properties:
            written["properties"] = {
                name: self.schema(member, optional=name not in required) for name, member in properties.items()
            }
        if source.get("x-kubernetes-embedded-resource"):
            self.add_object_fields(written)
        values = source.get("additionalProperties")
        if isinstance(values, Mapping):
            written["additionalProperties"] = self.schema(values, optional=True)
        elif properties and self._strict and not values and not source.get("x-kubernetes-preserve-unknown-fields"):
            written["additionalProperties"] = False


def _references(schema: Any) -> list[str]:
    """Return the names of the definitions a schema refers to."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            return [schema["$ref"].removeprefix("#/$defs/")]
        return [name for value in schema.values() for name in _references(value)]
    if isinstance(schema, list):
        return [name for value in schema for name in _references(value)]
    return []
