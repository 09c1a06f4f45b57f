"""Turns the tree of an expression into functions that work it out.

Made once for an expression by `program`, called for every object. An error in one part of `&&`, `||`, `all` and
`exists` does not count where another part decides, as CEL wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery.cel import lists, tree, values
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.rights import Authorizer
from syncline.apimachinery.cel.values import NONE, Fault, Optional, TooLong, TypeName

STEPS: Final = 100_000
"""So many elements an expression may walk over before it is given up: a tenth of a second or so."""


class Run:
    """One evaluation: the variables, and how many steps are left."""

    __slots__ = ("left", "variables")

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self.left = STEPS

    def step(self) -> None:
        """Count one element of a walk."""
        self.left -= 1
        if self.left < 0:
            raise TooLong


Work = Callable[[Run], Any]


class Compiler:
    """Compiles for one set of functions and names."""

    def __init__(self, functions: Functions, types: Container[str]) -> None:
        self._functions = functions
        self._types = types

    def work(self, node: tree.Node) -> Work:
        """Return what works out a tree."""
        match node:
            case tree.Const():
                return self._const(node)
            case tree.Name():
                return self._name(node)
            case tree.Select():
                return self._select(node)
            case tree.Index():
                return self._index(node)
            case tree.Call():
                return self._call(node)
            case tree.MakeList():
                return self._makelist(node)
            case tree.MakeMap():
                return self._makemap(node)
            case tree.MakeObject():
                return self._makeobject(node)
            case tree.Has():
                return self._has(node)
            case tree.Fold():
                return self._fold(node)
            case tree.OptMap():
                return self._optmap(node)

    def _const(self, node: tree.Const) -> Work:
        value = node.value
        return lambda _run: value

    def _name(self, node: tree.Name) -> Work:
        name = node.name

        def work(run: Run) -> Any:
            if name in run.variables:
                return run.variables[name]
            if name in self._types:
                return TypeName(name)
            raise Fault(f"no such attribute(s): {name}")

        return work

    def _select(self, node: tree.Select) -> Work:
        name = tree.qualified(node)
        if name in self._types:
            return lambda _run: TypeName(name)
        of, field, optional = self.work(node.of), node.field, node.optional
        if optional:
            return lambda run: optionally(of(run), field)
        return lambda run: select(of(run), field)

    def _index(self, node: tree.Index) -> Work:
        of, key = self.work(node.of), self.work(node.key)
        if node.optional:
            return lambda run: optionally(of(run), key(run))
        return lambda run: index(of(run), key(run))

    def _has(self, node: tree.Has) -> Work:
        of, field = self.work(node.of), node.field
        return lambda run: has(of(run), field)

    def _makelist(self, node: tree.MakeList) -> Work:
        items = [(self.work(item), optional) for item, optional in node.items]

        def work(run: Run) -> list[Any]:
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

        def work(run: Run) -> dict[Any, Any]:
            made: dict[Any, Any] = {}
            for key, value, optional in entries:
                _put(made, key(run), value(run), optional=optional)
            return made

        return work

    def _makeobject(self, node: tree.MakeObject) -> Work:
        fields = [(name, self.work(value), optional) for name, value, optional in node.fields]

        def work(run: Run) -> dict[str, Any]:
            made: dict[str, Any] = {}
            for name, value, optional in fields:
                _put(made, name, value(run), optional=optional)
            return made

        return work

    def _call(self, node: tree.Call) -> Work:
        special = _SPECIAL.get(node.name)
        if special is not None and node.target is None:
            return special(*map(self.work, node.args))
        if node.target is not None:
            before = tree.qualified(node.target)
            name = f"{before}.{node.name}"
            if before and name in self._functions.named:
                return self._calling(name, node.args, member=False)
            return self._calling(node.name, (node.target, *node.args), member=True)
        return self._calling(node.name, node.args, member=False)

    def _calling(self, name: str, given: tuple[tree.Node, ...], *, member: bool) -> Work:
        does = self._functions.caller(name, len(given), member=member)
        if does is None:
            raise tree.Unreadable(f"undeclared reference to '{name}' (in container '')", given[0].at if given else 0)
        parts = tuple(map(self.work, given))
        if len(parts) == 1:
            [only] = parts
            return lambda run: does(only(run))
        if len(parts) == 2:
            one, other = parts
            return lambda run: does(one(run), other(run))
        return lambda run: does(*[part(run) for part in parts])

    def _optmap(self, node: tree.OptMap) -> Work:
        of, result, variable, flat = self.work(node.of), self.work(node.result), node.variable, node.flat

        def work(run: Run) -> Optional:
            given = _opened(of(run))
            if not given.there:
                return NONE
            made = _within(run, {variable: given.value}, result)
            return _opened(made) if flat else Optional(True, made)

        return work

    def _fold(self, node: tree.Fold) -> Work:
        of, result = self.work(node.of), self.work(node.result)
        condition = None if node.condition is None else self.work(node.condition)
        names, fold = node.variables, _FOLDS[node.sort]

        def work(run: Run) -> Any:
            elements = _elements(of(run), two=len(names) == 2)
            outer = run.variables
            run.variables = {**outer}
            try:
                return fold(_walk(run, elements, names, condition), lambda: result(run))
            finally:
                run.variables = outer

        return work


def _within(run: Run, more: dict[str, Any], work: Work) -> Any:
    outer = run.variables
    run.variables = {**outer, **more}
    try:
        return work(run)
    finally:
        run.variables = outer


def _elements(of: Any, *, two: bool) -> list[tuple[Any, ...]]:
    if isinstance(of, list):
        return list(enumerate(of)) if two else [(one,) for one in of]
    if isinstance(of, Mapping):
        return list(of.items()) if two else [(key,) for key in of]
    raise Fault(values.NO_OVERLOAD)


def _walk(
    run: Run, elements: list[tuple[Any, ...]], names: tuple[str, ...], condition: Work | None
) -> Iterable[tuple[Any, ...]]:
    variables = run.variables
    for element in elements:
        run.step()
        for name, value in zip(names, element, strict=True):
            variables[name] = value
        if condition is None or _truth(condition(run)):
            yield element


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Fault(values.NO_OVERLOAD)
    return value


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


Walked = Iterable[tuple[Any, ...]]
Result = Callable[[], Any]


def _decide(walked: Walked, result: Result, wanted: bool) -> bool:
    fault: Fault | None = None
    for _ in walked:
        try:
            if _truth(result()) is wanted:
                return wanted
        except Fault as error:
            fault = fault or error
    if fault is not None:
        raise fault
    return not wanted


def _map_entries(walked: Walked, result: Result) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for _ in walked:
        for key, value in result().items():
            if key in made:
                raise Fault(f"insert failed: key {key} already exists")
            made[key] = value
    return made


def _sorted(walked: Walked, result: Result) -> list[Any]:
    items, keys = [], []
    for (element,) in walked:
        items.append(element)
        keys.append(result())
    return lists.sort(items, keys)


_FOLDS: Final[dict[str, Callable[[Walked, Result], Any]]] = {
    "all": lambda walked, result: _decide(walked, result, wanted=False),
    "exists": lambda walked, result: _decide(walked, result, wanted=True),
    "exists_one": lambda walked, result: sum(_truth(result()) for _ in walked) == 1,
    "map": lambda walked, result: [result() for _ in walked],
    "transformMap": lambda walked, result: {element[0]: result() for element in walked},
    "transformMapEntry": _map_entries,
    "sortBy": _sorted,
}


def _either(one: Work, other: Work, *, wanted: bool) -> Work:
    """Return `||` for true and `&&` for false: the side that is so decides, whatever the other does."""

    def work(run: Run) -> bool:
        try:
            if _truth(one(run)) is wanted:
                return wanted
            fault = None
        except Fault as error:
            fault = error
        right: object = other(run)
        if right is wanted:
            return wanted
        if fault is not None:
            raise fault
        return _truth(right)

    return work


def _choice(question: Work, yes: Work, no: Work) -> Work:
    return lambda run: yes(run) if _truth(question(run)) else no(run)


_SPECIAL: Final[dict[str, Callable[..., Work]]] = {
    "_||_": lambda one, other: _either(one, other, wanted=True),
    "_&&_": lambda one, other: _either(one, other, wanted=False),
    "_?_:_": _choice,
}


def select(of: Any, field: str) -> Any:
    """Return a field of a value; of an optional value an optional field."""
    if isinstance(of, Mapping):
        if field in of:
            return of[field]
        raise Fault(f"no such key: {field}")
    if isinstance(of, Optional):
        return optionally(of.value, field) if of.there else NONE
    if isinstance(of, Authorizer) and field == "requestResource":
        return of.about_request()
    raise Fault(values.NO_OVERLOAD)


def index(of: Any, key: Any) -> Any:
    """Return an element of a list or mapping."""
    if isinstance(of, list):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        if not isinstance(key, int) or isinstance(key, bool):
            raise Fault(f"unsupported index type '{values.type_name(key)}' in list")
        if not 0 <= key < len(of):
            raise Fault(f"index out of bounds: {key}")
        return of[key]
    if isinstance(of, Mapping):
        if not isinstance(key, str | int | float):
            raise Fault("unsupported key type")
        if key in of:
            return of[key]
        raise Fault(f"no such key: {key}")
    if isinstance(of, Optional):
        return optionally(of.value, key) if of.there else NONE
    raise Fault(values.NO_OVERLOAD)


def optionally(of: Any, key: Any) -> Optional:
    """Return a field or element if it is there."""
    if isinstance(of, Optional):
        return optionally(of.value, key) if of.there else NONE
    if isinstance(of, list):
        there = isinstance(key, int) and 0 <= key < len(of)
        return Optional(True, of[key]) if there else NONE
    if isinstance(of, Mapping):
        return Optional(True, of[key]) if key in of else NONE
    raise Fault(values.NO_OVERLOAD)


def has(of: Any, field: str) -> bool:
    """Tell whether a field is there."""
    if isinstance(of, Optional):
        return of.there and has(of.value, field)
    if isinstance(of, Mapping):
        return field in of
    raise Fault(values.NO_OVERLOAD)
