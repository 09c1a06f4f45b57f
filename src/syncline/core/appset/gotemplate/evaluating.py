"""Gives the values of pipelines, by Go's rules and with Go's errors: fields, variables, literals and calls.

The executor beside it walks what is written around them. The odd fact a changer must know: a missing key (`NO_VALUE`)
and a key whose value is null (`None`) are told apart until the end of a pipeline, where null becomes a missing value
too; errors and the permitted arguments differ between the two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from syncline.core.appset.gotemplate import formatting, nodes
from syncline.core.appset.gotemplate.errors import CallError, ExecError
from syncline.core.appset.gotemplate.functions import ANY, NILS, VALUE, Context, Function
from syncline.core.appset.gotemplate.quoting import quote, to_bytes
from syncline.core.appset.gotemplate.values import ELEMENTS, NO_VALUE, Object, is_true, type_name

_NO_FINAL = object()
"""No value comes from the command before."""
_SHORT_CIRCUITS = ("and", "or")


class Evaluator:
    """The values of one text; `_node` is what is looked at, for errors."""

    def __init__(self, text: str, functions: Mapping[str, Function], missing_key: str, context: Context) -> None:
        self._text = text
        self._functions = functions
        self._missing_key = missing_key
        self._context = context
        self._budget = context.budget
        self._node: nodes.Node | None = None
        self._name = ""  # of the template that is rendered
        self._variables: list[list[Any]] = []
        self._boxed = False  # whether dot came out of a list or map of anything, which some errors tell

    def _failed(self, message: str, *, unknown: str = "", known: Collection[str] = ()) -> ExecError:
        name = quote(self._name)
        if self._node is None:
            return ExecError(f"template: {self._name}: {message}", unknown=unknown, known=known)
        before = self._text[: self._node.pos]
        line = before.count("\n") + 1
        column = len(to_bytes(before[before.rfind("\n") + 1 :]))
        # Go puts the name into the text as it would be quoted, but for its percent signs.
        place = f"template: :{line}:{column}: executing {name} at <{self._node}>"
        return ExecError(f"{place}: {message}", unknown=unknown, known=known)

    def _shown(self, value: Any) -> str:
        return formatting.plain(value, self._budget)

    def _pipeline(self, dot: Any, pipe: nodes.PipeNode) -> Any:
        self._node = pipe
        value: Any = _NO_FINAL
        for command in pipe.commands:
            value = self._command(dot, command, value)
            if value is None:
                value = NO_VALUE
        for variable in pipe.variables:
            if pipe.is_assign:
                self._assign(variable.names[0], value)
            else:
                self._variables.append([variable.names[0], value, False])
        return value

    def _assign(self, name: str, value: Any) -> None:
        self._variable(name)[1:] = [value, False]

    def _variable(self, name: str) -> list[Any]:
        for index in range(len(self._variables) - 1, -1, -1):
            if self._variables[index][0] == name:
                return self._variables[index]
        raise self._failed(f"undefined variable: {name}")

    def _not_a_function(self, args: Sequence[nodes.Node], final: Any) -> None:
        if len(args) > 1 or final is not _NO_FINAL:
            raise self._failed(f"can't give argument to non-function {args[0]}")

    def _command(self, dot: Any, command: nodes.CommandNode, final: Any) -> Any:
        self._budget.spend(1)
        first = command.args[0]
        match first:
            case nodes.FieldNode():
                return self._field_node(dot, first, command.args, final)
            case nodes.IdentifierNode():
                self._node = first
                return self._call(dot, first.name, command, command.args[1:], final)
            case nodes.VariableNode():
                return self._variable_node(dot, first, command.args, final)
            case nodes.ChainNode():
                return self._chain_node(dot, first, command.args, final)
            case nodes.PipeNode():
                self._not_a_function(command.args, final)
                return self._pipeline(dot, first)
        self._node = first
        self._not_a_function(command.args, final)
        if isinstance(first, nodes.DotNode):
            return dot
        if isinstance(first, nodes.NilNode):
            raise self._failed("nil is not a command")
        return self._literal(first)

    def _literal(self, node: nodes.Node) -> Any:
        match node:
            case nodes.BoolNode():
                return node.value
            case nodes.StringNode():
                return node.text
            case nodes.NumberNode():
                return self._constant(node)
        raise self._failed(f"can't handle assignment of {node} to empty interface argument")

    def _constant(self, node: nodes.NumberNode) -> Any:
        """Return a number where nothing says which type is wanted: its form decides."""
        self._node = node
        text = node.text
        if node.complex is not None:
            return node.complex
        hexadecimal = text[:2] in ("0x", "0X") and "p" not in text.lower()
        if node.floating is not None and not hexadecimal and text[0] != "'" and any(c in ".eEpP" for c in text):
            return node.floating
        if node.integer is not None:
            return node.integer
        raise self._failed(f"{text} overflows int")

    def _field_node(self, dot: Any, node: nodes.FieldNode, args: Sequence[nodes.Node], final: Any) -> Any:
        self._node = node
        return self._chain(dot, dot, self._boxed, node, node.names, args, final)

    def _variable_node(self, dot: Any, node: nodes.VariableNode, args: Sequence[nodes.Node], final: Any) -> Any:
        self._node = node
        entry = self._variable(node.names[0])
        if len(node.names) == 1:
            if args:
                self._not_a_function(args, final)
            return entry[1]
        return self._chain(dot, entry[1], entry[2], node, node.names[1:], args, final)

    def _chain_node(self, dot: Any, node: nodes.ChainNode, args: Sequence[nodes.Node], final: Any) -> Any:
        self._node = node
        if isinstance(node.node, nodes.NilNode):
            raise self._failed(f"indirection through explicit nil in {node}")
        receiver = self._argument(dot, None, node.node)
        return self._chain(dot, receiver, False, node, node.names, args, final)

    def _chain(
        self,
        dot: Any,
        receiver: Any,
        boxed: bool,
        node: nodes.Node,
        names: Sequence[str],
        args: Sequence[nodes.Node],
        final: Any,
    ) -> Any:
        last = len(names) - 1
        for index, name in enumerate(names):
            held_in = receiver
            if receiver.__class__ is dict and (index < last or (len(args) < 2 and final is _NO_FINAL)):
                receiver = receiver[name] if name in receiver else self._missing(receiver, name)
            elif index < last:
                receiver = self._field(dot, name, node, (), _NO_FINAL, receiver, boxed)
            else:
                return self._field(dot, name, node, args, final, receiver, boxed)
            boxed = type(held_in) not in ELEMENTS and not isinstance(held_in, Object) and receiver is not NO_VALUE
        return receiver

    def _missing(self, receiver: Any, name: str) -> Any:
        if self._missing_key == "error":
            raise self._failed(f"map has no entry for key {quote(name)}", unknown=name, known=receiver)
        if self._missing_key == "zero":
            return "" if ELEMENTS.get(type(receiver)) == "string" else None
        return NO_VALUE

    def _field(
        self,
        dot: Any,
        name: str,
        node: nodes.Node,
        args: Sequence[nodes.Node],
        final: Any,
        receiver: Any,
        boxed: bool,
    ) -> Any:
        if receiver is NO_VALUE:
            if self._missing_key == "error":
                raise self._failed(f"nil data; no entry for key {quote(name)}")
            return NO_VALUE
        if receiver is None:
            raise self._failed(f"nil pointer evaluating interface {{}}.{name}")
        if isinstance(receiver, Object):
            method = receiver.method(name)
            if method is not None:
                function = Function(method[1], method[0])
                return self._invoke(dot, name, function, node, args[1:], final)
        elif isinstance(receiver, Mapping):
            if len(args) > 1 or final is not _NO_FINAL:
                raise self._failed(f"{name} is not a method but has arguments")
            return receiver[name] if name in receiver else self._missing(receiver, name)
        raise self._failed(f"can't evaluate field {name} in type {ANY if boxed else type_name(receiver)}")

    # Calling.

    def _call(self, dot: Any, name: str, node: nodes.Node, args: Sequence[nodes.Node], final: Any) -> Any:
        return self._invoke(dot, name, self._functions[name], node, args, final)

    def _invoke(
        self, dot: Any, name: str, function: Function, node: nodes.Node, args: Sequence[nodes.Node], final: Any
    ) -> Any:
        params, variadic = function.params, function.variadic
        count = len(args) + (final is not _NO_FINAL)
        fixed = len(params) - variadic
        if variadic:
            if count < fixed:
                raise self._failed(f"wrong number of args for {name}: want at least {fixed} got {len(args)}")
        elif count != fixed:
            raise self._failed(f"wrong number of args for {name}: want {fixed} got {count}")
        if name in _SHORT_CIRCUITS:
            return self._short_circuit(dot, name, args, final)
        values = [
            self._argument(dot, params[index] if index < fixed else params[-1], arg) for index, arg in enumerate(args)
        ]
        if final is not _NO_FINAL:
            at = len(values)
            values.append(self._validated(final, params[at] if at < fixed else params[-1]))
        self._budget.spend(1)
        return self._answer(name, function, node, values, args)

    def _answer(
        self, name: str, function: Function, node: nodes.Node, values: list[Any], args: Sequence[nodes.Node]
    ) -> Any:
        try:
            if name == "call":
                return function.call(str(args[0]) if args else _described(values[0]), *values)
            result = function.call(self._context, *values) if function.needs_context else function.call(*values)
        except CallError as error:
            self._node = node
            raise self._failed(f"error calling {name}: {error}") from None
        if result.__class__ is str and len(result) > 64:
            self._budget.text(len(result))
        return result

    def _short_circuit(self, dot: Any, name: str, args: Sequence[nodes.Node], final: Any) -> Any:
        value: Any = NO_VALUE
        for arg in args:
            value = self._argument(dot, VALUE, arg)
            if is_true(value) == (name == "or"):
                return value
        return value if final is _NO_FINAL else final

    def _argument(self, dot: Any, wanted: str | None, node: nodes.Node) -> Any:
        self._budget.spend(1)
        self._node = node
        match node:
            case nodes.StringNode() | nodes.NumberNode() | nodes.BoolNode():
                return self._literal_argument(wanted, node)
            case nodes.FieldNode():
                value = self._field_node(dot, node, (node,), _NO_FINAL)
            case nodes.DotNode():
                value = dot
            case nodes.VariableNode():
                value = self._variable_node(dot, node, (), _NO_FINAL)
            case nodes.PipeNode():
                value = self._pipeline(dot, node)
            case nodes.IdentifierNode():
                value = self._call(dot, node.name, node, (), _NO_FINAL)
            case nodes.ChainNode():
                value = self._chain_node(dot, node, (), _NO_FINAL)
            case _:
                if wanted in NILS:
                    return NILS[wanted]()
                raise self._failed(f"cannot assign nil to {wanted}")
        return self._validated(value, wanted)

    def _literal_argument(self, wanted: str | None, node: nodes.Node) -> Any:
        if wanted in (ANY, VALUE):
            return self._literal(node)
        value: Any = None
        match wanted, node:
            case "string", nodes.StringNode():
                value = node.text
            case "int", nodes.NumberNode():
                value = node.integer
            case "float64", nodes.NumberNode():
                value = node.floating
            case "bool", nodes.BoolNode():
                value = node.value
        if value is not None:
            return value
        expected = {"string": "string", "int": "integer", "float64": "float", "bool": "bool"}.get(wanted or "")
        if expected is None:
            raise self._failed(f"can't handle {node} for arg of type {wanted}")
        raise self._failed(f"expected {expected}; found {node}")

    def _validated(self, value: Any, wanted: str | None) -> Any:
        if wanted is None or wanted == VALUE:
            return value
        if value is NO_VALUE:
            if wanted in NILS:
                return NILS[wanted]()
            raise self._failed(f"invalid value; expected {wanted}")
        if wanted == ANY:
            return value
        if value is None:
            raise self._failed(f"wrong type for value; expected {wanted}; got {ANY}")
        actual = type_name(value)
        if actual != wanted:
            raise self._failed(f"wrong type for value; expected {wanted}; got {actual}")
        return value


def _described(value: Any) -> str:
    """Return a value as Go names it where only texts have a text."""
    return value if isinstance(value, str) else f"<{type_name(value)} Value>"
