"""Merges an applied configuration into a live object by its schema.

Called by `syncline.apimachinery.merge.applying`. Whatever the configuration leaves alone is the very same object
afterwards, so that comparing live and merged costs what changed, not what there is.
Items of an associative list follow the order of the configuration; items only live has keep their place between them.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.merge import paths, values
from syncline.apimachinery.schema.node import UNSET, Node


def combine(live: Any, config: Any, node: Node) -> Any:
    """Return `live` with everything `config` says written over it."""
    if live is config:
        return live
    kind = config.__class__
    if kind is dict:
        return _combine_maps(live, config, node)
    if kind is list:
        if node.list_type == "atomic" or not isinstance(live, list) or not live:
            return _kept(live, config)
        return _combine_lists(live, config, node) if config else live
    # The API server treats null as an empty value of the declared type: merging nothing into a map or a list that
    # merges leaves it alone, while a scalar or an atomic value is replaced.
    if config is None:
        return live if _survives_null(live, node) else None
    return _kept(live, config)


def _kept(live: Any, config: Any) -> Any:
    return live if values.equal(live, config) else config


def _survives_null(live: Any, node: Node) -> bool:
    """Tell whether null applied to a value leaves it alone: it empties no object and no list that merge."""
    if not live:
        return False
    if isinstance(live, dict):
        return node.type in ("object", "") and node.map_type != "atomic"
    return isinstance(live, list) and node.type == "array" and node.list_type != "atomic"


def _combine_maps(live: Any, config: dict[str, Any], node: Node) -> Any:
    if node.map_type == "atomic" or not isinstance(live, dict) or not live:
        return _kept(live, config)
    fields = node.fields
    out = live
    for name, theirs in config.items():
        ours = live.get(name, UNSET)
        if ours is UNSET:
            merged = theirs
        else:
            kind = theirs.__class__
            if theirs is ours or (kind is str and ours == theirs):
                continue
            if (kind is dict or kind is list) and values.plainly_equal(ours, theirs):
                continue
            merged = combine(ours, theirs, fields.get(name) or values.member_node(node, name))
        if merged is not ours:
            if out is live:
                out = dict(live)
            out[name] = merged
    return out


def _combine_lists(live: list[Any], config: list[Any], node: Node) -> list[Any]:
    live_keys = values.item_keys(node, live)
    config_keys = values.item_keys(node, config)
    if len(set(config_keys)) < len(config):
        doubled = next(key for number, key in enumerate(config_keys) if key in config_keys[:number])
        raise values.SchemaError(f"duplicate entries for key {paths.parse(doubled)}")
    ours = dict(zip(live_keys, live, strict=True))
    if len(ours) < len(live):
        # Items that live has twice merge with nothing.
        ours = {key: item for key, item in ours.items() if live_keys.count(key) == 1}
    merged = [ours.get(key, UNSET) for key in config_keys]
    if not values.plainly_equal(merged, config):
        element = values.item_node(node)
        merged = [_combine_items(item, other, element) for item, other in zip(merged, config, strict=True)]
    order = _order(live_keys, config_keys)
    out = [merged[place] if from_config else live[place] for from_config, place in order]
    same = len(out) == len(live) and all(new is old for new, old in zip(out, live, strict=True))
    return live if same else out


def _combine_items(live: Any, config: Any, node: Node) -> Any:
    if live is UNSET:
        return config
    return live if values.plainly_equal(live, config) else combine(live, config, node)


def _order(live_keys: list[str], config_keys: list[str]) -> list[tuple[bool, int]]:
    """Return the merged order as pairs: taken from the configuration or not, and the place it is taken from."""
    if live_keys == config_keys:
        return [(True, place) for place in range(len(config_keys))]
    places = {key: place for place, key in enumerate(config_keys)}
    # The configuration keeps live's relative order, the usual case: nothing moves, so live's order is the answer.
    if config_keys == [key for key in live_keys if key in places]:
        return [(True, places[key]) if key in places else (False, place) for place, key in enumerate(live_keys)]
    # Otherwise both lists are walked side by side, as structured-merge-diff does it. The order of the configuration
    # wins; an item that only live has stays behind its predecessor. `next_shared` is the next item, in the order of
    # the configuration, that both lists have.
    in_live, in_config = set(live_keys), set(config_keys)
    shared = iter([key for key in config_keys if key in in_live])
    next_shared = next(shared, None)
    done: set[str] = set()
    out: list[tuple[bool, int]] = []
    left = right = 0
    while left < len(live_keys) or right < len(config_keys):
        if left < len(live_keys) and right < len(config_keys):
            key = live_keys[left]
            if key == config_keys[right]:
                done.add(key)
                out.append((True, right))
                left, right = left + 1, right + 1
                next_shared = next(shared, None)
                continue
            # The configuration moved this item further back: it is skipped here and written when its turn comes there.
            if key in in_config and next_shared is not None and next_shared != key:
                left += 1
                continue
        if left < len(live_keys):
            key = live_keys[left]
            if key not in in_config:
                out.append((False, left))
                left += 1
                continue
            # Written already, in its place of the configuration, whose next item follows below.
            if key in done:
                left += 1
        if right < len(config_keys):
            key = config_keys[right]
            done.add(key)
            out.append((True, right))
            right += 1
            if next_shared == key:
                next_shared = next(shared, None)
    return out
