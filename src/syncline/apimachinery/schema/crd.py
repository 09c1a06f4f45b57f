"""Makes nodes from the `openAPIV3Schema` of CustomResourceDefinitions.

Handed a CRD, from a file or from the cluster, by whoever reads custom objects; the nodes go the same way as
those of built-in kinds. `metadata` is always ObjectMeta, whatever the CRD says of it: the API server ignores
all but the constraints on the name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import ANY, UNSET, Node

_KEPT = 128
_STRING = Node(type="string")
_roots: OrderedDict[tuple[bytes, bool], Node] = OrderedDict()
"""Nodes by the content of their schema, so it does not matter who asks."""


def schema_for(crd: Mapping[str, Any], version: str) -> Node | None:
    """Return the schema of one version of a custom kind, None when the CRD has no schema for it.

    One from a file may have anything anywhere: what is not a map where one belongs declares nothing, and a schema that
    is none is none. That it is refused, whoever validates the definition itself tells.
    """
    spec = _map(crd.get("spec"))
    versions = spec.get("versions")
    for declared in versions if isinstance(versions, list) else ():
        if _map(declared).get("name") == version:
            schema = _map(declared.get("schema")).get("openAPIV3Schema")
            if not isinstance(schema, Mapping):
                return None
            try:
                return _known(schema, keep_unknown=bool(spec.get("preserveUnknownFields")))
            except (AttributeError, TypeError, ValueError):
                return None
    return None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _known(schema: Mapping[str, Any], *, keep_unknown: bool) -> Node:
    """Return the node of a whole schema; equal schemas, such as of a CRD that was only relabelled, share one."""
    import hashlib

    import orjson

    key = (hashlib.sha256(orjson.dumps(schema)).digest(), keep_unknown)
    node = _roots.get(key)
    if node is None:
        node = _roots[key] = _root(schema, keep_unknown=keep_unknown)
        if len(_roots) > _KEPT:
            _roots.popitem(last=False)
    return node


def node_from_openapi(schema: Mapping[str, Any]) -> Node:
    """Return the node of a structural schema or of a part of one."""
    fields = {name: node_from_openapi(member) for name, member in (schema.get("properties") or {}).items()}
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    if embedded:
        fields = {**fields, **_object_fields()}
    int_or_string = bool(schema.get("x-kubernetes-int-or-string"))
    keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
    return Node(
        type=schema.get("type") or ("object" if fields else ""),
        format="int-or-string" if int_or_string else schema.get("format") or "",
        fields=fields,
        elements=_elements(schema),
        list_type=schema.get("x-kubernetes-list-type") or "atomic",
        list_keys=keys,
        map_type=schema.get("x-kubernetes-map-type") or "granular",
        default=schema.get("default", UNSET),
        int_or_string=int_or_string,
        preserve_unknown=bool(schema.get("x-kubernetes-preserve-unknown-fields")),
        embedded=embedded,
        nullable=bool(schema.get("nullable")),
        required=tuple(schema.get("required") or ()),
        source=schema,
    )


def _elements(schema: Mapping[str, Any]) -> Node | None:
    items = schema.get("items")
    if items is not None:
        return node_from_openapi(items)
    values = schema.get("additionalProperties")
    if isinstance(values, Mapping):
        return node_from_openapi(values)
    return ANY if values or schema.get("x-kubernetes-preserve-unknown-fields") else None


def _object_fields() -> dict[str, Node]:
    return {"apiVersion": _STRING, "kind": _STRING, "metadata": builtin.object_meta()}


def _root(schema: Mapping[str, Any], *, keep_unknown: bool) -> Node:
    node = node_from_openapi(schema)
    return Node(
        type="object",
        fields={**node.fields, **_object_fields()},
        elements=ANY if keep_unknown else node.elements,
        map_type=node.map_type,
        preserve_unknown=keep_unknown or node.preserve_unknown,
        embedded=True,
        required=node.required,
        source=schema,
    )
