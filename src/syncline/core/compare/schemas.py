"""Schemas of custom kinds, read once for each version of their definition.

The caller keeps one `SchemaCache` and asks it with the definitions a snapshot has; the answer goes into
`syncline.core.compare.context.Context` (`node_for` and `schemas`). Reading a big definition takes milliseconds, so it
must not happen for every comparison.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object
from syncline.apimachinery.schema import builtin, crd
from syncline.apimachinery.schema.node import ANY, Node
from syncline.core import defined_kinds
from syncline.core.compare.context import NodeFor

_Identity = tuple[str, str, str]
_KEPT = 1024


class Schemas(NamedTuple):
    """A look-up of schemas and a text that differs when any of them does."""

    node_for: NodeFor
    digest: str


class SchemaCache:
    """Nodes by definition and version of the kind; those not used for longest are forgotten."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._nodes: OrderedDict[tuple[_Identity, str], Node | None] = OrderedDict()

    def of(self, definitions: Iterable[Object], cluster: str = "") -> Schemas:
        """Return the schemas of some definitions; kinds without one are built in, or anything goes.

        `cluster` is the address of the cluster that the definitions were read from; files have none.
        """
        known: dict[GroupKind, tuple[_Identity, Object]] = {}
        for definition in definitions:
            kind = defined_kinds.defined_kind(definition)
            if kind is not None:
                known[kind] = (_identity(definition, cluster), definition)

        def node_for(gvk: GroupVersionKind) -> Node:
            found = known.get(gvk.group_kind)
            custom = self._node(*found, gvk.version) if found else None
            return custom or builtin.for_kind(gvk) or ANY

        text = orjson.dumps(sorted((str(kind), *identity) for kind, (identity, _) in known.items()))
        return Schemas(node_for, hashlib.sha256(text).hexdigest()[:32])

    def _node(self, identity: _Identity, definition: Object, version: str) -> Node | None:
        key = identity, version
        if key in self._nodes:
            self._nodes.move_to_end(key)
            return self._nodes[key]
        node = self._nodes[key] = crd.schema_for(definition, version)
        if len(self._nodes) > self._kept:
            self._nodes.popitem(last=False)
        return node


def _identity(definition: Object, cluster: str) -> _Identity:
    """Return cluster, uid and resourceVersion; definitions from files are known by content, whatever they say."""
    metadata = meta.metadata(definition)
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if cluster and uid and version:
        return cluster, str(uid), str(version)
    return "", "", hashlib.sha256(orjson.dumps(definition, option=orjson.OPT_SORT_KEYS)).hexdigest()
