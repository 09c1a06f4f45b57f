"""Whether lists of an object repeat the key that tells their items apart, so that one way of applying cannot work.

Asked by `syncline.core.sync.manner` and `syncline.core.compare.sides`. A list has two keys: one for server-side apply
(of a Service's ports: port and protocol), which refuses a repeated one, and one for strategic merge patches (the port
alone), with which the patch hits the wrong item.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import builtin, duplicates
from syncline.apimachinery.schema.node import Node


def refused_server_side(obj: Object) -> bool:
    """Whether server-side apply refuses an object of a built-in kind: a variable that is named twice."""
    node = builtin.for_kind(gvk_of(obj))
    return node is not None and any(True for _ in duplicates.find(obj, node))


def ambiguous_in_patches(obj: Object) -> bool:
    """Whether a strategic merge patch cannot tell items of a list apart: port 53 of UDP and of TCP."""
    node = builtin.for_kind(gvk_of(obj))
    return node is not None and _repeats_merge_key(obj, node)


def _repeats_merge_key(value: Any, node: Node) -> bool:
    if isinstance(value, dict):
        members = ((member, node.fields.get(name)) for name, member in value.items() if isinstance(member, dict | list))
        return any(inner is not None and _repeats_merge_key(member, inner) for member, inner in members)
    if not isinstance(value, list) or node.elements is None:
        return False
    if "merge" in node.patch_strategies and node.merge_key:
        keys = [str(item.get(node.merge_key)) for item in value if isinstance(item, dict)]
        if len(set(keys)) < len(keys):
            return True
    elements = node.elements
    return any(_repeats_merge_key(item, elements) for item in value)
