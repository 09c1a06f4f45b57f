"""Reads an expression by CEL's grammar into a tree; raises `tree.Unreadable`.

`macros` sees every call first: some only look like one.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.cel import lexing, macros
from syncline.apimachinery.cel.lexing import Token
from syncline.apimachinery.cel.tree import (
    Call,
    Const,
    Index,
    MakeList,
    MakeMap,
    MakeObject,
    Name,
    Node,
    Select,
    Unreadable,
    qualified,
)

_DEEPEST: Final = 200
"""Levels of brackets and signs within one another; cel-go takes 250 and Python itself not many more."""
_LEVELS: Final = (
    frozenset({"||"}),
    frozenset({"&&"}),
    frozenset({"<", "<=", ">=", ">", "==", "!=", "in"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "%"}),
)
_BEGINS: Final = "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
"""What may begin an expression, as the server's parser lists it."""
_WORDS: Final = {"true": True, "false": False, "null": None}
_RESERVED: Final = frozenset(
    {
        "as", "break", "const", "continue", "else", "for", "function", "if", "import",
        "let", "loop", "package", "namespace", "return", "var", "void", "while", "in", "true", "false", "null",
    }
)  # fmt: skip


def parse(text: str) -> Node:
    """Read a whole expression."""
    parser = _Parser(lexing.tokens(text), text)
    try:
        node = parser.expression()
        parser.expect_end()
        if parser.passed_over:
            raise parser.passed_over.pop()
    except Unreadable as problem:
        problem.earlier = tuple(parser.passed_over)
        raise
    return node


class _Parser:
    def __init__(self, found: list[Token], text: str) -> None:
        self._tokens = found
        self._text = text
        self._opened = False
        """Whether the last token opened a list of arguments, which may end at once."""
        self.passed_over: list[Unreadable] = []
        self._next = 0
        self._depth = 0

    @property
    def _now(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._now
        self._next += 1
        return token

    def _is(self, sign: str) -> bool:
        return self._now.sort in ("sign", "word") and self._now.value == sign

    def _skip(self, sign: str) -> bool:
        if self._is(sign):
            self._next += 1
            return True
        return False

    def _expect(self, sign: str) -> Token:
        if not self._is(sign):
            raise Unreadable(f"Syntax error: missing '{sign}' at '{self._shown()}'", self._now.at)
        return self._take()

    def _shown(self) -> str:
        if self._now.sort == "end":
            return "<EOF>"
        return self._text[self._now.at : self._tokens[self._next + 1].at].rstrip()

    def _surprise(self) -> Unreadable:
        """Return the complaint where an expression should begin."""
        closing = "')', " if self._opened else ""
        wanted = "{'[', '{', '(', " + closing + _BEGINS
        after = self._tokens[self._next + 1] if self._now.sort != "end" else self._now
        extra = after.sort in ("const", "word") and self._now.value not in (")", "]", "}")
        word = "extraneous" if extra else "mismatched"
        return Unreadable(f"Syntax error: {word} input '{self._shown()}' expecting {wanted}", self._now.at)

    def expect_end(self) -> None:
        """Refuse what follows a whole expression."""
        if self._now.sort != "end":
            raise Unreadable(f"Syntax error: extraneous input '{self._shown()}' expecting <EOF>", self._now.at)

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unreadable("expression recursion limit exceeded", self._now.at)
        node = self._binary(0)
        if self._is("?"):
            at = self._take().at
            yes = self._binary(0)
            self._expect(":")
            node = Call(at, "_?_:_", None, (node, yes, self.expression()))
        self._depth -= 1
        return node

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        node = self._binary(level + 1)
        while self._now.sort in ("sign", "word") and self._now.value in _LEVELS[level]:
            sign = self._take()
            name = "@in" if sign.value == "in" else f"_{sign.value}_"
            node = Call(sign.at, name, None, (node, self._binary(level + 1)))
        return node

    def _unary(self) -> Node:
        if self._is("!") or self._is("-"):
            sign, count, at = self._now.value, 0, self._now.at
            while self._skip(sign):
                count += 1
            if sign == "-" and count % 2 and type(self._now.value) in (int, float) and self._now.sort == "const":
                constant = self._take()
                return self._members(Const(at, -constant.value))
            node = self._members(self._primary())
            return Call(at, "!_" if sign == "!" else "-_", None, (node,)) if count % 2 else node
        return self._members(self._primary())

    def _members(self, node: Node) -> Node:
        if isinstance(node, Const) and node.value == 1 << 63 and type(node.value) is int:
            raise Unreadable("invalid int literal", node.at)
        while True:
            if self._is("."):
                dot = self._take().at
                optional = self._skip("?")
                try:
                    field = self._field()
                except Unreadable as problem:
                    self.passed_over.append(problem)
                    return node
                if self._is("(") and not optional and field.sort == "word":
                    opened = self._take().at
                    node = macros.expanded(Call(opened, field.value, node, self._arguments(")")))
                else:
                    node = Select(dot, node, field.value, optional)
            elif self._is("["):
                at = self._take().at
                optional = self._skip("?")
                key = self.expression()
                self._expect("]")
                node = Index(at, node, key, optional)
            elif self._is("{") and qualified(node):
                node = self._object(node)
            else:
                return node

    def _field(self) -> Token:
        if self._now.sort not in ("word", "quoted") or (self._now.value in _WORDS) or self._now.value == "in":
            begin = self._tokens[self._next - 1].at
            written = self._text[begin : self._now.at] + self._shown()
            raise Unreadable(f"Syntax error: no viable alternative at input '{written}'", self._now.at)
        return self._take()

    def _arguments(self, end: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self._is(end):
            self._opened = not found
            found.append(self.expression())
            if not self._skip(","):
                break
        self._expect(end)
        return tuple(found)

    def _object(self, name: Node) -> Node:
        at = self._expect("{").at
        fields: list[tuple[str, Node, bool]] = []
        while not self._is("}"):
            optional = self._skip("?")
            field = self._field().value
            self._expect(":")
            fields.append((field, self.expression(), optional))
            if not self._skip(","):
                break
        self._expect("}")
        return MakeObject(at, qualified(name), tuple(fields))

    def _primary(self) -> Node:
        token = self._now
        if token.sort != "end":
            self._opened = False
        if token.sort == "const":
            return Const(token.at, self._take().value)
        if token.sort == "word" and token.value in _WORDS:
            return Const(token.at, _WORDS[self._take().value])
        if self._skip("("):
            node = self.expression()
            self._expect(")")
            return node
        if self._skip("["):
            return self._list(token.at)
        if self._skip("{"):
            return self._map(token.at)
        self._skip(".")
        return self._word()

    def _word(self) -> Node:
        token = self._now
        if token.sort != "word" or token.value in _RESERVED:
            raise self._surprise()
        self._take()
        if self._is("("):
            at = self._take().at
            return macros.expanded(Call(at, token.value, None, self._arguments(")")))
        return Name(token.at, token.value)

    def _list(self, at: int) -> Node:
        items: list[tuple[Node, bool]] = []
        while not self._is("]"):
            optional = self._skip("?")
            items.append((self.expression(), optional))
            if not self._skip(","):
                break
        self._expect("]")
        return MakeList(at, tuple(items))

    def _map(self, at: int) -> Node:
        entries: list[tuple[Node, Node, bool]] = []
        while not self._is("}"):
            optional = self._skip("?")
            key = self.expression()
            self._expect(":")
            entries.append((key, self.expression(), optional))
            if not self._skip(","):
                break
        self._expect("}")
        return MakeMap(at, tuple(entries))
