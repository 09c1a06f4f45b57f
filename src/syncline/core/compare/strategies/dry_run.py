"""Reads the server's answer to a dry run: what of it is our doing.

Called by `syncline.core.compare.sides` with a predicted object that somebody fetched. Unless mutating webhooks are to
be included, every field that our manager does not own in the answer takes the value of live; keys of items and the
way to owned fields stay. What is gone in the answer is our doing only where we owned it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from syncline.apimachinery import equality, merge, meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import removing, values
from syncline.apimachinery.merge.fieldset import FieldSet, Tree, children
from syncline.apimachinery.schema.node import Node


def ours(predicted: Object, base: Object, manager: str, node: Node) -> Object:
    """Return the answer without what others did; as it is where it does not say who owns what."""
    owned = owned_by(predicted, (manager,))
    if not owned:
        return predicted
    before = owned_by(base, (manager,))
    try:
        merged = _merged(base, predicted, owned.tree, before.tree, node)
    except (values.KeyProblem, merge.SchemaError):
        return predicted
    return merged if isinstance(merged, dict) else predicted


def owned_by(obj: Object, managers: tuple[str, ...] | frozenset[str]) -> FieldSet:
    """Return the fields that any of some managers owns; entries of subresources do not count."""
    found = FieldSet()
    for entry in meta.managed_fields(obj):
        if entry.get("manager") in managers and not entry.get("subresource"):
            try:
                found = found.union(FieldSet.from_fields_v1(entry.get("fieldsV1")))
            except merge.InvalidPathElement:
                continue
    return found


def _merged(live: Any, predicted: Any, owned: Tree | None, before: Tree | None, node: Node) -> Any:
    """Return predicted where it is owned, live elsewhere; `before` is what we owned live. None: nothing is owned."""
    if (owned is None and before is None) or equality.equal(live, predicted):
        return live
    if isinstance(live, dict) and isinstance(predicted, dict) and node.map_type != "atomic":
        both = _Both(
            {f"f:{name}": value for name, value in live.items()},
            {f"f:{name}": value for name, value in predicted.items()},
        )
        parts = both.merged(owned or {}, before or {}, lambda name: values.member_node(node, name[2:]))
        return {name[2:]: value for name, value in parts.items()}
    if isinstance(live, list) and isinstance(predicted, list) and node.list_type != "atomic":
        both = _Both(
            dict(zip(values.item_keys(node, live), live, strict=True)),
            dict(zip(values.item_keys(node, predicted), predicted, strict=True)),
        )
        element = values.item_node(node)
        return list(both.merged(owned or {}, before or {}, lambda _name: element).values())
    return live if owned is None else predicted


class _Both(NamedTuple):
    """The members of two maps, or the items of two lists, by the words managedFields have for them."""

    live: dict[str, Any]
    predicted: dict[str, Any]

    def merged(self, owned: Tree, before: Tree, node_of: Callable[[str], Node]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, value in self.predicted.items():
            if name in self.live:
                out[name] = _merged(self.live[name], value, owned.get(name), before.get(name), node_of(name))
            elif name in owned:
                out[name] = _owned_part(value, owned[name], node_of(name))
        kept = (name for name in self.live if name not in self.predicted and name not in before)
        return out | {name: self.live[name] for name in kept}


def _owned_part(value: Any, owned: Tree, node: Node) -> Any:
    """Return what is ours of a value that is new in the answer."""
    below = children(owned)
    return removing.extract(value, FieldSet(below), node) if below and isinstance(value, dict) else value
