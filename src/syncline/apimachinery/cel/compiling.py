"""Turns the tree of an expression into functions that work it out.

Made once for an expression by `program`, called for every object. An error in one part of `&&`, `||`, `all` and
`exists` does not count where another part decides, as CEL wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Final, TypeVar

from syncline.apimachinery.cel import tree, values, walking
from syncline.apimachinery.cel.accessing import has, index, optionally, select
from syncline.apimachinery.cel.cost import charges
from syncline.apimachinery.cel.cost.call_costs import LIST, MAP, OBJECT
from syncline.apimachinery.cel.overloads import Does, Functions
from syncline.apimachinery.cel.values import NONE, Fault, Optional, TypeName
from syncline.apimachinery.cel.visiting import Visitor
from syncline.apimachinery.cel.walking import Run, Work, truth

T = TypeVar("T")
_CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)


class Compiler(Visitor[Work]):
    """Compiles for one set of functions and names."""

    def __init__(self, functions: Functions, types: Container[str]) -> None:
        self._functions = functions
        self._types = types

    def work(self, node: tree.Node) -> Work:
        """Return what works out a tree."""
        return self.visited(node)

    def _const(self, node: tree.Const) -> Work:
        value = node.value
        return lambda _run: value

    def _name(self, node: tree.Name) -> Work:
        name = node.name

        def work(run: Run) -> Any:
            if name in run.variables:
                run.cost += 1
                return run.variables[name]
            if name in self._types:
                return TypeName(name)
            run.cost += 1
            raise Fault(f"no such attribute(s): {name}")

        return work

    def _select(self, node: tree.Select) -> Work:
        name = tree.qualified(node)
        if name in self._types:
            return lambda _run: TypeName(name)
        of, field = self.work(node.of), node.field
        if node.optional:
            return lambda run: _found(run, optionally(of(run), field), 1)
        cost = 1 if _is_place(node.of) else 2
        return lambda run: select(_charged(run, of(run), cost), field)

    def _index(self, node: tree.Index) -> Work:
        of, key = self.work(node.of), self.work(node.key)
        cost = 0 if _is_place(node.key) else 1
        if node.optional:
            return lambda run: _found(run, optionally(of(run), key(run)), cost)
        return lambda run: index(_charged(run, of(run), cost), key(run))

    def _has(self, node: tree.Has) -> Work:
        of, field = self.work(node.of), node.field
        return lambda run: has(of(run), field)

    def _makelist(self, node: tree.MakeList) -> Work:
        items = [(self.work(item), optional) for item, optional in node.items]
        cost = 0 if self._is_written_out(node) else LIST

        def work(run: Run) -> list[Any]:
            run.cost += cost
            made = []
            for item, optional in items:
                value = item(run)
                if not optional:
                    made.append(value)
                elif _opened(value).there:
                    made.append(value.value)
            return made

        return work

    def _makemap(self, node: tree.MakeMap) -> Work:
        entries = [(self.work(key), self.work(value), optional) for key, value, optional in node.entries]
        cost = 0 if self._is_written_out(node) else MAP

        def work(run: Run) -> dict[Any, Any]:
            run.cost += cost
            made: dict[Any, Any] = {}
            for key, value, optional in entries:
                _put(made, key(run), value(run), optional=optional)
            return made

        return work

    def _makeobject(self, node: tree.MakeObject) -> Work:
        fields = [(name, self.work(value), optional) for name, value, optional in node.fields]

        def work(run: Run) -> dict[str, Any]:
            run.cost += OBJECT
            made: dict[str, Any] = {}
            for name, value, optional in fields:
                _put(made, name, value(run), optional=optional)
            return made

        return work

    def _call(self, node: tree.Call) -> Work:
        special = _SPECIAL.get(node.name)
        if special is not None and node.target is None:
            return special(*map(self.work, node.args))
        if node.target is None and node.name == "_?_:_":
            return self._choice(*node.args)
        if self._is_written_out(node):
            return _free(self._calling(node.name, node.args, member=False))
        name, given = self._functions.called(node)
        if node.target is not None and node.name in ("or", "orValue") and len(node.args) == 1:
            return _alternative(self.work(node.target), self.work(node.args[0]), value=node.name == "orValue")
        return self._calling(name, given, member=node.target is not None and name == node.name)

    def _calling(self, name: str, given: tuple[tree.Node, ...], *, member: bool) -> Work:
        does = self._functions.caller(name, len(given), member=member)
        if does is None:
            raise tree.Unreadable(f"undeclared reference to '{name}' (in container '')", given[0].at if given else 0)
        parts = tuple(map(self.work, given))
        reckons = charges.of_call(name)
        if name == "@in" and self._is_written_out(given[1]):
            return lambda run: does(*[part(run) for part in parts])  # made ready before anything runs
        return _counted(does, parts) if reckons is None else _reckoned(does, parts, reckons)

    def _choice(self, question: tree.Node, yes: tree.Node, no: tree.Node) -> Work:
        asks, agrees, denies = self.work(question), self._chosen(yes), self._chosen(no)
        return lambda run: agrees(run) if truth(asks(run)) else denies(run)

    def _chosen(self, node: tree.Node) -> Work:
        """Return one side of a choice; cel-go does not count the variable it begins with."""
        work = self.work(node)
        return (lambda run: work(_charged(run, run, -1))) if _begins_with_variable(node, self._types) else work

    def _is_written_out(self, node: tree.Node) -> bool:
        """Tell whether something is known before anything runs: cel-go makes it once, for nothing."""
        if isinstance(node, tree.MakeList):
            return all(self._is_written_out(item) and not optional for item, optional in node.items)
        if isinstance(node, tree.MakeMap):
            entries = node.entries
            return all(
                self._is_written_out(key) and self._is_written_out(value) and not one for key, value, one in entries
            )
        if isinstance(node, tree.Call):
            converts = node.target is None and node.name in _CONVERSIONS and len(node.args) == 1
            return converts and self._is_written_out(node.args[0])
        return isinstance(node, tree.Const) or (isinstance(node, tree.Name) and node.name in self._types)

    def _optmap(self, node: tree.OptMap) -> Work:
        of, result, variable, flat = self.work(node.of), self.work(node.result), node.variable, node.flat

        def work(run: Run) -> Optional:
            given = _opened(_charged(run, of(run), 2))
            if not given.there:
                return NONE
            of(_charged(run, run, 0 if flat else 1))  # cel-go asks for the value once more, and wraps what it makes
            made = _within(run, {variable: given.value}, result)
            return _opened(made) if flat else Optional(True, made)

        return work

    def _fold(self, node: tree.Fold) -> Work:
        of, result = self.work(node.of), self.work(node.result)
        condition = None if node.condition is None else self.work(node.condition)
        return walking.walk(node.sort, of, node.variables, condition, result)


def _counted(does: Does, parts: tuple[Work, ...]) -> Work:
    """Return a call that costs 1."""

    def work(run: Run) -> Any:
        run.cost += 1
        return does(*[part(run) for part in parts])

    return work


def _reckoned(does: Does, parts: tuple[Work, ...], reckons: charges.Charge) -> Work:
    """Return a call that costs more the more it is given."""

    def work(run: Run) -> Any:
        try:
            given = tuple([part(run) for part in parts])
            made = does(*given)
        except Fault:
            run.cost += 1  # a call is counted though it fails
            raise
        run.charge(reckons(given, made))
        return made

    return work


def _within(run: Run, more: dict[str, Any], work: Work) -> Any:
    outer = run.variables
    run.variables = {**outer, **more}
    try:
        return work(run)
    finally:
        run.variables = outer


def _charged(run: Run, value: T, cost: int) -> T:
    """Return a value that costs so much to go on from."""
    run.cost += cost
    return value


def _found(run: Run, given: Optional, cost: int) -> Optional:
    """Return what may be there; only what is costs anything."""
    return _charged(run, given, cost if given.there else 0)


def _alternative(of: Work, other: Work, *, value: bool) -> Work:
    """Return `or` and `orValue`: the other side is worked out only where the first is absent."""

    def work(run: Run) -> Any:
        given = _opened(of(run))
        if given.there:
            return given.value if value else given
        return other(run) if value else _opened(other(run))

    return work


def _is_place(node: tree.Node) -> bool:
    """Tell whether something is a variable or lies below one: cel-go counts the steps to it as one thing."""
    return isinstance(node, tree.Name | tree.Select | tree.Index | tree.Has)


def _begins_with_variable(node: tree.Node, types: Container[str]) -> bool:
    while isinstance(node, tree.Select | tree.Index):
        node = node.of
    return isinstance(node, tree.Name) and node.name not in types


def _free(work: Work) -> Work:
    """Return something that costs nothing."""

    def freed(run: Run) -> Any:
        cost = run.cost
        try:
            return work(run)
        finally:
            run.cost = cost

    return freed


def _opened(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise Fault(values.NO_OVERLOAD)
    return value


def _put(made: dict[Any, Any], key: Any, value: Any, *, optional: bool) -> None:
    if optional:
        if not _opened(value).there:
            return
        value = value.value
    if not isinstance(key, str | int):
        raise Fault("unsupported key type")
    if key in made:
        raise Fault(f"Failed with repeated key {key}")
    made[key] = value


def _either(one: Work, other: Work, *, wanted: bool) -> Work:
    """Return `||` for true and `&&` for false: the side that is so decides, whatever the other does."""

    def work(run: Run) -> bool:
        try:
            if truth(one(run)) is wanted:
                return wanted
            fault = None
        except Fault as error:
            fault = error
        right: object = other(run)
        if right is wanted:
            return wanted
        if fault is not None:
            raise fault
        return truth(right)

    return work


_SPECIAL: Final[dict[str, Callable[..., Work]]] = {
    "_||_": lambda one, other: _either(one, other, wanted=True),
    "_&&_": lambda one, other: _either(one, other, wanted=False),
}
