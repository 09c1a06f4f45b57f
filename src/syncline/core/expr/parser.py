"""Reads an expression: from its words to nodes, by the precedence of its operators.

Called once per expression by `syncline.core.notify.triggers`; `syncline.core.expr.evaluate` reads the nodes. Depth is
bounded, so that brackets within brackets cannot exhaust the stack.
"""

from __future__ import annotations

from syncline.core.expr import nodes
from syncline.core.expr.errors import InvalidExpr
from syncline.core.expr.lexer import Word, number, words
from syncline.core.expr.nodes import Node

_DEEPEST = 60
_BINARY = {
    "|": 0,
    "or": 10,
    "||": 10,
    "and": 15,
    "&&": 15,
    "==": 20,
    "!=": 20,
    "<": 20,
    ">": 20,
    ">=": 20,
    "<=": 20,
    "in": 20,
    "matches": 20,
    "contains": 20,
    "startsWith": 20,
    "endsWith": 20,
    "..": 25,
    "+": 30,
    "-": 30,
    "*": 60,
    "/": 60,
    "%": 60,
    "**": 100,
    "^": 100,
    "??": 500,
}
_UNARY = {"not": 50, "!": 50, "-": 90, "+": 90}
_RIGHT = frozenset({"**", "^"})
_NEGATABLE = frozenset({"in", "matches", "contains", "startsWith", "endsWith"})
_SAME = {"&&": "and", "||": "or", "!": "not", "^": "**"}
_CONSTANTS = {"true": True, "false": False, "nil": None}
WITH_CLOSURE = frozenset(
    {
        "all", "none", "any", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sum",
        "groupBy", "sortBy", "reduce",
    }
)  # fmt: skip
"""Functions whose second argument is worked out for each element."""


def parse(text: str) -> Node:
    """Return an expression in parts; raises `InvalidExpr`, whose text says where it goes wrong."""
    parser = _Parser(words(text))
    found = parser.sequence()
    parser.expect_end()
    return found


