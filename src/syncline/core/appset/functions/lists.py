"""Sprig's functions on lists. None of them changes the list it is given.

Part of the table in `syncline.core.appset.functions`. Those whose name begins with `must` fail in the same words here:
in a template a panic and an error end the same way.
"""

from __future__ import annotations

from typing import Any

from syncline.core.appset.functions import convert
from syncline.core.appset.functions.comparing import deep_equal
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.values import Lists, NilList, kind_name

NIL_DEREFERENCE = "runtime error: invalid memory address or nil pointer dereference"
_BAD_LENGTH = "runtime error: makeslice: len out of range"


def _checked(ctx: Context, value: Any, what: str) -> list[Any]:
    """Return a value that must be a list."""
    if value is None:
        raise CallError(NIL_DEREFERENCE)
    if not isinstance(value, list):
        raise CallError(what.format(kind_name(value)))
    ctx.budget.items(len(value) >> 2)
    return value


def _push(ctx: Context, items: Any, value: Any) -> list[Any]:
    return [*_checked(ctx, items, "Cannot push on type {}"), value]


def _prepend(ctx: Context, items: Any, value: Any) -> list[Any]:
    return [value, *_checked(ctx, items, "Cannot prepend on type {}")]


def _chunk(ctx: Context, size: int, items: Any) -> Lists:
    row = _checked(ctx, items, "Cannot chunk type {}")
    if size <= 0:
        raise CallError(_BAD_LENGTH)
    return Lists(list(row[at : at + size]) for at in range(0, len(row), size))


def _first(ctx: Context, items: Any) -> Any:
    row = _checked(ctx, items, "Cannot find first on type {}")
    return row[0] if row else None


def _last(ctx: Context, items: Any) -> Any:
    row = _checked(ctx, items, "Cannot find last on type {}")
    return row[-1] if row else None


def _rest(ctx: Context, items: Any) -> list[Any]:
    row = _checked(ctx, items, "Cannot find rest on type {}")
    return list(row[1:]) if row else NilList()


def _initial(ctx: Context, items: Any) -> list[Any]:
    row = _checked(ctx, items, "Cannot find initial on type {}")
    return list(row[:-1]) if row else NilList()


def _reverse(ctx: Context, items: Any) -> list[Any]:
    return list(reversed(_checked(ctx, items, "Cannot find reverse on type {}")))


def _compact(ctx: Context, items: Any) -> list[Any]:
    row = _checked(ctx, items, "Cannot compact on type {}")
    return [item for item in row if not convert.is_empty(item)]


def _in_list(ctx: Context, items: Any, value: Any) -> bool:
    return any(deep_equal(ctx, value, item) for item in items)


def _uniq(ctx: Context, items: Any) -> list[Any]:
    made: list[Any] = []
    for item in _checked(ctx, items, "Cannot find uniq on type {}"):
        if not _in_list(ctx, made, item):
            made.append(item)
    return made


def _without(ctx: Context, items: Any, *omitted: Any) -> list[Any]:
    row = _checked(ctx, items, "Cannot find without on type {}")
    return [item for item in row if not _in_list(ctx, omitted, item)]


def _has(ctx: Context, value: Any, items: Any) -> bool:
    if items is None:
        return False
    return _in_list(ctx, _checked(ctx, items, "Cannot find has on type {}"), value)


def _slice(ctx: Context, items: Any, *indexes: Any) -> Any:
    row = _checked(ctx, items, "list should be type of slice or array but {}")
    if not row:
        return None
    start = convert.integer(indexes[0]) if indexes else 0
    end = convert.integer(indexes[1]) if len(indexes) > 1 else len(row)
    if not 0 <= start <= end <= len(row):
        raise CallError("reflect.Value.Slice: slice index out of bounds")
    return type(row)(row[start:end])


def _concat(ctx: Context, *lists: Any) -> list[Any]:
    made: list[Any] = []
    for items in lists:
        made += _checked(ctx, items, "Cannot concat type {} as list")
        ctx.budget.items(len(items))
    return made or NilList()


def _list(*values: Any) -> list[Any]:
    return list(values)


def _both(name: str, function: Function) -> dict[str, Function]:
    """Return a function under its name and under the name of the one that gives an error instead of panicking."""
    return {name: function, f"must{name[0].upper()}{name[1:]}": function}


LISTS: dict[str, Function] = {
    **_both("append", Function(_push, "any any", needs_context=True)),
    **_both("chunk", Function(_chunk, "int any", needs_context=True)),
    **_both("compact", Function(_compact, "any", needs_context=True)),
    "concat": Function(_concat, "any...", needs_context=True),
    **_both("first", Function(_first, "any", needs_context=True)),
    **_both("has", Function(_has, "any any", needs_context=True)),
    **_both("initial", Function(_initial, "any", needs_context=True)),
    **_both("last", Function(_last, "any", needs_context=True)),
    "list": Function(_list, "any..."),
    **_both("prepend", Function(_prepend, "any any", needs_context=True)),
    **_both("push", Function(_push, "any any", needs_context=True)),
    **_both("rest", Function(_rest, "any", needs_context=True)),
    **_both("reverse", Function(_reverse, "any", needs_context=True)),
    **_both("slice", Function(_slice, "any any...", needs_context=True)),
    "tuple": Function(_list, "any..."),
    **_both("uniq", Function(_uniq, "any", needs_context=True)),
    **_both("without", Function(_without, "any any...", needs_context=True)),
}
