"""jq path expressions that plain Python can follow: fields, items, `select` by equality, pipes and commas.

Asked by `syncline.core.compare.ignoring` for every jqPathExpression; `parse` gives None for everything else, and that
is evaluated by jq itself, outside. Deleting what `Program.paths` lists is what jq's `del(EXPRESSION)` does: a path that
does not fit the object fails as a whole, so nothing is deleted.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from syncline.apimachinery import equality

Path = tuple[str | int, ...]
Found = tuple[Path, Any]
_Walk = Callable[[Path, Any], Iterator[Found]]
_Values = Callable[[Any], Iterator[Any]]

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


class JqFailed(Exception):
    """The object has another shape than the expression says; says no values."""


class _NotPlain(Exception):
    """The expression is more than is followed here."""


class Program:
    """A read expression."""

    __slots__ = ("_walk",)

    def __init__(self, walk: _Walk) -> None:
        self._walk = walk

    def paths(self, obj: Any) -> tuple[Path, ...]:
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


class _Reader:
    """Reads an expression from left to right; a comma binds tighter than a pipe."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

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

    def pipe(self, depth: int) -> _Walk:
        if depth > _DEEPEST:
            raise _NotPlain
        parts = [self._term(depth)]
        while self._take(","):
            parts.append(self._term(depth))
        walk = parts[0] if len(parts) == 1 else _all_of(parts)
        return _then(walk, self.pipe(depth + 1)) if self._take("|") else walk

    def _term(self, depth: int) -> _Walk:
        if self._take("select"):
            self._must("(")
            condition = self._condition(depth + 1)
            self._must(")")
            return self._suffixes(_selected(condition))
        if self._take("("):
            walk = self.pipe(depth + 1)
            self._must(")")
            return self._suffixes(walk)
        kind, text = self._next()
        if kind == "field":
            return self._suffixes(_here)
        if (kind, text) != ("sign", "."):
            raise _NotPlain
        self._at += 1
        if self._next()[0] == "text":
            return self._suffixes(_then(_here, _field(_text(self._pop()[1]))))
        return self._suffixes(_here)

    def _suffixes(self, walk: _Walk) -> _Walk:
        while True:
            if self._next()[0] == "field":
                walk = _then(walk, _field(self._pop()[1][1:]))
            elif self._take("["):
                walk = _then(walk, self._bracket())
            elif self._take("?"):
                walk = _optional(walk)
            elif self._next() == ("sign", ".") and self._tokens[self._at + 1 :][:1]:
                self._at += 1
                if self._next()[0] == "text":
                    walk = _then(walk, _field(_text(self._pop()[1])))
                elif self._next() != ("sign", "["):
                    raise _NotPlain
            else:
                return walk

    def _bracket(self) -> _Walk:
        kind, text = self._next()
        if self._take("]"):
            return _items
        if kind not in ("text", "number"):
            raise _NotPlain
        self._at += 1
        self._must("]")
        return _field(_text(text)) if kind == "text" else _index(int(text))

    def _condition(self, depth: int) -> _Values:
        if depth > _DEEPEST:
            raise _NotPlain
        first = self._either(depth)
        if not self._take("|"):
            return first
        second = self._condition(depth + 1)
        return lambda value: (out for middle in first(value) for out in second(middle))

    def _either(self, depth: int) -> _Values:
        found = self._both(depth)
        while self._take("or"):
            found = _joined(found, self._both(depth), decided_by=True)
        return found

    def _both(self, depth: int) -> _Values:
        found = self._equation(depth)
        while self._take("and"):
            found = _joined(found, self._equation(depth), decided_by=False)
        return found

    def _equation(self, depth: int) -> _Values:
        left = self._value(depth)
        if self._take("=="):
            return _compared(left, self._value(depth), wanted=True)
        if self._take("!="):
            return _compared(left, self._value(depth), wanted=False)
        return left

    def _value(self, depth: int) -> _Values:
        kind, text = self._next()
        if kind == "text":
            self._at += 1
            return _constant(_text(text))
        if kind == "number":
            self._at += 1
            return _constant(int(text))
        if kind == "word" and text in _LITERALS:
            self._at += 1
            return _constant(_LITERALS[text])
        if kind == "word" and text in _TESTS:
            self._at += 1
            return self._test(text)
        if kind == "word" and text == "not":
            self._at += 1
            return lambda value: iter((not _true(value),))
        if self._take("("):
            found = self._condition(depth + 1)
            self._must(")")
            return found
        walk = self._term(depth)
        return lambda value: (member for _, member in walk((), value))

    def _test(self, name: str) -> _Values:
        self._must("(")
        kind, text = self._pop()
        if kind != "text":
            raise _NotPlain
        self._must(")")
        test, argument = _TESTS[name], _text(text)
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
    try:
        return str(orjson.loads(literal))
    except orjson.JSONDecodeError:
        raise _NotPlain from None


