"""Sprig's functions on maps. `set`, `unset` and the merging ones change the map they are given, as in Go.

Part of the table in `syncline.core.appset.functions`. Go lists keys and values in no order at all; here it is the order
of the keys, so that the same template always gives the same text.
"""

from __future__ import annotations

from typing import Any

from syncline.core.appset.functions import convert
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.values import (
    NilMap,
    NoValue,
    Strings,
    kind_name,
    sort_texts,
    sorted_keys,
    type_name,
)

_MAP = "map[string]interface {}"


def _set(members: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    if isinstance(members, NilMap):
        raise CallError("assignment to entry in nil map")
    members[key] = value
    return members


def _unset(members: dict[str, Any], key: str) -> dict[str, Any]:
    members.pop(key, None)
    return members


def _pluck(key: str, *maps: dict[str, Any]) -> list[Any]:
    return [members[key] for members in maps if key in members]


def _keys(ctx: Context, *maps: dict[str, Any]) -> Strings:
    ctx.budget.items(sum(map(len, maps)))
    return Strings(key for members in maps for key in sort_texts(members))


def _values(ctx: Context, members: dict[str, Any]) -> list[Any]:
    ctx.budget.items(len(members))
    return [members[key] for key in sorted_keys(members)]


def _pick(members: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: members[key] for key in keys if key in members}


def _omit(members: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in members.items() if key not in keys}


def _dict(ctx: Context, *values: Any) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for at in range(0, len(values), 2):
        made[convert.text(ctx, values[at])] = values[at + 1] if at + 1 < len(values) else ""
    return made


def _merged(ctx: Context, target: dict[str, Any], sources: tuple[dict[str, Any], ...], *, overwrite: bool) -> Any:
    target = {} if isinstance(target, NilMap) and any(sources) else target
    for source in sources:
        _merge(ctx, target, source, overwrite, 0)
    return target


def _merge(ctx: Context, target: dict[str, Any], source: dict[str, Any], overwrite: bool, depth: int) -> None:
    ctx.budget.depth(depth)
    for key in sorted_keys(source):
        ctx.budget.spend(1)
        value = source[key]
        if value is None:
            if overwrite:
                target[key] = None
            continue
        known = key in target
        current = target.get(key)
        kind = kind_name(value)
        if kind == "map" and isinstance(current, dict) and current is not value:
            _merge(ctx, current, value, overwrite, depth + 1)
        if kind == "slice" and overwrite:
            target[key] = value
        if known and not convert.is_empty(current) and (kind == "slice" or (kind == kind_name(current) == "map")):
            continue
        if overwrite or not known or convert.is_empty(current):
            target[key] = value


def _merge_kept(ctx: Context, target: dict[str, Any], *sources: dict[str, Any]) -> Any:
    return _merged(ctx, target, sources, overwrite=False)


def _merge_over(ctx: Context, target: dict[str, Any], *sources: dict[str, Any]) -> Any:
    return _merged(ctx, target, sources, overwrite=True)


def _asserted(value: Any, wanted: str) -> Any:
    actual = "nil" if value is None or isinstance(value, NoValue) else type_name(value)
    if actual != wanted:
        raise CallError(f"interface conversion: interface {{}} is {actual}, not {wanted}")
    return value


def _dig(*values: Any) -> Any:
    if len(values) < 3:
        raise CallError("dig needs at least three arguments")
    members = _asserted(values[-1], _MAP)
    keys = [_asserted(key, "string") for key in values[:-2]]
    for at, key in enumerate(keys):
        if key not in members:
            return values[-2]
        members = members[key] if at == len(keys) - 1 else _asserted(members[key], _MAP)
    return members


MAPS: dict[str, Function] = {
    "dict": Function(_dict, "any...", needs_context=True),
    "dig": Function(_dig, "any..."),
    "get": Function(lambda members, key: members.get(key, ""), "dict string"),
    "hasKey": Function(lambda members, key: key in members, "dict string"),
    "keys": Function(_keys, "dict...", needs_context=True),
    "merge": Function(_merge_kept, "dict dict...", needs_context=True),
    "mergeOverwrite": Function(_merge_over, "dict dict...", needs_context=True),
    "mustMerge": Function(_merge_kept, "dict dict...", needs_context=True),
    "mustMergeOverwrite": Function(_merge_over, "dict dict...", needs_context=True),
    "omit": Function(_omit, "dict string..."),
    "pick": Function(_pick, "dict string..."),
    "pluck": Function(_pluck, "string dict..."),
    "set": Function(_set, "dict string any"),
    "unset": Function(_unset, "dict string"),
    "values": Function(_values, "dict", needs_context=True),
}
