"""Puts the elements of a merged list in order.

Called by `strategic_merge` after contents were merged. Elements the patch names come in the patch's order;
elements only the live list has keep theirs and are placed before the first named one that followed them in
the live list.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.patch import directives, errors


def arrange(merged: list[Any], order: list[Any], live: list[Any], merge_key: str) -> list[Any]:
    """Return the merged elements, ordered by `order` and, where that says nothing, by `live`."""
    order_of = _positions(order, merge_key)
    live_of = _positions(live, merge_key)
    named: list[tuple[Any, Any]] = []
    live_only: list[tuple[Any, Any]] = []
    for key, item in zip(directives.identities(merged, merge_key), merged, strict=True):
        (named if key in order_of else live_only).append((key, item))
    _sort(named, order_of, merge_key)
    _sort(live_only, live_of, merge_key)
    return _interleave(live_only, named, live_of)


def check(patch: list[Any], order: list[Any], merge_key: str) -> None:
    """Refuse a patch list whose elements are not all in the order list, in the same relative order."""
    if not order or not patch:
        return
    wanted = [
        directives.identity(item, merge_key)
        for item in patch
        if not (isinstance(item, dict) and directives.PATCH in item)
    ]
    remaining = iter([directives.identity(item, merge_key) for item in order])
    if not all(key in remaining for key in wanted):
        raise errors.PatchError(
            f"The order in patch list:\n{_names(patch, merge_key)}\n"
            f" doesn't match {directives.SET_ELEMENT_ORDER} list:\n{_names(order, merge_key)}\n"
        )


def _positions(items: list[Any], merge_key: str) -> dict[Any, int]:
    positions: dict[Any, int] = {}
    for index, key in enumerate(directives.identities(items, merge_key)):
        positions.setdefault(key, index)
    return positions


def _sort(keyed: list[tuple[Any, Any]], position: dict[Any, int], merge_key: str) -> None:
    """Sort by position, deletions last: they stay in the list while two patches are combined."""
    end = len(position)
    keyed.sort(
        key=lambda pair: (
            bool(merge_key) and pair[1].get(directives.PATCH) == "delete",
            position.get(pair[0], end),
        )
    )


def _interleave(live_only: list[tuple[Any, Any]], named: list[tuple[Any, Any]], live_of: dict[Any, int]) -> list[Any]:
    result: list[Any] = []
    waiting = iter(live_only)
    left = next(waiting, None)
    for key, item in named:
        position = live_of.get(key, -1)
        while left is not None and live_of.get(left[0], position) < position:
            result.append(left[1])
            left = next(waiting, None)
        result.append(item)
    if left is not None:
        result.append(left[1])
    result.extend(item for _, item in waiting)
    return result


def _names(items: list[Any], merge_key: str) -> str:
    words = (f"map[{merge_key}:{item.get(merge_key)}]" if isinstance(item, dict) else str(item) for item in items)
    return f"[{' '.join(words)}]"
