"""The defaults in a schema of a CustomResourceDefinition: each must be what the schema around it allows.

Asked by `syncline.sandbox.kinds.schemas` once the schema is structural.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.schema import crd, prune
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.served import embedded_objects, structural

Schema = Mapping[str, Any]
_META: Final = ("apiVersion", "kind", "metadata")


def check(schema: Schema, field: str) -> list[FieldCause]:
    """Return what is wrong with the defaults of a whole schema."""
    return list(_below(schema, field, root=True))


def _below(schema: Schema, field: str, *, root: bool = False, inside_metadata: bool = False) -> Iterator[FieldCause]:
    embedded = root or bool(schema.get("x-kubernetes-embedded-resource"))
    inside_metadata = inside_metadata and not embedded
    if schema.get("default") is not None:
        yield from _check_one(schema, f"{field}.default", prunable=not inside_metadata)
    if isinstance(schema.get("items"), Mapping):
        yield from _below(schema["items"], f"{field}.items", inside_metadata=inside_metadata)
    for name, member in (schema.get("properties") or {}).items():
        inner = inside_metadata or (embedded and name in _META)
        yield from _below(member, f"{field}.properties[{name}]", inside_metadata=inner)


def _check_one(schema: Schema, field: str, *, prunable: bool) -> Iterator[FieldCause]:
    value, node = schema["default"], crd.node_from_openapi(schema)
    if prunable and prune.prune(value, node) != value:
        yield errors.invalid_value(field, _print(value), "must not have unknown fields")
    causes = list(embedded_objects.check(schema, value, field))
    causes = causes or structural.under(field, structural.validate(schema, value))
    yield from causes or _broken_rules(value, node, field)


def _broken_rules(value: Any, node: Node, field: str) -> Iterator[FieldCause]:
    from syncline.apimachinery.schema import cel

    for found in cel.check(value, node, value).violations:
        where = f"{field}.{found.path}" if found.path and found.path != "<nil>" else field
        yield FieldCause(where, f"FieldValue{found.message.split(' ', 1)[0].rstrip(':')}", found.message)


def _print(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
