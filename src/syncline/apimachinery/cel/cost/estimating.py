"""Estimates what an expression costs at most before it runs, as an API server does before it takes a rule.

Called by `program` with the tree, what `checker` found out about it, and how large the variables can be. A walk through
a list costs what one round costs as often as the list can be long, with the steps that cel-go has for such a walk.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from syncline.apimachinery.cel import tree
from syncline.apimachinery.cel.checker import Checker
from syncline.apimachinery.cel.cost import call_costs, spans
from syncline.apimachinery.cel.cost.call_costs import Argument
from syncline.apimachinery.cel.cost.spans import NOTHING, ONE, UNKNOWN, Span, fixed
from syncline.apimachinery.cel.scope import Scope
from syncline.apimachinery.cel.types import BOOL, DYN, Type, list_of
from syncline.apimachinery.cel.visiting import Visitor

Path = tuple[str, ...]
SizeOf = Callable[[Path], Span | None]
"""How large what a path leads to can be: a variable, then fields, `@items`, `@keys` and `@values`."""

_SCALARS: Final = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


class _Entry(NamedTuple):
    """How large the elements of a list or mapping are that the expression makes itself."""

    listed: bool
    key: Span
    value: Span

    def joined(self, other: _Entry | None) -> _Entry | None:
        return other and _Entry(self.listed, self.key.joined(other.key), self.value.joined(other.value))


class _Part(NamedTuple):
    """What is known of a part of an expression."""

    cost: Span
    type: Type = DYN
    made: Span | None = None
    """How large it is, where the expression itself says so."""
    path: Path = ()
    entry: _Entry | None = None
    local: Span | None = None
    """How large it is as the variable of a walk."""


_NO_KEYS: Final = _Entry(listed=True, key=ONE, value=NOTHING)


class Estimator(Visitor[_Part]):
    """Estimates expressions that one checker has seen."""

    def __init__(self, checker: Checker, size_of: SizeOf) -> None:
        self._checker = checker
        self._size_of = size_of
        self._locals = Scope[_Part]()

    def most(self, node: tree.Node) -> int:
        """Return the most that an expression can cost."""
        return self._part(node).cost.high

    def _part(self, node: tree.Node) -> _Part:
        found = self.visited(node)
        return found._replace(type=self._checker.types.get(id(node), DYN))

    def _const(self, node: tree.Const) -> _Part:
        value = node.value
        return _Part(NOTHING, made=fixed(len(value)) if isinstance(value, str | bytes) else ONE)

    def _name(self, node: tree.Name) -> _Part:
        local = self._locals.get(node.name)
        if local is None:
            return _Part(ONE, path=(node.name,))
        return _Part(ONE, path=local.path, entry=local.entry, local=local.local)

    def _makeobject(self, node: tree.MakeObject) -> _Part:
        parts = [self._part(value).cost for _, value, _ in node.fields]
        return _Part(spans.total(parts).plus(fixed(call_costs.OBJECT)))

    def _has(self, node: tree.Has) -> _Part:
        return _Part(self._part(node.of).cost)

    def _makelist(self, node: tree.MakeList) -> _Part:
        return self._listed([self._part(item) for item, _ in node.items])

    def _size(self, part: _Part) -> Span | None:
        """Return how large a part can be, None where nothing tells."""
        if part.made is not None:
            return part.made
        known = self._size_of(part.path) if part.path else None
        if known is not None:
            return known
        return ONE if _is_scalar(part.type) else part.local

    def _argument(self, part: _Part, node: tree.Node | None = None) -> Argument:
        size = self._size(part)
        element = UNKNOWN
        if part.type.args and part.path:
            element = self._size_of((*part.path, "@items")) or UNKNOWN
        number = node.value if isinstance(node, tree.Const) and type(node.value) is int else None
        return Argument(size or UNKNOWN, part.type, element, number, size is not None)

    def _select(self, node: tree.Select) -> _Part:
        of = self._part(node.of)
        if node.optional:
            return _Part(of.cost.plus(ONE))
        step = ONE if of.type.name in ("map", "object") else NOTHING
        return _Part(of.cost.plus(step), path=(*of.path, node.field))

    def _index(self, node: tree.Index) -> _Part:
        of, key = self._part(node.of), self._part(node.key)
        cost = of.cost.plus(key.cost).plus(ONE)
        if node.optional:
            return _Part(cost)
        below = "@items" if of.type.name == "list" else "@values"
        return _Part(cost, made=of.entry and of.entry.value, path=(*of.path, below))

    def _listed(self, parts: list[_Part]) -> _Part:
        sizes = [self._size(one) or UNKNOWN for one in parts]
        entry = _Entry(True, ONE, _joined(sizes))
        cost = spans.total([one.cost for one in parts]).plus(fixed(call_costs.LIST))
        return _Part(cost, made=fixed(len(parts)), entry=entry)

    def _makemap(self, node: tree.MakeMap) -> _Part:
        keys = [self._part(key) for key, _, _ in node.entries]
        values = [self._part(value) for _, value, _ in node.entries]
        entry = _Entry(
            False,
            _joined([self._size(one) or UNKNOWN for one in keys]),
            _joined([self._size(one) or UNKNOWN for one in values]),
        )
        cost = spans.total([one.cost for one in (*keys, *values)]).plus(fixed(call_costs.MAP))
        return _Part(cost, made=fixed(len(keys)), entry=entry)

    def _call(self, node: tree.Call) -> _Part:
        if node.name == "_?_:_":
            question, yes, no = map(self._part, node.args)
            return self._choice(question.cost, yes, no)
        if node.name in ("_&&_", "_||_"):
            one, other = map(self._part, node.args)
            return _Part(Span(one.cost.low, one.cost.plus(other.cost).high), BOOL, ONE)
        name, given = self._checker.functions.called(node)
        parts = [self._part(one) for one in given]
        costs = spans.total([one.cost for one in parts])
        if name == "dyn":
            [only] = parts
            return _Part(costs.plus(ONE), made=self._size(only), entry=only.entry)
        arguments = [self._argument(part, one) for part, one in zip(parts, given, strict=True)]
        ways = [call_costs.of_call(name, arguments, one.parameters) for one in self._checker.chosen.get(id(node), ())]
        sizes = [one.size for one in ways if one.size is not None]
        entry = parts[0].entry and parts[0].entry.joined(parts[1].entry) if name == "_+_" else None
        cost = _joined([one.cost for one in ways]).plus(costs)
        return _Part(cost, made=_joined(sizes) if sizes else None, entry=entry)

    def _choice(self, question: Span, yes: _Part, no: _Part) -> _Part:
        size = (self._size(yes) or UNKNOWN).joined(self._size(no) or UNKNOWN)
        entry = yes.entry and yes.entry.joined(no.entry)
        return _Part(question.plus(yes.cost.joined(no.cost)), made=size, entry=entry)

    def _within(self, more: dict[str, _Part], node: tree.Node) -> _Part:
        return self._locals.within(more, partial(self._part, node))

    def _optmap(self, node: tree.OptMap) -> _Part:
        # Whether there is a value is asked of one copy of what stands before the dot, the value of another.
        of = self._part(node.of)
        asked = of.cost.plus(ONE)
        value_type = of.type.args[0] if of.type.args else DYN
        value = _Part(asked, value_type)
        bound = value._replace(local=self._size(value))
        result = self._within({node.variable: bound}, node.result)
        made = result._replace(cost=fixed(call_costs.LIST).plus(asked).plus(result.cost))
        if not node.flat:
            of_type = Type("optional", (result.type,))
            made = _Part(made.cost.plus(ONE), of_type)
        return self._choice(asked, made, _Part(ONE))

    def _variables(self, node: tree.Fold, of: _Part) -> dict[str, _Part]:
        listed = of.entry.listed if of.entry else of.type.name == "list"
        key = _Part(ONE, path=(*of.path, "@indices" if listed else "@keys"), local=of.entry and of.entry.key)
        value = _Part(ONE, path=(*of.path, "@items" if listed else "@values"), local=of.entry and of.entry.value)
        if len(node.variables) == 2:
            return dict(zip(node.variables, (key, value), strict=True))
        return {node.variables[0]: value if listed else key}

    def _fold(self, node: tree.Fold) -> _Part:
        if node.sort == "sortBy":
            return self._sort_by(node)
        of = self._part(node.of)
        return self._walked(node, of, self._variables(node, of))

    def _walked(self, node: tree.Fold, of: _Part, variables: dict[str, _Part]) -> _Part:
        result = self._within(variables, node.result)
        condition = None if node.condition is None else self._within(variables, node.condition)
        before, each, after, entry = self._round(node.sort, result)
        if condition is not None:
            # What is gathered so far is the other choice.
            each = condition.cost.plus(each.joined(ONE))
        count = self._size(of) or UNKNOWN
        cost = of.cost.plus(before).plus(after).plus(count.times(each))
        if node.sort in ("all", "exists", "exists_one"):
            return _Part(cost, made=ONE)
        return _Part(cost, made=count, entry=entry)

    def _round(self, sort: str, result: _Part) -> tuple[Span, Span, Span, _Entry | None]:
        """Return what a walk costs before, at each element and after, and how large what it gathers is."""
        if sort == "all":
            return NOTHING, fixed(2).plus(Span(1, ONE.plus(result.cost).high)), ONE, None
        if sort == "exists":
            return NOTHING, fixed(3).plus(Span(1, ONE.plus(result.cost).high)), ONE, None
        if sort == "exists_one":
            return NOTHING, result.cost.plus(Span(1, 2)), fixed(2), None
        if sort == "map":
            single = self._listed([result])
            entry = single.entry and _NO_KEYS.joined(single.entry)
            return fixed(call_costs.LIST), single.cost.plus(fixed(2)), ONE, entry
        added = fixed(2) if sort == "transformMapEntry" else fixed(3)
        return fixed(call_costs.MAP), result.cost.plus(added), ONE, None

    def _sort_by(self, node: tree.Fold) -> _Part:
        of = self._part(node.of)
        bound = _Part(ONE, of.type, path=of.path, entry=of.entry, local=self._size(of))
        keys = self._walked(node_of_keys(node), bound, self._variables(node, bound))
        key_type = self._checker.types.get(id(node.result), DYN)
        call = call_costs.sorted_by(self._argument(keys._replace(type=list_of(key_type))))
        return _Part(of.cost.plus(fixed(call_costs.LIST)).plus(ONE).plus(keys.cost).plus(call.cost), made=call.size)


def node_of_keys(node: tree.Fold) -> tree.Fold:
    """Return the walk that finds the keys to sort by."""
    return tree.Fold(node.at, "map", node.of, node.variables, None, node.result)


def _joined(parts: list[Span]) -> Span:
    if not parts:
        return NOTHING
    found = parts[0]
    for one in parts[1:]:
        found = found.joined(one)
    return found


def _is_scalar(given: Type) -> bool:
    return given.name in _SCALARS or (given.name == "optional" and _is_scalar(given.args[0]))
