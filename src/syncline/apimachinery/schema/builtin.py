"""Answers what the fields of a built-in kind are, for every Kubernetes minor kept.

Asked by structured merge, strategic merge, validation and the sandbox; the definitions come from
`syncline.apimachinery.schema.definitions`, names and scope from `syncline.apimachinery.schema.resources`.
A list without a list type takes it from its patch strategy, and RawExtension is atomic: neither is written in
the published schemas, both are what the API server does.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.schema import definitions, resources
from syncline.apimachinery.schema.node import ANY, UNSET, ListType, Node

kinds = resources.kinds
removed = resources.removed


def for_kind(gvk: GroupVersionKind, version: str | None = None) -> Node | None:
    """Return the schema of a built-in kind in a Kubernetes minor (default: the newest), None when unknown."""
    known = definitions.of_version(version)
    name = known.names_by_kind.get(gvk)
    return _nodes(known).finished(name) if name else None


_EMBEDDED = {
    "EphemeralContainerCommon": "EphemeralContainer",
    "PersistentVolumeSource": "PersistentVolumeSpec",
    "ProbeHandler": "Probe",
    "VolumeSource": "Volume",
}
"""Core types that others embed: the schemas know their fields only as fields of those."""
_NEVER_STORED = frozenset(
    (
        "AvoidPods",
        "List",
        "NodeProxyOptions",
        "PodAttachOptions",
        "PodExecOptions",
        "PodLogOptions",
        "PodPortForwardOptions",
        "PodProxyOptions",
        "PodSignature",
        "Preconditions",
        "PreferAvoidPodsEntry",
        "RangeAllocation",
        "SerializedReference",
        "ServiceProxyOptions",
    )
)
"""Core types that no stored object has a field of, and that therefore have no schema."""
DURATION = Node(type="string", format="duration")
"""The type `meta/v1/Duration`: a text such as `1m30s`."""
_LIMITS = ("ResourceRequirements", "limits")


def for_type(name: str, version: str | None = None) -> Node | None:
    """Return the schema of a Go type such as `core/v1/PodSpec` or `core/Quantity`; None when there is none."""
    known = definitions.of_version(version)
    if name == "core/Quantity":
        return _nodes(known).finished(definitions.QUANTITY)
    if name == "meta/v1/Duration":
        return DURATION
    group, _, kind = name.rpartition("/")
    if group == "core/v1" and kind in _NEVER_STORED:
        return ANY
    if group == "core/v1" and kind == "ResourceList":
        holder, field = _LIMITS
        return _nodes(known).finished(f"{definitions.CORE_V1}.{holder}").fields[field]
    kind = _EMBEDDED.get(kind, kind) if group == "core/v1" else kind
    root = definitions.META_V1 if group == "meta/v1" else f"io.k8s.api.{group.replace('/', '.')}"
    return _nodes(known).finished(f"{root}.{kind}") if known.has(f"{root}.{kind}") else None


def types() -> tuple[str, ...]:
    """Return the names of core types that `for_type` knows, sorted."""
    known = definitions.of_version()
    stored = {name.removeprefix(f"{definitions.CORE_V1}.") for name in known.names(f"{definitions.CORE_V1}.")}
    of_core = {*stored, *_EMBEDDED, *_NEVER_STORED, "ResourceList"}
    return ("core/Quantity", *sorted(f"core/v1/{kind}" for kind in of_core), "meta/v1/Duration")


def object_meta(version: str | None = None) -> Node:
    """Return the schema of `metadata`."""
    return _nodes(definitions.of_version(version)).finished(definitions.OBJECT_META)


@functools.cache
def _nodes(known: definitions.Definitions) -> _Nodes:
    return _Nodes(known)


class _Nodes:
    """The nodes of one Kubernetes minor, made as they are asked for and shared."""

    def __init__(self, known: definitions.Definitions) -> None:
        from threading import Lock

        self._known = known
        self._lock = Lock()
        self._finished: dict[str, Node] = {}
        self._by_name: dict[str, Node] = {
            definitions.QUANTITY: Node(type="string", format="quantity"),
            definitions.INT_OR_STRING: Node(format="int-or-string", int_or_string=True),
            definitions.RAW_EXTENSION: Node(map_type="atomic", preserve_unknown=True, elements=ANY),
        }

    def finished(self, name: str) -> Node:
        """Return a whole node; while one thread makes it, others wait, for it is known by name half made."""
        found = self._finished.get(name)
        if found is None:
            with self._lock:
                found = self._finished[name] = self._of_definition(name)
        return found

    def _of_definition(self, name: str) -> Node:
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = Node()
            self._fill(found, self._known.body(name))
        return found

    def _of_schema(self, schema: Mapping[str, Any]) -> Node:
        name = schema.get("$ref")
        if name is None:
            node = Node()
            self._fill(node, schema)
            return node
        node = self._of_definition(name)
        return node if len(schema) == 1 else _overridden(node, schema)

    def _fill(self, node: Node, schema: Mapping[str, Any]) -> None:
        """Write a schema into its node, which is known by name already, for schemas that hold themselves."""
        node.type = schema.get("type", "")
        node.format = schema.get("format", "")
        node.default = schema.get("default", UNSET)
        node.omit_zero = schema.get("x-omit-zero", False)
        node.required = tuple(schema.get("required", ()))
        node.source = schema
        _read_merge_words(node, schema)
        fields: dict[str, Node] = {}
        node.fields = fields
        elements = schema.get("items") or schema.get("additionalProperties")
        if elements:
            node.elements = self._of_schema(elements)
        for name, member in schema.get("properties", {}).items():
            fields[name] = self._of_schema(member)
        if not node.type or (node.type == "object" and not fields and node.elements is None):
            node.preserve_unknown = True
            node.elements = ANY


def _read_merge_words(node: Node, schema: Mapping[str, Any]) -> None:
    node.map_type = schema.get("x-kubernetes-map-type", node.map_type)
    node.merge_key = schema.get("x-kubernetes-patch-merge-key", node.merge_key)
    strategy = schema.get("x-kubernetes-patch-strategy")
    if strategy:
        node.patch_strategies = tuple(strategy.split(","))
    if schema.get("type") == "array":
        node.list_type = _list_type(node, schema)
        if node.list_type == "map":
            node.list_keys = tuple(schema.get("x-kubernetes-list-map-keys", (node.merge_key,)))


def _list_type(node: Node, schema: Mapping[str, Any]) -> ListType:
    declared: ListType | None = schema.get("x-kubernetes-list-type")
    if declared is not None:
        return declared
    if "merge" in node.patch_strategies:
        return "map" if node.merge_key else "set"
    return "atomic"


def _overridden(node: Node, schema: Mapping[str, Any]) -> Node:
    """Return a referenced node as one property changes it (patch strategy, map type, default)."""
    changed = Node(
        type=node.type,
        format=node.format,
        elements=node.elements,
        map_type=node.map_type,
        default=schema.get("default", node.default),
        int_or_string=node.int_or_string,
        preserve_unknown=node.preserve_unknown,
        required=node.required,
        source=schema,
    )
    # Set afterwards, not passed: an empty mapping still being filled must stay the same one.
    changed.fields = node.fields
    _read_merge_words(changed, schema)
    return changed
