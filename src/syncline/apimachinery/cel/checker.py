"""Works out the types of an expression and says what cannot be, in cel-go's words, before anything runs.

Called by `program` with the declared variables. Where types are not known (`dyn`) nothing is said; a type letter of a
signature stands for one type throughout it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from syncline.apimachinery.cel import regexes, texts, times, tree, types, values
from syncline.apimachinery.cel.overloads import Functions, Overload
from syncline.apimachinery.cel.scope import Scope
from syncline.apimachinery.cel.types import BOOL, DYN, ERROR, INT, STRING, Type
from syncline.apimachinery.cel.visiting import Visitor

_CONSTANTS: Final[dict[type, Type]] = {
    bool: BOOL, int: INT, values.Uint: types.UINT, float: types.DOUBLE, str: STRING, bytes: types.BYTES,
    type(None): types.NULL,
}  # fmt: skip
_LITERALS: Final[dict[str, Callable[[str], object]]] = {
    "matches": lambda text: regexes.matches("", text),
    "timestamp": times.parse,
    "duration": times.parse_length,
}
_WRITTEN: Final = {
    "d": ("int", "uint"), "f": ("double", "string"), "e": ("double", "string"), "b": ("int", "uint", "bool"),
    "o": ("int", "uint"), "x": ("int", "uint", "string", "bytes"), "X": ("int", "uint", "string", "bytes"),
}  # fmt: skip
"""Types that a percent sign can write."""
_NEVER_NULL: Final = frozenset({"bool", "int", "uint", "double", "string", "bytes", "list", "map"})


class Complaint(NamedTuple):
    """What is wrong, and at which letter."""

    at: int
    text: str


class Checker(Visitor[Type]):
    """Checks expressions with one set of functions, variables and types that can be written."""

    def __init__(self, functions: Functions, variables: Mapping[str, Type], named: Mapping[str, Type]) -> None:
        self.functions = functions
        self._variables = Scope(variables)
        self._named = named
        self._mixed = False
        """Whether lists may hold several types: only what `format` is given."""
        self.complaints: list[Complaint] = []
        self.types: dict[int, Type] = {}
        """The types of the parts of a tree, by identity: the tree must be kept as long."""
        self.chosen: dict[int, tuple[Overload, ...]] = {}
        """The signatures that fit each call."""

    def check(self, node: tree.Node) -> Type:
        """Return the type of a tree; complaints, types and signatures are kept."""
        found = self.visited(node)
        self.types[id(node)] = found
        return found

    def _say(self, at: int, text: str) -> Type:
        self.complaints.append(Complaint(at, text))
        return ERROR

    def _const(self, node: tree.Const) -> Type:
        return _CONSTANTS[type(node.value)]

    def _name(self, node: tree.Name) -> Type:
        if (found := self._variables.get(node.name)) is not None:
            return found
        if node.name in self._named:
            return types.type_of(self._named[node.name])
        return self._say(node.at, f"undeclared reference to '{node.name}' (in container '')")

    def _select(self, node: tree.Select) -> Type:
        name = tree.qualified(node)
        if name in self._named:
            return types.type_of(self._named[name])
        found = self._field(self.check(node.of), node.field, node.at)
        return types.optional_of(found) if node.optional and found.name != "optional" else found

    def _field(self, of: Type, field: str, at: int) -> Type:
        if of.name in ("dyn", "!error!"):
            return of
        if of.fields is not None:
            return of.fields.get(field) or self._say(at, f"undefined field '{field}'")
        if of.name == "map":
            return of.args[1]
        if of.name == "optional":
            inner = self._field(of.args[0], field, at)
            return inner if inner.name == "optional" else types.optional_of(inner)
        return self._say(at, f"type '{of}' does not support field selection")

    def _has(self, node: tree.Has) -> Type:
        self._field(self.check(node.of), node.field, node.at)
        return BOOL

    def _index(self, node: tree.Index) -> Type:
        of, key = self.check(node.of), self.check(node.key)
        found = self._element(of, key)
        if found is None:
            sign = "_[?_]" if node.optional else "_[_]"
            return self._say(node.at, _unmatched(sign, (of, key), member=False))
        return types.optional_of(found) if node.optional and found.name != "optional" else found

    def _element(self, of: Type, key: Type) -> Type | None:
        if of.name in ("dyn", "!error!"):
            return of
        if of.name == "list":
            return of.args[0] if key.name in ("int", "uint", "double", "dyn", "!error!") else None
        if of.name == "map":
            return of.args[1] if _unify(of.args[0], key, {}) else None
        if of.name == "optional":
            inner = self._element(of.args[0], key)
            return None if inner is None else types.optional_of(inner)
        return None

    def _joined(self, known: Type | None, node: tree.Node, *, optional: bool) -> Type:
        """Return the one type of the elements written so far."""
        found = self.check(node)
        if optional:
            found = found.args[0] if found.name == "optional" else DYN
        if known is None or known.name == "dyn":
            return found
        if _unify(known, found, {}):
            return DYN if found.name == "dyn" else known
        if not self._mixed:
            self._say(node.at, f"expected type '{known}' but found '{found}'")
        return DYN

    def _makelist(self, node: tree.MakeList) -> Type:
        element: Type | None = None
        for item, optional in node.items:
            element = self._joined(element, item, optional=optional)
        return types.list_of(element or DYN)

    def _makemap(self, node: tree.MakeMap) -> Type:
        key: Type | None = None
        value: Type | None = None
        for name, item, optional in node.entries:
            key = self._joined(key, name, optional=False)
            value = self._joined(value, item, optional=optional)
        return types.map_of(key or DYN, value or DYN)

    def _makeobject(self, node: tree.MakeObject) -> Type:
        made = self._named.get(node.name)
        if made is None or made.fields is None:
            if made is None:
                self._say(node.at, f"undeclared reference to '{node.name}' (in container '')")
            for _, value, _ in node.fields:
                self.check(value)
            return made or ERROR
        for name, value, optional in node.fields:
            found = self.check(value)
            wanted = made.fields.get(name)
            if wanted is None:
                self._say(node.at, f"undefined field '{name}'")
            elif not _unify(types.optional_of(wanted) if optional else wanted, found, {}):
                self._say(node.at, f"expected type of field '{name}' is '{wanted}' but provided type is '{found}'")
        return made

    def _call(self, node: tree.Call) -> Type:
        if node.name == "_?_:_":
            return self._choice(node)
        if node.name in ("_&&_", "_||_"):
            for part in node.args:
                self._truth(self.check(part), part)
            return BOOL
        name, given = self.functions.called(node)
        return self._called(node, name, given, member=node.target is not None and name == node.name)

    def _called(self, node: tree.Call, name: str, given: tuple[tree.Node, ...], *, member: bool) -> Type:
        overloads = self.functions.named.get(name)
        if overloads is None:
            before = self.check(given[0]) if member else None  # cel-go speaks of what stands before the dot first
            self._say(node.at, f"undeclared reference to '{name}' (in container '')")
            for part in given if before is None else given[1:]:
                self.check(part)
            return ERROR
        outer, self._mixed = self._mixed, self._mixed or name == "format"
        found = tuple(map(self.check, given))
        self._mixed = outer
        self._literal(name, given)
        if name == "format" and member and len(given) == 2:
            self._pattern(node.at, given[0], given[1])
        fitting = [(one, result) for one in overloads if (result := _result(one, found, member=member)) is not None]
        if not fitting:
            return self._say(node.at, _unmatched(name, found, member=member))
        self.chosen[id(node)] = tuple(one for one, _ in fitting)
        results = [result for _, result in fitting]
        return results[0] if all(one == results[0] for one in results) else DYN

    def _literal(self, name: str, given: tuple[tree.Node, ...]) -> None:
        """Refuse times and patterns that are written out and wrong, before anything runs."""
        reads = _LITERALS.get(name)
        last = given[-1] if given else None
        if reads is None or not isinstance(last, tree.Const) or not isinstance(last.value, str):
            return
        try:
            reads(last.value)
        except values.Fault:
            self._say(last.at, f"invalid {name} argument")

    def _pattern(self, at: int, pattern: tree.Node, given: tree.Node) -> None:
        """Refuse percent signs that cannot write what they are given, where both are written out."""
        if not (
            isinstance(pattern, tree.Const) and isinstance(pattern.value, str) and isinstance(given, tree.MakeList)
        ):
            return
        try:
            wanted = [one for one in texts.clauses(pattern.value) if not isinstance(one, str)]
        except values.Fault as fault:
            self._say(at, str(fault))
            return
        if len(wanted) > len(given.items):
            self._say(at, f"index {len(given.items)} out of range")
            return
        if len(wanted) < len(given.items):
            told = f"too many arguments supplied to string.format (expected {len(wanted)}, got {len(given.items)})"
            self._say(at, told)
            return
        before = len(self.complaints)
        found = [self.check(item) for item, _ in given.items]
        del self.complaints[before:]  # said already
        for clause, one, (item, _) in zip(wanted, found, given.items, strict=True):
            fits = one.name in _WRITTEN[clause.letter] if clause.letter != "s" else "." not in one.name
            if not fits and one.name not in ("dyn", "!error!"):
                self._say(item.at, texts.unfit(clause.letter, str(one)))

    def _choice(self, node: tree.Call) -> Type:
        question, yes, no = map(self.check, node.args)
        known: dict[str, Type] = {}
        if _unify(BOOL, question, {}) and _unify(Type("T"), yes, known) and _unify(Type("T"), no, known):
            return DYN if "dyn" in (yes.name, no.name) else no if yes.name == "null" else yes
        return self._say(node.at, _unmatched("_?_:_", (question, yes, no), member=False))

    def _within(self, more: Mapping[str, Type], node: tree.Node) -> Type:
        return self._variables.within(more, partial(self.check, node))

    def _optmap(self, node: tree.OptMap) -> Type:
        of = self.check(node.of)
        made = self._within({node.variable: of.args[0] if of.name == "optional" else DYN}, node.result)
        return made if node.flat else types.optional_of(made)

    def _fold(self, node: tree.Fold) -> Type:
        of = self.check(node.of)
        variables = self._walked(of, node)
        if node.condition is not None:
            self._truth(self._within(variables, node.condition), node.condition)
        made = self._within(variables, node.result)
        if node.sort in ("all", "exists", "exists_one"):
            self._truth(made, node.result)
            return BOOL
        if node.sort == "transformMap":
            return types.map_of(variables[node.variables[0]], made)
        if node.sort == "sortBy":
            return of
        return made if node.sort == "transformMapEntry" else types.list_of(made)

    def _truth(self, found: Type, node: tree.Node) -> None:
        if not _unify(BOOL, found, {}):
            self._say(node.at, f"expected type 'bool' but found '{found}'")

    def _walked(self, of: Type, node: tree.Fold) -> dict[str, Type]:
        if of.name == "list":
            elements = (INT, of.args[0])
        elif of.name == "map":
            elements = (of.args[0], of.args[1])
        else:
            if of.name not in ("dyn", "!error!"):
                told = f"expression of type '{of}' cannot be range of a comprehension (must be list, map, or dynamic)"
                self._say(node.of.at, told)
            elements = (DYN, DYN)
        if len(node.variables) == 2:
            return dict(zip(node.variables, elements, strict=True))
        return {node.variables[0]: elements[0] if of.name == "map" else elements[1]}


def _unmatched(name: str, given: tuple[Type, ...], *, member: bool) -> str:
    shown = [str(one) for one in given]
    applied = f"{shown[0]}.({', '.join(shown[1:])})" if member else f"({', '.join(shown)})"
    return f"found no matching overload for '{name}' applied to '{applied}'"


def _result(overload: Overload, given: tuple[Type, ...], *, member: bool) -> Type | None:
    if overload.member != member or len(overload.parameters) != len(given):
        return None
    known: dict[str, Type] = {}
    if not all(_unify(wanted, found, known) for wanted, found in zip(overload.parameters, given, strict=True)):
        return None
    return _filled(overload.result, known)


def _filled(wanted: Type, known: dict[str, Type]) -> Type:
    if wanted.is_open:
        return known.get(wanted.name, DYN)
    return (
        Type(wanted.name, tuple(_filled(one, known) for one in wanted.args), wanted.fields) if wanted.args else wanted
    )


def _unify(wanted: Type, found: Type, known: dict[str, Any]) -> bool:
    """Tell whether a value of one type can stand where another is wanted; letters are fixed on the way."""
    if found.name in ("dyn", "!error!") or wanted.name in ("dyn", "!error!"):
        if wanted.is_open:
            known.setdefault(wanted.name, found)
        return True
    if wanted.is_open:
        before = known.get(wanted.name)
        if before is None or before.name in ("dyn", "null", "!error!"):
            if before is not None and before.name == "null" and not _unify(found, before, {}):
                return False
            known[wanted.name] = found
            return True
        return _unify(before, found, known) or _unify(found, before, known)
    if found.name == "null" or wanted.name == "null":
        other = wanted if found.name == "null" else found
        return other.name == "null" or other.name not in _NEVER_NULL
    if wanted.name != found.name or len(wanted.args) != len(found.args):
        return False
    return all(_unify(one, other, known) for one, other in zip(wanted.args, found.args, strict=True))
