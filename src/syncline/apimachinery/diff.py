"""Lists the fields in which two objects differ, each with both values.

Called by comparison with desired and live objects (or any two values) and the schema of their kind; the changes go to
tables, findings and the API. Without a schema maps are compared member by member and lists as atomic ones.
How lists are read: items of associative lists by their keys and of sets by value, with a change of mere
order as one change of the list that shows keys only; atomic lists by index while their length is the same,
else as a whole, because one inserted item would make every later one differ.
A value that is only in one object is one change, however much it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import equality, intorstring, quantity
from syncline.apimachinery.paths import MISSING, FieldPath, KeyMatch, Missing, ValueMatch
from syncline.apimachinery.schema.node import Node, Unset


class FieldChange(msgspec.Struct, frozen=True):
    """One field with its two values; a value that is not there is `MISSING`, and absent in JSON."""

    path: str
    before: Any | Missing = MISSING
    after: Any | Missing = MISSING


class _Options(msgspec.Struct, frozen=True):
    by_value: bool
    ignore_order: bool


def diff(
    before: Any, after: Any, node: Node | None = None, *, by_value: bool = False, ignore_order: bool = False
) -> tuple[FieldChange, ...]:
    """Return the differences, sorted by field name within each map; none where both are the same.

    With `by_value` quantities and int-or-strings that say the same in other words are equal. With
    `ignore_order` the order of associative lists and sets does not count.
    """
    options = _Options(by_value=by_value, ignore_order=ignore_order)
    return tuple(_diff(before, after, node, FieldPath(), options))


def _diff(before: Any, after: Any, node: Node | None, path: FieldPath, options: _Options) -> Iterator[FieldChange]:
    if equality.equal(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _diff_maps(before, after, node, path, options)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _diff_lists(before, after, node, path, options)
    elif not (options.by_value and node is not None and _same_value(before, after, node)):
        yield FieldChange(str(path), before, after)


def _same_value(before: Any, after: Any, node: Node) -> bool:
    if node.format == "quantity":
        numbers = (str, int, float)
        return isinstance(before, numbers) and isinstance(after, numbers) and quantity.equal(before, after)
    return node.int_or_string and intorstring.equal(before, after)


def _diff_maps(
    before: dict[str, Any], after: dict[str, Any], node: Node | None, path: FieldPath, options: _Options
) -> Iterator[FieldChange]:
    for key in sorted({**before, **after}):
        child = node.field(key) if node is not None else None
        yield from _diff_item(before.get(key, MISSING), after.get(key, MISSING), child, path / key, options)


def _diff_item(before: Any, after: Any, node: Node | None, path: FieldPath, options: _Options) -> Iterator[FieldChange]:
    if before is MISSING or after is MISSING:
        yield FieldChange(str(path), before, after)
    else:
        yield from _diff(before, after, node, path, options)


def _diff_lists(
    before: list[Any], after: list[Any], node: Node | None, path: FieldPath, options: _Options
) -> Iterator[FieldChange]:
    old, new = _by_identity(before, node), _by_identity(after, node)
    if old is not None and new is not None:
        yield from _diff_identified(old, new, node, path, options)
    elif len(before) == len(after):
        items = node.elements if node is not None else None
        for index, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _diff(left, right, items, path / index, options)
    else:
        yield FieldChange(str(path), before, after)


_Identified = dict[KeyMatch | ValueMatch, Any]


def _diff_identified(
    before: _Identified, after: _Identified, node: Node | None, path: FieldPath, options: _Options
) -> Iterator[FieldChange]:
    items = node.elements if node is not None else None
    for step in {**before, **after}:
        yield from _diff_item(before.get(step, MISSING), after.get(step, MISSING), items, path / step, options)
    shared_before = [step for step in before if step in after]
    shared_after = [step for step in after if step in before]
    if shared_before != shared_after and not options.ignore_order:
        yield FieldChange(str(path), _order(before), _order(after))


def _order(items: _Identified) -> list[Any]:
    return [dict(step.keys) if isinstance(step, KeyMatch) else step.value for step in items]


def _by_identity(items: list[Any], node: Node | None) -> _Identified | None:
    """Return the items by what identifies them, None for an atomic list and where two cannot be told apart."""
    if node is None or (node.list_type == "atomic" and "merge" not in node.patch_strategies):
        return None
    keys = node.list_keys or ((node.merge_key,) if node.merge_key else ())
    found: _Identified = {}
    for item in items:
        step = _key_match(item, keys, node.elements) if keys else _value_match(item)
        if step is None or step in found:
            return None
        found[step] = item
    return found


def _value_match(item: Any) -> ValueMatch | None:
    return None if isinstance(item, dict | list) else ValueMatch(item)


def _key_match(item: Any, keys: tuple[str, ...], node: Node | None) -> KeyMatch | None:
    if not isinstance(item, dict):
        return None
    found = []
    for key in keys:
        value = item.get(key, MISSING)
        if value is MISSING:
            child = node.fields.get(key) if node is not None else None
            value = MISSING if child is None or isinstance(child.default, Unset) else child.default
        if isinstance(value, dict | list):
            return None
        if value is not MISSING:
            found.append((key, value))
    return KeyMatch(tuple(found)) if found else None
