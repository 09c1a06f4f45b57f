"""Works out an expression for the values it is given.

Called by `syncline.core.notify.triggers` with the nodes of `syncline.core.expr.parser`. Values are plain: maps, lists,
texts, numbers; times and durations are Go's; functions are those of templates (`Function`), so that one table serves
both. Nil has no fields: asking for one raises `NothingThere`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncline.core.appset.functions.durations import GoDuration
from syncline.core.appset.functions.times import GoTime
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Function
from syncline.core.appset.gotemplate.values import Object
from syncline.core.expr import nodes, operators
from syncline.core.expr.builtins import PLAIN
from syncline.core.expr.closures import CLOSURES
from syncline.core.expr.errors import ExprError, NothingThere
from syncline.core.expr.limits import MOST_STEPS
from syncline.core.expr.nodes import Node
from syncline.core.expr.parser import WITH_CLOSURE


def evaluate(node: Node, variables: Mapping[str, Any]) -> Any:
    """Return the value of an expression; raises `ExprError`."""
    try:
        return _Evaluation(variables).value(node, _NO_SCOPE)
    except CallError as error:
        raise ExprError(str(error)) from None
    except RecursionError:
        raise ExprError("the values of the expression nest too deep") from None


class _Nil(Exception):
    """An optional member had nothing to be taken from: the chain is nil."""


Scope = Mapping[str, Any]
_NO_SCOPE: Scope = {}


class _Evaluation:
    """One expression with its values; counts what it does."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._left = MOST_STEPS

    def value(self, node: Node, scope: Scope) -> Any:
        """Return the value of a node; `scope` has what closures and `let` name, pointers with a # before them."""
        self._left -= 1
        if self._left < 0:
            raise ExprError(f"the expression needs more than {MOST_STEPS} steps")
        match node:
            case nodes.Constant():
                return node.value
            case nodes.Name():
                return scope[node.name] if node.name in scope else self._variables.get(node.name)
            case nodes.Member():
                return self._member(node, scope)
            case nodes.Binary():
                return self._binary(node, scope)
            case nodes.Unary():
                return self._unary(node, scope)
            case nodes.Call():
                return self._call(node, scope)
            case nodes.Chain():
                try:
                    return self.value(node.of, scope)
                except _Nil:
                    return None
            case nodes.Choice():
                return self.value(node.one if operators.truth(self.value(node.test, scope)) else node.other, scope)
            case nodes.Items():
                return [self.value(item, scope) for item in node.items]
            case _:
                return self._rare(node, scope)

    def _rare(self, node: Node, scope: Scope) -> Any:
        match node:
            case nodes.Pointer():
                if f"#{node.name}" not in scope:
                    raise ExprError(f"#{node.name} is known only within a closure")
                return scope[f"#{node.name}"]
            case nodes.Pairs():
                return {str(self.value(key, scope)): self.value(item, scope) for key, item in node.pairs}
            case nodes.Let():
                return self.value(node.body, {**scope, node.name: self.value(node.value, scope)})
            case nodes.Slice():
                return self._slice(node, scope)
            case _:
                raise ExprError("a closure stands only behind functions such as filter")

    def _slice(self, node: nodes.Slice, scope: Scope) -> Any:
        of = self.value(node.of, scope)
        if not isinstance(of, str | list):
            raise ExprError(f"{operators.kind(of)} cannot be cut")
        ends = [None if end is None else self.value(end, scope) for end in (node.start, node.end)]
        if any(end is not None and not isinstance(end, int) for end in ends):
            raise ExprError("a text or list is cut at whole numbers")
        return of[ends[0] : ends[1]]

    def _member(self, node: nodes.Member, scope: Scope) -> Any:
        of = self.value(node.of, scope)
        if of is None and node.optional:
            raise _Nil
        key = self.value(node.key, scope)
        if of is None:
            raise NothingThere(f"cannot fetch {key} from nil")
        return fetched(of, key)

    def _unary(self, node: nodes.Unary, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        if node.operator == "not":
            return not operators.truth(value)
        if isinstance(value, GoDuration):
            return GoDuration(-value.nanoseconds) if node.operator == "-" else value
        if not operators.is_number(value):
            raise ExprError(f"{operators.kind(value)} has no sign")
        return -value if node.operator == "-" else value

    def _binary(self, node: nodes.Binary, scope: Scope) -> Any:
        word = node.operator
        left = self.value(node.left, scope)
        if word == "??":
            return self.value(node.right, scope) if left is None else left
        if word in ("and", "or"):
            if operators.truth(left) is (word == "or"):
                return left
            return operators.truth(self.value(node.right, scope))
        right = self.value(node.right, scope)
        self._left -= _size(right) if word == "in" else 0
        match word:
            case "==" | "!=":
                return operators.equal(left, right) is (word == "==")
            case "<" | ">" | "<=" | ">=":
                return operators.compare(word, left, right)
            case "in":
                return operators.within(left, right)
            case "matches":
                return operators.matches(left, right)
            case "contains":
                return left is not None and operators.text(right) in operators.text(left)
            case "startsWith":
                return left is not None and operators.text(left).startswith(operators.text(right))
            case "endsWith":
                return left is not None and operators.text(left).endswith(operators.text(right))
            case "..":
                return operators.span(left, right)
            case _:
                return operators.calculated(word, left, right)

    def _call(self, node: nodes.Call, scope: Scope) -> Any:
        function = node.function
        if isinstance(function, nodes.Name) and function.name not in scope and function.name not in self._variables:
            return self._builtin(function.name, node.arguments, scope)
        if isinstance(function, nodes.Member):
            of = self.value(function.of, scope)
            if of is None:
                if function.optional:
                    raise _Nil
                raise NothingThere("cannot call a method of nil")
            found = fetched(of, self.value(function.key, scope))
            name = str(self.value(function.key, scope))
        else:
            found, name = self.value(function, scope), "it"
        return self._invoked(name, found, [self.value(one, scope) for one in node.arguments])

    def _invoked(self, name: str, function: Any, arguments: Sequence[Any]) -> Any:
        if not isinstance(function, Function):
            raise ExprError(f"{name} is not a function but {operators.kind(function)}")
        least = len(function.params) - function.variadic
        if len(arguments) < least or (len(arguments) > least and not function.variadic):
            raise ExprError(f"{name} takes {least} arguments, not {len(arguments)}")
        for wanted, given in zip(function.params, arguments, strict=False):
            _check(name, wanted, given)
        return function.call(*arguments)

    def _builtin(self, name: str, arguments: Sequence[Node], scope: Scope) -> Any:
        if name in WITH_CLOSURE:
            return self._with_closure(name, arguments, scope)
        known = PLAIN.get(name)
        if known is None:
            raise ExprError(f"unknown function {name}")
        if name == "now":
            clock = self._variables.get("time")
            return self._invoked("now", clock.get("Now") if isinstance(clock, Mapping) else None, ())
        least, most, function = known
        if not least <= len(arguments) <= most:
            raise ExprError(f"{name} takes {least} to {most} arguments, not {len(arguments)}")
        values = [self.value(one, scope) for one in arguments]
        self._left -= sum(map(_size, values)) >> 4
        try:
            return function(*values)
        except (TypeError, ValueError, AttributeError, OverflowError, LookupError):
            shown = ", ".join(map(operators.kind, values))
            raise ExprError(f"{name} cannot be worked out for {shown}") from None

    def _with_closure(self, name: str, arguments: Sequence[Node], scope: Scope) -> Any:
        if not arguments:
            raise ExprError(f"{name} needs a list")
        items = self.value(arguments[0], scope)
        if items is None or not isinstance(items, list | Mapping):
            raise NothingThere(f"{name} needs a list, not {operators.kind(items)}")
        elements = list(items.values()) if isinstance(items, Mapping) else items
        closure = arguments[1].body if len(arguments) > 1 and isinstance(arguments[1], nodes.Closure) else None

        def of(element: Any, index: int, **more: Any) -> Any:
            if closure is None:
                return element
            named = {f"#{word}": value for word, value in more.items()}
            return self.value(closure, {**scope, "#": element, "#index": index, **named})

        return CLOSURES[name](elements, of, [self.value(one, scope) for one in arguments[2:]])


def fetched(of: Any, key: Any) -> Any:
    """Return a field, an element or a method; a map without the key gives nil."""
    if isinstance(of, Mapping):
        return of.get(key) if isinstance(key, str) else None
    if isinstance(of, list | str):
        if not isinstance(key, int) or isinstance(key, bool):
            raise ExprError(f"cannot fetch {key} from {operators.kind(of)}")
        if not -len(of) <= key < len(of):
            raise ExprError(f"index out of range: {key} (length {len(of)})")
        return of[key]
    if isinstance(of, Object) and isinstance(key, str):
        found = of.method(key)
        if found is not None:
            return Function(found[1], found[0])
    raise ExprError(f"cannot fetch {key} from {operators.kind(of)}")


_CHECKED: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "time.Time": GoTime,
    "time.Duration": GoDuration,
    "int": int,
    "bool": bool,
}


def _check(name: str, wanted: str, given: Any) -> None:
    kinds = _CHECKED.get(wanted)
    if kinds is not None and not isinstance(given, kinds):
        words = f"{name} takes {wanted}, not {operators.kind(given)}"
        raise NothingThere(words) if given is None else ExprError(words)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | Mapping) else 1
