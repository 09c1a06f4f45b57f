"""Cuts a template text into items, as Go's lexer does: text outside of `{{ }}`, and words and signs inside.

Called by `syncline.core.appset.gotemplate.parser`, which asks for one item after the other: an error is an item like
any other, and is told only when the parser comes to it.
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple


class Kind(enum.IntEnum):
    """What an item is; from KEYWORD on they print as `<word>`."""

    ERROR = 0
    BOOL = 1
    CHAR = 2
    CHAR_CONSTANT = 3
    COMPLEX = 5
    ASSIGN = 6
    DECLARE = 7
    EOF = 8
    FIELD = 9
    IDENTIFIER = 10
    LEFT_DELIM = 11
    LEFT_PAREN = 12
    NUMBER = 13
    PIPE = 14
    RAW_STRING = 15
    RIGHT_DELIM = 16
    RIGHT_PAREN = 17
    SPACE = 18
    STRING = 19
    TEXT = 20
    VARIABLE = 21
    KEYWORD = 22
    BLOCK = 23
    BREAK = 24
    CONTINUE = 25
    DOT = 26
    DEFINE = 27
    ELSE = 28
    END = 29
    IF = 30
    NIL = 31
    RANGE = 32
    TEMPLATE = 33
    WITH = 34


_KEYWORDS = {
    "block": Kind.BLOCK,
    "break": Kind.BREAK,
    "continue": Kind.CONTINUE,
    "define": Kind.DEFINE,
    "else": Kind.ELSE,
    "end": Kind.END,
    "if": Kind.IF,
    "nil": Kind.NIL,
    "range": Kind.RANGE,
    "template": Kind.TEMPLATE,
    "with": Kind.WITH,
    "true": Kind.BOOL,
    "false": Kind.BOOL,
}
_SINGLE = {"=": Kind.ASSIGN, "|": Kind.PIPE}
_SPACES = " \t\r\n"
_TERMINATORS = frozenset(" \t\r\n.,|:)(")
_SPACE_RUN = re.compile(r"[ \t\r\n]+")
_TRIMMED_END = re.compile(r"[ \t\r\n]-\}\}")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_QUOTED_CHAR = re.compile(r"'(?:[^'\\\n]|\\[^\n])*'")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?"
    r"|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?"
)


class Item(NamedTuple):
    """One piece of a template text."""

    kind: Kind
    pos: int
    text: str
    line: int


def is_alphanumeric(char: str) -> bool:
    """Tell whether a character may stand in a name."""
    return char == "_" or char.isalpha() or char.isdecimal()


class Lexer:
    """A position in a template text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pos = 0
        self._line = 1
        self._inside = False
        self._parens = 0

    def next(self) -> Item:
        """Return the next item; after the end, or after an error, EOF."""
        return self._action() if self._inside else self._outside()

    def _emit(self, kind: Kind, end: int) -> Item:
        item = Item(kind, self._pos, self._text[self._pos : end], self._line)
        self._skip(end)
        return item

    def _skip(self, end: int) -> None:
        self._line += self._text.count("\n", self._pos, end)
        self._pos = end

    def _error(self, message: str) -> Item:
        item = Item(Kind.ERROR, self._pos, message, self._line)
        self._text, self._pos, self._inside = "", 0, False
        return item

    def _outside(self) -> Item:
        while True:
            text, start = self._text, self._pos
            found = text.find("{{", start)
            if found < 0:
                if start < len(text):
                    return self._emit(Kind.TEXT, len(text))
                return Item(Kind.EOF, start, "EOF", self._line)
            trims = text[found + 2 : found + 3] == "-" and text[found + 3 : found + 4] in tuple(_SPACES)
            end = found
            if trims:
                end = start + len(text[start:found].rstrip(_SPACES))
            if end > start:
                item = self._emit(Kind.TEXT, end)
                self._skip(found)
                return item
            self._skip(found)
            marker = 2 if trims else 0
            if text.startswith("/*", found + 2 + marker):
                error = self._comment(found + 2 + marker)
                if error is not None:
                    return error
                continue
            item = self._emit(Kind.LEFT_DELIM, found + 2)
            self._skip(found + 2 + marker)
            self._inside, self._parens = True, 0
            return item

    def _comment(self, start: int) -> Item | None:
        self._skip(start)
        closed = self._text.find("*/", start + 2)
        if closed < 0:
            return self._error("unclosed comment")
        end = closed + 2
        if _TRIMMED_END.match(self._text, end):
            self._skip(end + 4)
            self._skip_spaces()
        elif self._text.startswith("}}", end):
            self._skip(end + 2)
        else:
            return self._error("comment ends before closing delimiter")
        return None

    def _skip_spaces(self) -> None:
        found = _SPACE_RUN.match(self._text, self._pos)
        if found:
            self._skip(found.end())

    def _right_delim(self, *, trims: bool) -> Item:
        if trims:
            self._skip(self._pos + 2)
        item = self._emit(Kind.RIGHT_DELIM, self._pos + 2)
        if trims:
            self._skip_spaces()
        self._inside = False
        return item

    def _action(self) -> Item:
        text, pos = self._text, self._pos
        if text.startswith("}}", pos) or _TRIMMED_END.match(text, pos):
            if self._parens:
                return self._error("unclosed left paren")
            return self._right_delim(trims=text[pos] != "}")
        if pos >= len(text):
            return self._error("unclosed action")
        char = text[pos]
        if char in _SPACES:
            return self._spaces()
        if char in _SINGLE:
            return self._emit(_SINGLE[char], pos + 1)
        if is_alphanumeric(char) and not char.isdigit():
            return self._identifier()
        return self._sign(char)

    def _sign(self, char: str) -> Item:
        text, pos = self._text, self._pos
        match char:
            case ":":
                return self._emit(Kind.DECLARE, pos + 2) if text.startswith(":=", pos) else self._error("expected :=")
            case '"' | "'" | "`":
                return self._quoted(char)
            case "$":
                return self._field_or_variable(Kind.VARIABLE)
            case "(":
                self._parens += 1
                return self._emit(Kind.LEFT_PAREN, pos + 1)
            case ")":
                self._parens -= 1
                return (
                    self._error("unexpected right paren") if self._parens < 0 else self._emit(Kind.RIGHT_PAREN, pos + 1)
                )
            case "." if pos + 1 < len(text) and not "0" <= text[pos + 1] <= "9":
                return self._field_or_variable(Kind.FIELD)
        if char in "+-." or "0" <= char <= "9":
            return self._number()
        if is_alphanumeric(char):
            return self._identifier()
        if " " <= char <= "~":
            return self._emit(Kind.CHAR, pos + 1)
        return self._error(f"unrecognized character in action: {unicode_name(char)}")

    def _spaces(self) -> Item:
        found = _SPACE_RUN.match(self._text, self._pos)
        end = found.end() if found else self._pos
        if _TRIMMED_END.match(self._text, end - 1):
            if end - self._pos == 1:
                return self._right_delim(trims=True)
            end -= 1
        return self._emit(Kind.SPACE, end)

    def _quoted(self, quote: str) -> Item:
        text, pos = self._text, self._pos
        if quote == "`":
            closed = text.find("`", pos + 1)
            return (
                self._error("unterminated raw quoted string") if closed < 0 else self._emit(Kind.RAW_STRING, closed + 1)
            )
        found = (_QUOTED if quote == '"' else _QUOTED_CHAR).match(text, pos)
        if found is None:
            what = "quoted string" if quote == '"' else "character constant"
            return self._error(f"unterminated {what}")
        return self._emit(Kind.STRING if quote == '"' else Kind.CHAR_CONSTANT, found.end())

    def _field_or_variable(self, kind: Kind) -> Item:
        if self._at_terminator(self._pos + 1):
            return self._emit(kind if kind is Kind.VARIABLE else Kind.DOT, self._pos + 1)
        end = self._name_end(self._pos + 1)
        if not self._at_terminator(end):
            return self._error(f"bad character {unicode_name(self._text[end])}")
        return self._emit(kind, end)

    def _identifier(self) -> Item:
        end = self._name_end(self._pos)
        if not self._at_terminator(end):
            return self._error(f"bad character {unicode_name(self._text[end])}")
        word = self._text[self._pos : end]
        return self._emit(_KEYWORDS.get(word, Kind.IDENTIFIER), end)

    def _name_end(self, end: int) -> int:
        text = self._text
        while end < len(text) and is_alphanumeric(text[end]):
            end += 1
        return end

    def _at_terminator(self, pos: int) -> bool:
        return pos >= len(self._text) or self._text[pos] in _TERMINATORS or self._text.startswith("}}", pos)

    def _number(self) -> Item:
        end = self._number_end(self._pos)
        if end is None:
            return self._bad_number()
        if self._text[end : end + 1] in ("+", "-"):
            end = self._number_end(end)
            if end is None or self._text[end - 1] != "i":
                return self._bad_number(end)
            return self._emit(Kind.COMPLEX, end)
        return self._emit(Kind.NUMBER, end)

    def _number_end(self, pos: int) -> int | None:
        found = _NUMBER.match(self._text, pos)
        end = found.end() if found else pos
        self._tried = end
        if end < len(self._text) and is_alphanumeric(self._text[end]):
            self._tried = end + 1
            return None
        return end

    def _bad_number(self, end: int | None = None) -> Item:
        from syncline.core.appset.gotemplate.quoting import quote

        return self._error(f"bad number syntax: {quote(self._text[self._pos : end or self._tried])}")


def unicode_name(char: str) -> str:
    """Return a character as Go's `%#U` prints it."""
    from syncline.core.appset.gotemplate.quoting import is_print

    return f"U+{ord(char):04X} '{char}'" if is_print(char) else f"U+{ord(char):04X}"
