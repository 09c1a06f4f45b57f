"""Reads pipelines: commands, their operands, and the variables that they declare.

Used by `syncline.core.appset.gotemplate.parser`, which reads the actions around them.
"""

from __future__ import annotations

from collections.abc import Collection

from syncline.core.appset.gotemplate import literals, nodes
from syncline.core.appset.gotemplate.lexer import Item, Kind, Lexer
from syncline.core.appset.gotemplate.quoting import quote
from syncline.core.appset.gotemplate.stream import Stream

_OPERANDS = frozenset(
    {
        Kind.BOOL,
        Kind.CHAR_CONSTANT,
        Kind.COMPLEX,
        Kind.DOT,
        Kind.FIELD,
        Kind.IDENTIFIER,
        Kind.NUMBER,
        Kind.NIL,
        Kind.RAW_STRING,
        Kind.STRING,
        Kind.VARIABLE,
        Kind.LEFT_PAREN,
    }
)
_NOT_EXECUTABLE = (nodes.BoolNode, nodes.DotNode, nodes.NilNode, nodes.NumberNode, nodes.StringNode)


class Pipelines(Stream):
    """Reads the pipelines of one template, which has variables of its own."""

    def __init__(self, lexer: Lexer, functions: Collection[str], max_depth: int) -> None:
        super().__init__(lexer)
        self._functions = functions
        self._max_depth = max_depth
        self._variables = ["$"]
        self._depth = 0

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > self._max_depth:
            raise self._error("max expression depth exceeded")

    def _pipeline(self, context: str, end: Kind) -> nodes.PipeNode:
        pipe = nodes.PipeNode(self._peek_word().pos, False, [], [])
        self._declarations(pipe, context)
        while True:
            item = self._next_word()
            if item.kind is end:
                self._check(pipe, context)
                return pipe
            if item.kind not in _OPERANDS:
                raise self._unexpected(item, context)
            self._backup()
            pipe.commands.append(self._command())

    def _declarations(self, pipe: nodes.PipeNode, context: str) -> None:
        while (variable := self._peek_word()).kind is Kind.VARIABLE:
            self._next()
            after = self._peek()
            following = self._peek_word()
            if following.kind in (Kind.ASSIGN, Kind.DECLARE):
                pipe.is_assign = following.kind is Kind.ASSIGN
                self._next_word()
                self._declare(pipe, variable)
                return
            if following.kind is Kind.CHAR and following.text == ",":
                self._next_word()
                self._declare(pipe, variable)
                if context != "range" or len(pipe.variables) >= 2:
                    raise self._error(f"too many declarations in {context}")
                if self._peek_word().kind not in (Kind.VARIABLE, Kind.RIGHT_DELIM, Kind.RIGHT_PAREN):
                    raise self._error("range can only initialize variables")
                continue
            if after.kind is Kind.SPACE:
                self._push_back(after, variable)
            else:
                self._push_back(variable)
            return

    def _declare(self, pipe: nodes.PipeNode, item: Item) -> None:
        pipe.variables.append(nodes.VariableNode(item.pos, item.text.split(".")))
        self._variables.append(item.text)

    def _check(self, pipe: nodes.PipeNode, context: str) -> None:
        if not pipe.commands:
            raise self._error(f"missing value for {context}")
        for stage, command in enumerate(pipe.commands[1:], start=2):
            if isinstance(command.args[0], _NOT_EXECUTABLE):
                raise self._error(f"non executable command in pipeline stage {stage}")

    def _command(self) -> nodes.CommandNode:
        command = nodes.CommandNode(self._peek_word().pos, [])
        while True:
            self._peek_word()
            operand = self._operand()
            if operand is not None:
                command.args.append(operand)
            item = self._next()
            if item.kind is Kind.SPACE:
                continue
            if item.kind in (Kind.RIGHT_DELIM, Kind.RIGHT_PAREN):
                self._backup()
            elif item.kind is not Kind.PIPE:
                raise self._unexpected(item, "operand")
            break
        if not command.args:
            raise self._error("empty command")
        return command

    def _operand(self) -> nodes.Node | None:
        node = self._term()
        if node is None or self._peek().kind is not Kind.FIELD:
            return node
        pos = self._peek().pos
        names = []
        while self._peek().kind is Kind.FIELD:
            names.append(self._next().text[1:])
        if isinstance(node, nodes.FieldNode):
            return nodes.FieldNode(pos, node.names + names)
        if isinstance(node, nodes.VariableNode):
            return nodes.VariableNode(pos, node.names + names)
        if isinstance(node, _NOT_EXECUTABLE):
            raise self._error(f"unexpected . after term {quote(str(node))}")
        return nodes.ChainNode(pos, node, names)

    def _term(self) -> nodes.Node | None:
        item = self._next_word()
        match item.kind:
            case Kind.IDENTIFIER:
                if item.text not in self._functions:
                    message = f"function {quote(item.text)} not defined"
                    raise self._error(message, unknown=item.text, known=self._functions)
                return nodes.IdentifierNode(item.pos, item.text)
            case Kind.DOT:
                return nodes.DotNode(item.pos)
            case Kind.NIL:
                return nodes.NilNode(item.pos)
            case Kind.VARIABLE:
                return self._used_variable(item)
            case Kind.FIELD:
                return nodes.FieldNode(item.pos, item.text[1:].split("."))
            case Kind.BOOL:
                return nodes.BoolNode(item.pos, item.text == "true")
            case Kind.CHAR_CONSTANT | Kind.COMPLEX | Kind.NUMBER:
                return self._number(item)
            case Kind.LEFT_PAREN:
                self._deeper()
                pipe = self._pipeline("parenthesized pipeline", Kind.RIGHT_PAREN)
                self._depth -= 1
                return pipe
            case Kind.STRING | Kind.RAW_STRING:
                return nodes.StringNode(item.pos, item.text, self._unquoted(item.text))
        self._backup()
        return None

    def _used_variable(self, item: Item) -> nodes.Node:
        names = item.text.split(".")
        if names[0] not in self._variables:
            raise self._error(f"undefined variable {quote(names[0])}")
        return nodes.VariableNode(item.pos, names)

    def _number(self, item: Item) -> nodes.Node:
        try:
            return literals.number(item)
        except literals.IllegalNumber as error:
            raise self._error(str(error)) from None
