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
from typing import TYPE_CHECKING, Any, NamedTuple

from syncline.apimachinery import encoding, equality, intorstring, quantity
from syncline.apimachinery.paths import FieldPath, KeyMatch, Scalar, ValueMatch
from syncline.apimachinery.schema.node import Node, Unset

if TYPE_CHECKING:
    from syncline.apimachinery.paths import Missing


class FieldChange(NamedTuple):
    """One field with its two values; a value that is not there is `MISSING`."""

    path: str
    before: Any | Missing
    after: Any | Missing


class _Options(NamedTuple):
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
    return () if equality.equal(before, after) else tuple(_diff(before, after, node, FieldPath(), options))


def _diff(before: Any, after: Any, node: Node | None, path: FieldPath, options: _Options) -> Iterator[FieldChange]:
    """Yield the changes between two values that are not equal."""
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
        old, new = before.get(key, encoding.MISSING), after.get(key, encoding.MISSING)
        if not equality.equal(old, new):
            child = node.field(key) if node is not None else None
            yield from _diff_item(old, new, child, path / key, options)


def _diff_item(before: Any, after: Any, node: Node | None, path: FieldPath, options: _Options) -> Iterator[FieldChange]:
    if before is encoding.MISSING or after is encoding.MISSING:
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
            if not equality.equal(left, right):
                yield from _diff(left, right, items, path / index, options)
    else:
        yield FieldChange(str(path), before, after)


_Identity = tuple[tuple[str, Any], ...] | Scalar
"""The keys of an associative list's item, or a set's item itself; made into a step only where items differ."""
_Identified = dict[_Identity, Any]


def _diff_identified(
    before: _Identified, after: _Identified, node: Node | None, path: FieldPath, options: _Options
) -> Iterator[FieldChange]:
    items = node.elements if node is not None else None
    for identity in {**before, **after}:
        old, new = before.get(identity, encoding.MISSING), after.get(identity, encoding.MISSING)
        if not equality.equal(old, new):
            step = KeyMatch(identity) if isinstance(identity, tuple) else ValueMatch(identity)
            yield from _diff_item(old, new, items, path / step, options)
    shared_before = [identity for identity in before if identity in after]
    shared_after = [identity for identity in after if identity in before]
    if shared_before != shared_after and not options.ignore_order:
        yield FieldChange(str(path), _order(before), _order(after))


def _order(items: _Identified) -> list[Any]:
    return [dict(identity) if isinstance(identity, tuple) else identity for identity in items]


def _by_identity(items: list[Any], node: Node | None) -> _Identified | None:
    """Return the items by what identifies them, None for an atomic list and where two cannot be told apart."""
    if node is None or (node.list_type == "atomic" and "merge" not in node.patch_strategies):
        return None
    keys = node.list_keys or ((node.merge_key,) if node.merge_key else ())
    found: _Identified = {}
    for item in items:
        if isinstance(item, dict) is not bool(keys) or isinstance(item, list):
            return None
        identity = _keys_of(item, keys, node.elements) if keys else item
        if identity == () or identity in found:
            return None
        found[identity] = item
    return found


def _keys_of(item: dict[str, Any], keys: tuple[str, ...], node: Node | None) -> tuple[tuple[str, Any], ...]:
    """Return the keys of an item, with their defaults where it has none; nothing where one is not a scalar."""
    found = []
    for key in keys:
        value = item.get(key, encoding.MISSING)
        if value is encoding.MISSING:
            child = node.fields.get(key) if node is not None else None
            value = encoding.MISSING if child is None or isinstance(child.default, Unset) else child.default
        if isinstance(value, dict | list):
            return ()
        if value is not encoding.MISSING:
            found.append((key, value))
    return tuple(found)
