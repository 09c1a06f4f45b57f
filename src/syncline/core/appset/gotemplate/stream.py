"""The items of a template text as parsers read them: with a look ahead, and with Go's words for what is unexpected.

Used by `syncline.core.appset.gotemplate.pipelines` and the parser above it.
"""

from __future__ import annotations

from collections.abc import Collection

from syncline.core.appset.gotemplate.errors import ParseError
from syncline.core.appset.gotemplate.lexer import Item, Kind, Lexer
from syncline.core.appset.gotemplate.quoting import Malformed, quote, to_bytes, unquote


def described(item: Item) -> str:
    """Return an item as errors name it."""
    if item.kind is Kind.EOF:
        return "EOF"
    if item.kind is Kind.ERROR:
        return item.text
    if item.kind > Kind.KEYWORD:
        return f"<{item.text}>"
    if len(to_bytes(item.text)) > 10:
        return f"{quote(item.text[:10])}..."
    return quote(item.text)


class Stream:
    """Reads the items of one template; several of them may share a lexer."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer = lexer
        self._tokens = [Item(Kind.ERROR, 0, "", 0)] * 3
        self._peeked = 0
        self._action_line = 0

    def _next(self) -> Item:
        if self._peeked:
            self._peeked -= 1
        else:
            self._tokens[0] = self._lexer.next()
        return self._tokens[self._peeked]

    def _backup(self) -> None:
        self._peeked += 1

    def _push_back(self, *before: Item) -> None:
        """Give items back that stood before the one that is peeked, the nearest first."""
        for index, item in enumerate(before, start=1):
            self._tokens[index] = item
        self._peeked = len(before) + 1

    def _peek(self) -> Item:
        if not self._peeked:
            self._tokens[0] = self._lexer.next()
            self._peeked = 1
        return self._tokens[self._peeked - 1]

    def _next_word(self) -> Item:
        while (item := self._next()).kind is Kind.SPACE:
            pass
        return item

    def _peek_word(self) -> Item:
        item = self._next_word()
        self._backup()
        return item

    def _error(self, message: str, *, unknown: str = "", known: Collection[str] = ()) -> ParseError:
        return ParseError(f"template: :{self._tokens[0].line}: {message}", unknown=unknown, known=known)

    def _unexpected(self, item: Item, context: str) -> ParseError:
        if item.kind is not Kind.ERROR:
            return self._error(f"unexpected {described(item)} in {context}")
        extra = ""
        if self._action_line not in (0, item.line):
            extra = f" in action started at :{self._action_line}"
            if item.text.endswith(" action"):
                extra = extra.removeprefix(" in action")
        return self._error(item.text + extra)

    def _expect(self, context: str, *kinds: Kind) -> Item:
        item = self._next_word()
        if item.kind not in kinds:
            raise self._unexpected(item, context)
        return item

    def _unquoted(self, quoted: str) -> str:
        try:
            return unquote(quoted)
        except Malformed:
            raise self._error("invalid syntax") from None
