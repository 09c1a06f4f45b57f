"""camelcase, snakecase and kebabcase, with the words that xstrings sees in a text.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import unicodedata

from syncline.core.appset.functions.texts import SPACES, lower_char, upper_char
from syncline.core.appset.gotemplate.functions import Function

_CJK = ((0x3400, 0x4DBF), (0x4E00, 0x9FCC), (0xAC00, 0xD7A3), (0xF900, 0xFA6A), (0xFA70, 0xFAD9), (0x20000, 0x2FA1D))
_INVALID, _NUMBER, _UPPER, _ALPHABET, _CONNECTOR, _PUNCT, _OTHER = range(7)


def _is_connector(char: str) -> bool:
    return char in "-_" or char in SPACES


def _is_upper(char: str) -> bool:
    return unicodedata.category(char) == "Lu"


def _is_alphabet(char: str) -> bool:
    code = ord(char)
    return char.isalpha() and not any(low <= code <= high for low, high in _CJK)


def _is_number(char: str) -> bool:
    return unicodedata.category(char)[0] == "N"


def _is_punct(char: str) -> bool:
    return unicodedata.category(char)[0] == "P"


def camelcase(text: str) -> str:
    """Return the words of a text joined, each with a capital."""
    at = 0
    made: list[str] = []
    while at < len(text) and _is_connector(text[at]):
        made.append(text[at])
        at += 1
    if at >= len(text):
        # Only connectors: the last one is written again.
        return "".join(made) + text[-1] if text else ""
    first_upper = _is_upper(text[at])
    char = upper_char(text[at])
    for following in text[at + 1 :]:
        before, char = char, following
        if _is_connector(char) and _is_connector(before):
            made.append(before)
            continue
        if _is_connector(before):
            first_upper = _is_upper(char)
            char = upper_char(char)
            continue
        if first_upper:
            if _is_upper(char):
                char = lower_char(char)
            else:
                first_upper = False
        made.append(before)
    made.append(char)
    return "".join(made)


def _run(text: str, at: int, kind: int) -> int:
    """Return where the word of a kind that begins before `at` ends."""
    while at < len(text):
        char = text[at]
        if kind == _CONNECTOR:
            goes_on = _is_connector(char)
        elif kind == _PUNCT:
            goes_on = _is_punct(char)
        elif kind == _NUMBER:
            goes_on = _is_number(char)
        elif kind == _ALPHABET:
            goes_on = _is_alphabet(char) and not _is_upper(char)
        else:
            goes_on = not (_is_connector(char) or _is_alphabet(char) or _is_number(char) or _is_punct(char))
        if not goes_on:
            break
        at += 1
    return at


def _next_word(text: str, start: int) -> tuple[int, str, int]:
    """Return kind and text of the next word, and where the one after it begins."""
    if start >= len(text):
        return _INVALID, "", start
    char = text[start]
    if _is_connector(char):
        kind = _CONNECTOR
    elif _is_punct(char):
        kind = _PUNCT
    elif _is_upper(char):
        return _upper_word(text, start)
    elif _is_alphabet(char):
        kind = _ALPHABET
    elif _is_number(char):
        kind = _NUMBER
    else:
        kind = _OTHER
    end = _run(text, start + 1, kind)
    return kind, text[start:end], end


def _upper_word(text: str, start: int) -> tuple[int, str, int]:
    end = start + 1
    if end < len(text) and _is_upper(text[end]):
        while end < len(text) and _is_upper(text[end]):
            end += 1
        if end < len(text) and _is_alphabet(text[end]):
            end -= 1  # The last capital begins the next word.
    elif end < len(text) and _is_alphabet(text[end]):
        end = _run(text, end + 1, _ALPHABET)
    return _UPPER, text[start:end], end


def _lowered(kind: int, word: str, connector: str) -> str:
    if kind not in (_UPPER, _CONNECTOR):
        return word
    return "".join(connector if _is_connector(char) else lower_char(char) for char in word)


def _cased(text: str, connector: str) -> str:
    return _Casing(text, connector).made()


class _Casing:
    """A text whose words are being joined by a connector."""

    def __init__(self, text: str, connector: str) -> None:
        self._text = text
        self._connector = connector
        self._made: list[str] = []
        self._step(0)

    def _step(self, at: int) -> None:
        self._kind, self._word, self._at = _next_word(self._text, at)

    def _write(self, kind: int, word: str) -> None:
        self._made.append(_lowered(kind, word, self._connector))

    def _connect(self, *unless: int) -> None:
        if self._kind not in unless:
            self._made.append(self._connector)

    def made(self) -> str:
        """Return the words in lower case, joined."""
        while self._at < len(self._text):
            before, last = self._kind, self._word
            if before != _CONNECTOR:
                self._write(before, last)
            self._step(self._at)
            if before == _NUMBER:
                self._run_on()
            elif before == _CONNECTOR:
                self._write(before, last)
            elif before != _PUNCT:
                self._after_word()
        self._write(self._kind, self._word)
        return "".join(self._made)

    def _run_on(self) -> None:
        """Write letters and digits that belong to the number before them."""
        while self._kind in (_ALPHABET, _NUMBER):
            self._write(self._kind, self._word)
            self._step(self._at)
        self._connect(_INVALID, _PUNCT, _CONNECTOR)

    def _after_word(self) -> None:
        if self._kind != _NUMBER:
            self._connect(_CONNECTOR, _PUNCT)
        elif self._at < len(self._text):
            number = self._word
            self._step(self._at)
            if self._kind == _ALPHABET:
                self._made += [self._connector, number]
                self._run_on()
            else:  # The number is part of the word before it.
                self._made.append(number)
                self._connect(_CONNECTOR, _PUNCT)


CASING: dict[str, Function] = {
    "camelcase": Function(camelcase, "string"),
    "kebabcase": Function(lambda text: _cased(text, "-"), "string"),
    "snakecase": Function(lambda text: _cased(text, "_"), "string"),
}
