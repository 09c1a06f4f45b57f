"""Fills in the defaults a CRD's schema declares, and drops the nulls it does not allow.

Called with a decoded custom object and the node of `syncline.apimachinery.schema.crd`, after pruning. Nothing
is mutated, and an object that lacks nothing comes back as it is. A null in a field that is not nullable counts
as absent: it takes the default, or goes.
"""

from __future__ import annotations

from typing import Any, TypeVar

from syncline.apimachinery.schema.node import ANY, UNSET, Node

T = TypeVar("T")


def apply_schema_defaults(obj: T, node: Node) -> T:
    """Return the object with every declared default filled in."""
    filled: T = _filled(obj, node)
    return filled


def _filled(value: Any, node: Node) -> Any:
    if isinstance(value, dict):
        return _filled_map(value, node)
    if isinstance(value, list) and node.elements is not None:
        return _filled_list(value, node.elements)
    return value


def _filled_map(value: dict[str, Any], node: Node) -> dict[str, Any]:
    changed: dict[str, Any] | None = None
    for name, default in node.defaulted:
        if name not in value or (value[name] is None and not node.fields[name].nullable):
            changed = dict(value) if changed is None else changed
            changed[name] = default
    for name, member in (value if changed is None else dict(changed)).items():
        member_node = node.field(name)
        if member_node is None or member_node is ANY:
            continue
        if member is None and not member_node.nullable:
            changed = dict(value) if changed is None else changed
            _replace_null(changed, name, node)
        elif isinstance(member, dict | list):
            new = _filled(member, member_node)
            if new is not member:
                changed = dict(value) if changed is None else changed
                changed[name] = new
    return value if changed is None else changed


def _replace_null(target: dict[str, Any], name: str, node: Node) -> None:
    """Replace a forbidden null: a map's value takes the default of the values, if any; all others go."""
    if name in node.fields or node.elements is None or node.elements.default is UNSET:
        del target[name]
    else:
        target[name] = _filled(node.elements.default, node.elements)


def _filled_list(items: list[Any], node: Node) -> list[Any]:
    def replaced(item: Any) -> Any:
        if item is None and not node.nullable and node.default is not UNSET:
            item = node.default
        return _filled(item, node)

    new = [replaced(item) for item in items]
    return items if all(after is before for after, before in zip(new, items, strict=True)) else new