def _here(path: Path, value: Any) -> Iterator[Found]:
    yield path, value


def _all_of(parts: list[_Walk]) -> _Walk:
    return lambda path, value: itertools.chain.from_iterable(part(path, value) for part in parts)


def _then(first: _Walk, second: _Walk) -> _Walk:
    return lambda path, value: (found for middle in first(path, value) for found in second(*middle))


def _optional(walk: _Walk) -> _Walk:
    def quietly(path: Path, value: Any) -> Iterator[Found]:
        try:
            yield from walk(path, value)
        except JqFailed:
            return

    return quietly


def _field(name: str) -> _Walk:
    def step(path: Path, value: Any) -> Iterator[Found]:
        if value is not None and not isinstance(value, dict):
            raise JqFailed(f'Cannot index {type_of(value)} with "{name}"')
        yield (*path, name), value.get(name) if value is not None else None

    return step


def _index(number: int) -> _Walk:
    def step(path: Path, value: Any) -> Iterator[Found]:
        if value is not None and not isinstance(value, list):
            raise JqFailed(f"Cannot index {type_of(value)} with number")
        items = value or []
        at = number if number >= 0 else len(items) + number
        yield (*path, at), items[at] if 0 <= at < len(items) else None

    return step


def _items(path: Path, value: Any) -> Iterator[Found]:
    if isinstance(value, list):
        yield from (((*path, at), item) for at, item in enumerate(value))
    elif isinstance(value, dict):
        yield from (((*path, name), item) for name, item in value.items())
    else:
        raise JqFailed(f"Cannot iterate over {type_of(value)}")


def _selected(condition: _Values) -> _Walk:
    return lambda path, value: ((path, value) for verdict in condition(value) if _true(verdict))


def _true(value: Any) -> bool:
    return value is not None and value is not False


def _constant(value: Any) -> _Values:
    return lambda _value: iter((value,))


def _compared(left: _Values, right: _Values, *, wanted: bool) -> _Values:
    return lambda value: (equality.equal(a, b) is wanted for b in right(value) for a in left(value))


def _joined(left: _Values, right: _Values, *, decided_by: bool) -> _Values:
    """Return `or` (decided by true) or `and` (decided by false) of two conditions."""

    def join(value: Any) -> Iterator[Any]:
        for first in left(value):
            if _true(first) is decided_by:
                yield decided_by
            else:
                yield from (_true(second) for second in right(value))

    return join


def _starts(value: Any, text: str) -> bool:
    if not isinstance(value, str):
        raise JqFailed("startswith() requires string inputs")
    return value.startswith(text)


def _ends(value: Any, text: str) -> bool:
    if not isinstance(value, str):
        raise JqFailed("endswith() requires string inputs")
    return value.endswith(text)


def _has(value: Any, name: str) -> bool:
    if not isinstance(value, dict):
        raise JqFailed(f"Cannot check whether {type_of(value)} has a string key")
    return name in value


_TESTS: dict[str, Callable[[Any, str], bool]] = {"startswith": _starts, "endswith": _ends, "has": _has}


def type_of(value: Any) -> str:
    """Return jq's word for the type of a value."""
    if isinstance(value, bool):
        return "boolean"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return names.get(type(value), "null")
