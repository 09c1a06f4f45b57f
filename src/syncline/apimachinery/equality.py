"""Says whether two decoded JSON values are the same value.

Used by patches and the diff instead of `==`, for which `True` equals `1` in Python. Integers and floats of one
value are the same number.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import encoding


def equal(left: Any, right: Any) -> bool:
    """Return whether both are the same JSON value."""
    if left is right:
        return True
    if left != right:
        return False
    if type(left) is str:
        return True
    # Python calls them equal; equal texts prove it, unless only the order of keys differs.
    try:
        if encoding.encode(left) == encoding.encode(right):
            return True
    except OverflowError:
        pass
    return _same_types(left, right)


def _same_types(left: Any, right: Any) -> bool:
    """Return whether two values that `==` calls equal have no truth value where the other has a number."""
    kind = type(left)
    if kind is dict:
        return all(_same_types(value, right[key]) for key, value in left.items())
    if kind is list:
        return all(map(_same_types, left, right))
    return (kind is bool) is (type(right) is bool)
