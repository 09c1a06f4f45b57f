"""Prints values as Go's fmt does: `print`, `println`, `printf`, and what an action writes.

Called by the executor, by the built-in functions and by functions that make texts of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from syncline.core.appset.gotemplate.budget import Budget
from syncline.core.appset.gotemplate.printing import Flags, Printer
from syncline.core.appset.gotemplate.quoting import joined
from syncline.core.appset.gotemplate.values import NO_VALUE, type_name

_WIDEST = 1_000_000
"""Go ignores a width or precision beyond this."""


def plain(value: Any, budget: Budget) -> str:
    """Return a value as an action writes it."""
    if value.__class__ is str:
        return str(value)
    if value is NO_VALUE:
        return "<no value>"
    return Printer(budget).verb(value, "v", Flags())


def as_text(value: Any, budget: Budget) -> str:
    """Return a value as the verb for texts prints it."""
    return Printer(budget).verb(value, "s", Flags())


def sprint(values: Sequence[Any], budget: Budget) -> str:
    """Return values one after the other, with a space between two that are not texts."""
    parts: list[str] = []
    size = 0
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            parts.append(" ")
        parts.append(plain(value, budget) if value is not NO_VALUE else "<nil>")
        size += len(parts[-1]) + 1
        budget.text(size)
    return joined("".join(parts))


def sprintln(values: Sequence[Any], budget: Budget) -> str:
    """Return values with spaces between them and a new line at the end."""
    parts = [plain(value, budget) for value in values]
    budget.text(sum(map(len, parts)) + len(parts))
    return joined(" ".join(parts)) + "\n"


def sprintf(pattern: str, values: Sequence[Any], budget: Budget) -> str:
    """Return a pattern with its verbs filled."""
    return joined(_Format(pattern, values, budget).text())


class _Format:
    """A pattern that is being filled."""

    def __init__(self, pattern: str, values: Sequence[Any], budget: Budget) -> None:
        self._pattern = pattern
        self._values = values
        self._budget = budget
        self._printer = Printer(budget)
        self._used = 0
        self._reordered = False
        self._good = True

    def text(self) -> str:
        """Return the filled pattern."""
        parts: list[str] = []
        at = size = 0
        self._all_reordered = False
        while (found := self._pattern.find("%", at)) >= 0:
            parts.append(self._pattern[at:found])
            filled, at = self._fill(found + 1)
            parts.append(filled)
            size += len(parts[-1]) + len(parts[-2])
            self._budget.text(size)
            self._budget.spend(1)
        parts.append(self._pattern[at:])
        if not self._all_reordered and self._used < len(self._values):
            rest = [
                "<nil>" if value is None else f"{type_name(value)}={plain(value, self._budget)}"
                for value in self._values[self._used :]
            ]
            parts.append(f"%!(EXTRA {', '.join(rest)})")
        return "".join(parts)

    def _fill(self, at: int) -> tuple[str, int]:
        flags = Flags()
        self._good = True
        at = self._read_flags(flags, at)
        at, indexed = self._read_index(at)
        lead = ""
        at, indexed, lead = self._read_width(flags, at, indexed)
        at, indexed, more = self._read_precision(flags, at, indexed)
        lead += more
        if not indexed:
            at, indexed = self._read_index(at)
        if at >= len(self._pattern):
            return f"{lead}%!(NOVERB)", at
        verb = self._pattern[at]
        at += 1
        if verb == "%":
            return f"{lead}%", at
        if not self._good:
            return f"{lead}%!{verb}(BADINDEX)", at
        if self._used >= len(self._values):
            return f"{lead}%!{verb}(MISSING)", at
        value = self._values[self._used]
        self._used += 1
        if verb == "v":
            flags.plus = False  # asks for the names of fields here, which JSON values do not have
        return lead + self._printer.verb(value, verb, flags), at

    def _read_flags(self, flags: Flags, at: int) -> int:
        while at < len(self._pattern):
            match self._pattern[at]:
                case "#":
                    flags.sharp = True
                case "0":
                    flags.zero = True
                case "+":
                    flags.plus = True
                case "-":
                    flags.minus = True
                case " ":
                    flags.space = True
                case _:
                    break
            at += 1
        return at

    def _read_index(self, at: int) -> tuple[int, bool]:
        """Read `[n]`, which names the value that comes next."""
        if self._pattern[at : at + 1] != "[":
            return at, False
        self._all_reordered = True
        end = self._pattern.find("]", at)
        if end < 0:
            self._good = False
            return at + 1, False
        digits = self._pattern[at + 1 : end]
        if digits.isdecimal() and digits.isascii() and len(digits) < 8 and 1 <= int(digits) <= len(self._values):
            self._used = int(digits) - 1
            return end + 1, True
        self._good = False
        return end + 1, digits.isdecimal()

    def _star(self, at: int) -> tuple[int | None, int]:
        """Read a width or precision out of the values."""
        at += 1
        if self._used >= len(self._values):
            return None, at
        value = self._values[self._used]
        self._used += 1
        good = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _WIDEST
        return (int(value) if good else None), at

    def _digits(self, at: int) -> tuple[int | None, int]:
        start = at
        while at < len(self._pattern) and "0" <= self._pattern[at] <= "9":
            at += 1
        if at == start:
            return None, at
        number = int(self._pattern[start:at][:8])
        return (number, at) if number <= _WIDEST else (None, at)

    def _read_width(self, flags: Flags, at: int, indexed: bool) -> tuple[int, bool, str]:
        if self._pattern[at : at + 1] == "*":
            flags.width, at = self._star(at)
            if flags.width is None:
                return at, False, "%!(BADWIDTH)"
            if flags.width < 0:
                flags.width, flags.minus = -flags.width, True
                flags.zero = False
            return at, False, ""
        flags.width, after = self._digits(at)
        if indexed and flags.width is not None:
            self._good = False
        return after, indexed, ""

    def _read_precision(self, flags: Flags, at: int, indexed: bool) -> tuple[int, bool, str]:
        if self._pattern[at : at + 1] != ".":
            return at, indexed, ""
        at += 1
        if indexed:
            self._good = False
        at, indexed = self._read_index(at)
        if self._pattern[at : at + 1] == "*":
            flags.precision, at = self._star(at)
            if flags.precision is not None and flags.precision < 0:
                flags.precision = None
                return at, False, "%!(BADPREC)"
            return at, False, "" if flags.precision is not None else "%!(BADPREC)"
        precision, at = self._digits(at)
        flags.precision = 0 if precision is None else precision
        return at, indexed, ""
