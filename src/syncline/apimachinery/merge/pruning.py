"""Removes what an applier wrote last time and leaves out now, unless somebody else owns it.

Called by `syncline.apimachinery.merge.applying` with the merged object, before anybody compares it with live.
Three passes: take away all the applier had, give back what anybody owns (now or still), give back what the applier
never had. While all owners speak one version, only the way to what was given up is walked; elsewhere objects must be
converted, and conversion needs them whole.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import encoding
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import described, paths, removing, values
from syncline.apimachinery.merge.fieldset import EMPTY, LEAF, FieldSet, Tree, is_member
from syncline.apimachinery.merge.managers import Owner, OwnerId, Owners
from syncline.apimachinery.merge.versions import Versions
from syncline.apimachinery.schema.node import Node


def prune(merged: Object, owners: Owners, applier: OwnerId, last: Owner | None, versions: Versions) -> Object:
    """Return the merged object without what the applier gave up; `owners` holds the applier's new fields."""
    if last is None or not last.fields:
        return merged
    now = owners[applier]
    node = versions.node(last.api_version)
    one_version = all(owner.api_version == last.api_version for owner in owners.values())
    if node is None or not one_version or _has_empty_list(merged, node):
        return prune_converted(merged, owners, last, now.api_version, versions)
    given_up = EMPTY if last.fields is now.fields else last.fields.difference(now.fields)
    if not given_up:
        return merged
    return _prune_along(_way(given_up.tree), merged, owners, last, node)


def _has_empty_list(obj: Object, node: Node) -> bool:
    """Tell whether an object holds an empty list that merges.

    Such a list mentions no field, so an object left with nothing else counts as gone, and takes along what nobody
    owns: the one case in which something goes though nothing was given up.
    """
    inside = {name: member for name, member in obj.items() if name != "metadata"}
    return b"[]" in encoding.encode(inside) and _holds_empty_list(inside, node)


def _holds_empty_list(value: Any, node: Node) -> bool:
    if isinstance(value, dict):
        return node.map_type != "atomic" and any(
            _holds_empty_list(member, values.member_node(node, name)) for name, member in value.items()
        )
    if not isinstance(value, list) or node.list_type == "atomic":
        return False
    return not value or any(_holds_empty_list(item, values.item_node(node)) for item in value)


def _way(given_up: Tree) -> Tree:
    """Return the way to the given-up fields, ending there, with the keys of the list items on it."""
    out: Tree = {}
    for name, below in given_up.items():
        if is_member(below):
            out[name] = LEAF
            continue
        out[name] = _way(below)
        element = paths.parse(name) if name[0] == "k" else None
        if isinstance(element, paths.KeyElement):
            out[name] |= {f"f:{key}": LEAF for key, _ in element.fields}
    return out


def _part(value: Any, way: Tree, node: Node) -> Any:
    """Return the part of an object on the way; all of it where the way ends."""
    if not way or not value:
        return value
    if isinstance(value, dict) and node.map_type != "atomic":
        return {
            name: _part(member, way[f"f:{name}"], values.member_node(node, name))
            for name, member in value.items()
            if f"f:{name}" in way
        }
    if isinstance(value, list) and node.list_type != "atomic":
        element = values.item_node(node)
        pairs = zip(values.item_keys(node, value), value, strict=True)
        return [_part(item, way[key], element) for key, item in pairs if key in way]
    return value


def _prune_along(way: Tree, merged: Object, owners: Owners, last: Owner, node: Node) -> Object:
    # The three passes of the module docstring, on the part of the object that can change. Removing `had` shows what is
    # there without the applier; a field in neither that rest nor the set of an owner is owned by nobody. Of those only
    # the ones that the applier had may go: the rest are defaults and the like, which it never wrote.
    part = _part(merged, way, node)
    had = last.fields.with_named_fields(node, along=way)
    there = _named(part, node)
    kept = _named(removing.remove(part, had, node), node)
    for owner in owners.values():
        kept = kept.union(owner.fields.with_named_fields(node, along=way))
    owned = removing.remove(part, there.difference(kept), node)
    gone = there.difference(_named(owned, node)).intersection(had)
    return removing.remove(merged, gone, node)


def _named(obj: Object, node: Node) -> FieldSet:
    return described.set_of(obj, node).with_named_fields(node)


def prune_converted(merged: Object, owners: Owners, last: Owner, to: str, versions: Versions) -> Object:
    """Prune as `prune` does, with whole objects, in the version of every owner in turn."""
    converted = versions.convert(merged, last.api_version)
    node = versions.node(last.api_version)
    if converted is None or node is None:
        return merged
    had = last.fields.with_named_fields(node)
    pruned = removing.remove(converted, had, node)
    pruned = _give_back_owned(converted, pruned, last.api_version, owners, versions)
    pruned_here = versions.convert(pruned, last.api_version)
    if pruned_here is None:
        return merged
    gone = _named(converted, node).difference(_named(pruned_here, node)).intersection(had)
    return versions.convert(removing.remove(converted, gone, node), to) or merged


def _give_back_owned(merged: Object, pruned: Object, first: str, owners: Owners, versions: Versions) -> Object:
    # One conversion per version. The version of the applier comes first, because converting to another one may need
    # fields that were just taken away and are owned.
    owned: dict[str, FieldSet] = {first: EMPTY}
    for owner in owners.values():
        owned[owner.api_version] = owned.get(owner.api_version, EMPTY).union(owner.fields)
    for api_version, fields in owned.items():
        node = versions.node(api_version)
        merged_here = versions.convert(merged, api_version)
        pruned_here = versions.convert(pruned, api_version)
        if node is None or merged_here is None or pruned_here is None:
            continue
        kept = _named(pruned_here, node).union(fields.with_named_fields(node))
        gone = _named(merged_here, node).difference(kept)
        merged, pruned = merged_here, removing.remove(merged_here, gone, node)
    return pruned
