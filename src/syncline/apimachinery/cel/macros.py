"""Recognises the calls that are none: `has`, walks through lists and mappings, and `optMap`."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.cel.tree import Call, Fold, Has, Name, Node, OptMap, Select, Unreadable

_ONE: Final = {("all", 2), ("exists", 2), ("exists_one", 2), ("map", 2), ("map", 3), ("filter", 2), ("sortBy", 2)}
_TWO: Final = {
    ("all", 3), ("exists", 3), ("exists_one", 3), ("existsOne", 3),
    ("transformList", 3), ("transformList", 4), ("transformMap", 3), ("transformMap", 4),
    ("transformMapEntry", 3), ("transformMapEntry", 4),
}  # fmt: skip
_SORTS: Final = {"existsOne": "exists_one", "transformList": "map", "filter": "map"}


def expanded(call: Call) -> Node:
    """Return what a call stands for; mostly itself."""
    if call.target is None:
        return _has(call) if call.name == "has" and len(call.args) == 1 else call
    count = len(call.args)
    if (call.name, count) in _TWO:
        return _two(call)
    if (call.name, count) in _ONE:
        return _one(call, call.target)
    if call.name in ("optMap", "optFlatMap") and count == 2:
        variable = _variable(call, 0, f"{call.name}() variable name must be a simple identifier")
        return OptMap(call.at, call.target, variable, call.args[1], flat=call.name == "optFlatMap")
    return call


def _has(call: Call) -> Node:
    [given] = call.args
    if not isinstance(given, Select) or given.optional:
        raise Unreadable("invalid argument to has() macro", given.at)
    return Has(call.at, given.of, given.field)


def _variable(call: Call, place: int, told: str) -> str:
    given = call.args[place]
    if not isinstance(given, Name):
        raise Unreadable(told, given.at)
    return given.name


def _one(call: Call, target: Node) -> Node:
    first = call.args[0]
    plain = call.name in ("map", "filter", "sortBy")
    variable = _variable(call, 0, "argument is not an identifier" if plain else "argument must be a simple name")
    variables = (variable,)
    if call.name == "filter":
        return Fold(call.at, "map", target, variables, call.args[1], first)
    if len(call.args) == 3:
        return Fold(call.at, call.name, target, variables, call.args[1], call.args[2])
    return Fold(call.at, call.name, target, variables, None, call.args[1])


def _two(call: Call) -> Node:
    names = tuple(_variable(call, place, "argument must be a simple name") for place in (0, 1))
    condition = call.args[2] if len(call.args) == 4 else None
    sort = _SORTS.get(call.name, call.name)
    target = call.target
    if target is None:
        return call
    return Fold(call.at, sort, target, names, condition, call.args[-1])
