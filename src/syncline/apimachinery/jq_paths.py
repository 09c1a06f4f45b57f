"""jq path expressions that plain Python can follow: fields, items, `select` by equality, pipes and commas.

Asked wherever fields are ignored by jq path; `parse` gives None for everything else, and that is evaluated by jq, in a
worker with limits. Deleting what `Program.paths` lists is what jq's `del(EXPRESSION)` does: a path that does not fit
the object fails as a whole, so nothing is deleted. The odd fact: what could take long on a big object (many commas,
items combined with items in a condition) is left to jq too, since nothing here can be stopped.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import cuts
from syncline.apimachinery import jq_walks as walks
from syncline.apimachinery.jq_walks import PathFailed

__all__ = ["PathFailed", "Program", "delete", "parse"]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<bad>\.\. | \?//)
    | (?P<field>\.[A-Za-z_][A-Za-z0-9_]*)
    | (?P<text>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*")
    | (?P<number>-?[0-9]{1,15})(?![0-9.eE])
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<sign>==|!=|[.\[\]()|,?])
    )""",
    re.VERBOSE | re.ASCII,
)
_LITERALS = {"true": True, "false": False, "null": None}
_DEEPEST = 50
_MOST_COMMAS = 4
_ALL_ITEMS = (("sign", "["), ("sign", "]"))


class _NotPlain(Exception):
    """The expression is more than is followed here."""


class Program:
    """A read expression."""

    __slots__ = ("_walk",)

    def __init__(self, walk: walks.Walk) -> None:
        self._walk = walk

    def paths(self, obj: Any) -> tuple[walks.Path, ...]:
        """Return where the expression points at in an object, whether something is there or not."""
        return tuple(path for path, _ in self._walk((), obj))


@functools.lru_cache(maxsize=1024)
def parse(expression: str) -> Program | None:
    """Return the program, None where jq itself has to be asked."""
    try:
        reader = _Reader(expression)
        walk = reader.pipe(0)
        reader.end()
    except _NotPlain:
        return None
    return Program(walk)


def delete(value: Any, program: Program) -> Any:
    """Return the value without what the expression points at, sharing the parts that stay; raises PathFailed."""
    return cuts.without(value, program.paths(value))


class _Reader:
    """Reads an expression from left to right; a comma binds tighter than a pipe."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        if self._tokens.count(("sign", ",")) > _MOST_COMMAS:
            raise _NotPlain

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _take(self, *signs: str) -> bool:
        if self._next()[1] in signs and self._next()[0] in ("sign", "word"):
            self._at += 1
            return True
        return False

    def _must(self, sign: str) -> None:
        if not self._take(sign):
            raise _NotPlain

    def _pop(self) -> tuple[str, str]:
        found = self._next()
        self._at += 1
        return found

    def end(self) -> None:
        if self._at != len(self._tokens) or not self._tokens:
            raise _NotPlain

    def pipe(self, depth: int) -> walks.Walk:
        if depth > _DEEPEST:
            raise _NotPlain
        parts = [self._term(depth)]
        while self._take(","):
            parts.append(self._term(depth))
        walk = parts[0] if len(parts) == 1 else walks.all_of(parts)
        return walks.then(walk, self.pipe(depth + 1)) if self._take("|") else walk

    def _term(self, depth: int) -> walks.Walk:
        if self._take("select"):
            return self._suffixes(walks.selected(self._selection(depth + 1)))
        if self._take("("):
            walk = self.pipe(depth + 1)
            self._must(")")
            return self._suffixes(walk)
        kind, text = self._next()
        if kind == "field":
            return self._suffixes(walks.here)
        if (kind, text) != ("sign", "."):
            raise _NotPlain
        if self._tokens[self._at + 1 :][:1] and self._tokens[self._at + 1][0] == "text":
            return self._suffixes(walks.here)
        self._at += 1
        return self._suffixes(walks.here)

    def _selection(self, depth: int) -> walks.Values:
        self._must("(")
        before = self._at
        condition = self._condition(depth)
        if sum(pair == _ALL_ITEMS for pair in itertools.pairwise(self._tokens[before : self._at])) > 1:
            raise _NotPlain
        self._must(")")
        return condition

    def _suffixes(self, walk: walks.Walk) -> walks.Walk:
        """Return a walk and the steps written after it; a question mark is about the step right before it alone."""
        if self._take("?"):
            walk = walks.optional(walk)
        while (step := self._step()) is not None:
            walk = walks.then(walk, walks.optional(step) if self._take("?") else step)
        if self._next() == ("sign", "?"):
            raise _NotPlain
        return walk

    def _step(self) -> walks.Walk | None:
        """Return the next step down, None where there is none."""
        if self._next()[0] == "field":
            return walks.field(self._pop()[1][1:])
        if self._take("["):
            return self._bracket()
        if self._next() != ("sign", ".") or not self._tokens[self._at + 1 :][:1]:
            return None
        self._at += 1
        if self._next()[0] == "text":
            return walks.field(_text(self._pop()[1]))
        if self._take("["):
            return self._bracket()
        raise _NotPlain

    def _bracket(self) -> walks.Walk:
        kind, text = self._next()
        if self._take("]"):
            return walks.items
        if kind not in ("text", "number"):
            raise _NotPlain
        self._at += 1
        self._must("]")
        return walks.field(_text(text)) if kind == "text" else walks.index(int(text))

    def _condition(self, depth: int) -> walks.Values:
        if depth > _DEEPEST:
            raise _NotPlain
        first = self._either(depth)
        if not self._take("|"):
            return first
        second = self._condition(depth + 1)
        return lambda value: (out for middle in first(value) for out in second(middle))

    def _either(self, depth: int) -> walks.Values:
        found = self._both(depth)
        while self._take("or"):
            found = walks.joined(found, self._both(depth), decided_by=True)
        return found

    def _both(self, depth: int) -> walks.Values:
        found = self._equation(depth)
        while self._take("and"):
            found = walks.joined(found, self._equation(depth), decided_by=False)
        return found

    def _equation(self, depth: int) -> walks.Values:
        left = self._value(depth)
        if self._take("=="):
            return walks.compared(left, self._value(depth), wanted=True)
        if self._take("!="):
            return walks.compared(left, self._value(depth), wanted=False)
        return left

    def _value(self, depth: int) -> walks.Values:
        kind, text = self._next()
        if kind == "text":
            self._at += 1
            return walks.constant(_text(text))
        if kind == "number":
            self._at += 1
            return walks.constant(int(text))
        if kind == "word" and text in _LITERALS:
            self._at += 1
            return walks.constant(_LITERALS[text])
        if kind == "word" and text in walks.TESTS:
            self._at += 1
            return self._test(text)
        if kind == "word" and text == "not":
            self._at += 1
            return lambda value: iter((not walks.is_true(value),))
        if self._take("("):
            found = self._condition(depth + 1)
            self._must(")")
            return found
        walk = self._term(depth)
        return lambda value: (member for _, member in walk((), value))

    def _test(self, name: str) -> walks.Values:
        self._must("(")
        kind, text = self._pop()
        if kind != "text":
            raise _NotPlain
        self._must(")")
        test, argument = walks.TESTS[name], _text(text)
        return lambda value: iter((test(value, argument),))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, text = 0, text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found["bad"]:
            raise _NotPlain
        yield str(found.lastgroup), found[str(found.lastgroup)]
        at = found.end()


def _text(literal: str) -> str:
    import orjson

    try:
        return str(orjson.loads(literal))
    except orjson.JSONDecodeError:
        raise _NotPlain from None
