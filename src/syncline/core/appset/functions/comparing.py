"""Compares values in depth, as Go's reflect.DeepEqual does: types count, so 1 is not 1.0.

Used by the functions on lists and by `deepEqual`.
"""

from __future__ import annotations

from typing import Any

from syncline.core.appset.gotemplate.functions import Context
from syncline.core.appset.gotemplate.values import is_nil, type_name


def deep_equal(ctx: Context, first: Any, second: Any, depth: int = 0) -> bool:
    """Tell whether two values are the same in type and content."""
    ctx.budget.spend(1)
    ctx.budget.depth(depth)
    if type_name(first) != type_name(second) or is_nil(first) != is_nil(second):
        return False
    if first is second and not isinstance(first, float | list):
        return True
    if isinstance(first, dict):
        return len(first) == len(second) and all(
            key in second and deep_equal(ctx, value, second[key], depth + 1) for key, value in first.items()
        )
    if isinstance(first, list):
        return len(first) == len(second) and all(
            deep_equal(ctx, one, other, depth + 1) for one, other in zip(first, second, strict=True)
        )
    return bool(first == second)