class _Parser:
    """The words that are left."""

    def __init__(self, found: list[Word]) -> None:
        self._words = found
        self._at = 0
        self._depth = 0

    @property
    def _word(self) -> Word:
        return self._words[self._at]

    def _next(self) -> Word:
        word = self._word
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def _is(self, *values: str) -> bool:
        return self._word.kind == "operator" and self._word.value in values

    def _take(self, value: str) -> bool:
        if self._is(value):
            self._next()
            return True
        return False

    def _expect(self, value: str) -> None:
        if not self._take(value):
            raise self._unexpected(f", expected {value!r}")

    def _unexpected(self, more: str = "") -> InvalidExpr:
        shown = self._word.value if self._word.kind == "end" else repr(self._word.value)
        return InvalidExpr(f"unexpected {shown} at character {self._word.at + 1}{more}")

    def expect_end(self) -> None:
        """Refuse what stands behind the expression."""
        if self._word.kind != "end":
            raise self._unexpected()

    def sequence(self) -> Node:
        """Read `let` clauses and what they are for."""
        if self._take("let"):
            name = self._next()
            if name.kind != "name":
                raise self._unexpected(", expected a name after let")
            self._expect("=")
            value = self.expression()
            self._expect(";")
            return nodes.Let(name.value, value, self.sequence())
        return self.expression()

    def expression(self, precedence: int = 0) -> Node:
        """Read operands with the operators between them that bind at least so tight."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InvalidExpr(f"the expression nests more than {_DEEPEST} levels")
        if precedence == 0 and self._is("if"):
            found = self._if()
        else:
            found = self._binary(self._unary(), precedence)
            if precedence == 0:
                found = self._choice(found)
        self._depth -= 1
        return found

    def _binary(self, left: Node, precedence: int) -> Node:
        while self._word.kind == "operator":
            negated = self._is("not") and self._words[self._at + 1].value in _NEGATABLE
            word = self._words[self._at + 1] if negated else self._word
            binds = _BINARY.get(word.value)
            if binds is None or binds < precedence:
                break
            self._at += 2 if negated else 1
            if word.value == "|":
                left = self._piped(left)
                continue
            right = self.expression(binds if word.value in _RIGHT else binds + 1)
            left = nodes.Binary(_SAME.get(word.value, word.value), left, right)
            if negated:
                left = nodes.Unary("not", left)
        return left

    def _piped(self, left: Node) -> Node:
        name = self._next()
        if name.kind != "name":
            raise self._unexpected(", expected a function after |")
        self._expect("(")
        return self._postfix(nodes.Call(nodes.Name(name.value), (left, *self._arguments(name.value, given=1))))

    def _choice(self, test: Node) -> Node:
        if not self._take("?"):
            return test
        if self._take(":"):
            return nodes.Choice(test, test, self.expression())
        one = self.expression()
        self._expect(":")
        return nodes.Choice(test, one, self.expression())

    def _if(self) -> Node:
        self._expect("if")
        test = self.expression()
        one = self._block()
        self._expect("else")
        return nodes.Choice(test, one, self._if() if self._is("if") else self._block())

    def _block(self) -> Node:
        self._expect("{")
        found = self.sequence()
        self._expect("}")
        return found

    def _unary(self) -> Node:
        binds = _UNARY.get(self._word.value) if self._word.kind == "operator" else None
        if binds is not None:
            operator = self._next().value
            operand = self.expression(binds)
            return nodes.Unary(_SAME.get(operator, operator), operand)
        return self._postfix(self._primary())

    def _primary(self) -> Node:
        word = self._word
        if word.kind == "number":
            return nodes.Constant(number(self._next()))
        if word.kind == "text":
            return nodes.Constant(self._next().value)
        if word.kind == "pointer":
            return nodes.Pointer(self._next().value[1:])
        if word.kind == "name":
            return self._named()
        if self._take("("):
            found = self.sequence()
            self._expect(")")
            return found
        if self._take("["):
            return nodes.Items(tuple(self._list("]")))
        if self._take("{"):
            return self._pairs()
        if self._is("."):
            # Within a closure a name with a dot before it is a field of the element.
            self._next()
            return nodes.Member(nodes.Pointer(), nodes.Constant(self._field()))
        raise self._unexpected()

    def _named(self) -> Node:
        name = self._next().value
        if name in _CONSTANTS:
            return nodes.Constant(_CONSTANTS[name])
        if self._take("("):
            return nodes.Call(nodes.Name(name), tuple(self._arguments(name)))
        return nodes.Name(name)

    def _arguments(self, name: str, given: int = 0) -> list[Node]:
        found: list[Node] = []
        while not self._take(")"):
            if found:
                self._expect(",")
                if self._take(")"):
                    break
            if name in WITH_CLOSURE and len(found) + given == 1:
                found.append(nodes.Closure(self._block() if self._is("{") else self.expression()))
            else:
                found.append(self.expression())
        return found

    def _list(self, end: str) -> list[Node]:
        found: list[Node] = []
        while not self._take(end):
            if found:
                self._expect(",")
                if self._take(end):
                    break
            found.append(self.expression())
        return found

    def _pairs(self) -> Node:
        found: list[tuple[Node, Node]] = []
        while not self._take("}"):
            if found:
                self._expect(",")
                if self._take("}"):
                    break
            if self._take("("):
                key = self.expression()
                self._expect(")")
            elif self._word.kind in ("name", "text", "number") or self._word.value.isalpha():
                key = nodes.Constant(self._next().value)
            else:
                raise self._unexpected(", expected a key")
            self._expect(":")
            found.append((key, self.expression()))
        return nodes.Pairs(tuple(found))

    def _field(self) -> str:
        word = self._next()
        if word.kind == "name" or (word.kind == "operator" and word.value.isalpha()):
            return word.value
        raise InvalidExpr(f"unexpected {word.value!r} at character {word.at + 1}, expected the name of a field")

    def _postfix(self, found: Node) -> Node:
        optional = False
        while self._word.kind == "operator":
            if self._is(".", "?."):
                maybe = self._next().value == "?."
                optional = optional or maybe
                found = self._member(found, maybe=maybe)
            elif self._is("[", "?["):
                maybe = self._next().value == "?["
                optional = optional or maybe
                found = self._index(found, maybe=maybe)
            elif self._is("(") and isinstance(found, nodes.Member):
                self._next()
                found = nodes.Call(found, tuple(self._list(")")))
            else:
                break
        return nodes.Chain(found) if optional else found

    def _member(self, of: Node, *, maybe: bool) -> Node:
        if maybe and self._is("["):
            self._next()
            return self._index(of, maybe=True)
        return nodes.Member(of, nodes.Constant(self._field()), maybe)

    def _index(self, of: Node, *, maybe: bool) -> Node:
        if self._take(":"):
            end = None if self._is("]") else self.expression()
            self._expect("]")
            return nodes.Slice(of, None, end)
        start = self.expression()
        if self._take(":"):
            end = None if self._is("]") else self.expression()
            self._expect("]")
            return nodes.Slice(of, start, end)
        self._expect("]")
        return nodes.Member(of, start, maybe)
