"""Prints single values as a verb of Go's fmt does, with its flags, width and precision.

Used by `syncline.core.appset.gotemplate.formatting`. A value may contain itself or share its parts many times over, so
every part is paid for from the budget.
"""

from __future__ import annotations

import math
from typing import Any

from syncline.core.appset.gotemplate import floats
from syncline.core.appset.gotemplate.budget import Budget
from syncline.core.appset.gotemplate.quoting import escaped, is_print, quote, to_bytes
from syncline.core.appset.gotemplate.values import (
    NO_VALUE,
    Named,
    NilList,
    NilMap,
    NilStrings,
    Object,
    Uint8,
    Uint64,
    sorted_keys,
    type_name,
)


class Flags:
    """What stands between the percent sign and the verb."""

    __slots__ = ("minus", "plus", "precision", "sharp", "space", "width", "zero")

    def __init__(self) -> None:
        self.minus = self.plus = self.sharp = self.space = self.zero = False
        self.width: int | None = None
        self.precision: int | None = None


class Printer:
    """Prints single values."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._size = 0

    def verb(self, value: Any, verb: str, flags: Flags, depth: int = 0) -> str:
        """Return a value printed by a verb."""
        self._budget.depth(depth)
        self._budget.spend(1)
        if value is None or value is NO_VALUE:
            return _padded("<nil>", flags) if verb in "Tv" else _bad(verb, "<nil>")
        if verb == "T":
            return _padded(type_name(value), flags)
        if verb == "p":
            return _bad(verb, f"{type_name(value)}={self.verb(value, 'v', Flags())}")
        if verb == "w":
            return _bad(verb, f"{type_name(value)}={self.verb(value, 'v', Flags())}")
        text = self._value(value, verb, flags, depth)
        self._size += len(text) if not depth else 0
        self._budget.text(self._size)
        return text

    def _value(self, value: Any, verb: str, flags: Flags, depth: int) -> str:
        if isinstance(value, Object | Named):
            return self._named(value, verb, flags)
        if isinstance(value, str):
            return self._string(value, verb, flags)
        if isinstance(value, bool):
            return _padded("true" if value else "false", flags) if verb in "tv" else self._bad(value, verb)
        if isinstance(value, int):
            return self._integer(value, verb, flags)
        if isinstance(value, float):
            return self._float(value, verb, flags)
        if isinstance(value, complex):
            return self._complex(value, verb, flags)
        if isinstance(value, dict):
            return self._map(value, verb, flags, depth)
        return self._list(value, verb, flags, depth)

    def _named(self, value: Object | Named, verb: str, flags: Flags) -> str:
        text = value.text() if isinstance(value, Object) else value.text
        if verb in "vsxXq" and not flags.sharp:
            return self._string(text, verb, flags)
        if isinstance(value, Named):
            return self._integer(int(value), verb, flags)
        return self._bad(text, verb, of=value.type_name) if verb != "v" else self._string(text, "v", Flags())

    def _bad(self, value: Any, verb: str, of: str = "") -> str:
        return _bad(verb, f"{of or type_name(value)}={self.verb(value, 'v', Flags())}")

    def _string(self, text: str, verb: str, flags: Flags) -> str:
        if verb == "v" and flags.sharp:
            return _padded(quote(text), flags)
        if verb in "sv":
            return _padded(text if flags.precision is None else text[: flags.precision], flags)
        if verb == "q":
            cut = text if flags.precision is None else text[: flags.precision]
            if flags.sharp and "`" not in cut and all(is_print(char) or char == "\t" for char in cut):
                return _padded(f"`{cut}`", flags)
            return _padded(quote(cut, ascii_only=flags.plus), flags)
        if verb in "xX":
            return _padded(_hexadecimal(to_bytes(text), verb, flags), flags)
        return self._bad(text, verb)

    def _integer(self, value: int, verb: str, flags: Flags) -> str:
        match verb:
            case "v" if flags.sharp and isinstance(value, Uint64 | Uint8):
                return _padded(f"0x{value:x}", flags)
            case "v" | "d":
                return _signed(value, 10, "", flags)
            case "b":
                return _signed(value, 2, "0b" if flags.sharp else "", flags)
            case "o":
                return _signed(value, 8, "0" if flags.sharp else "", flags)
            case "O":
                return _signed(value, 8, "0o", flags)
            case "x":
                return _signed(value, 16, "0x" if flags.sharp else "", flags)
            case "X":
                return _signed(value, 16, "0X" if flags.sharp else "", flags).upper()
            case "c":
                return _padded(_character(value), flags)
            case "q":
                mark = escaped(_character(value), "'", ascii_only=flags.plus)
                return _padded(f"'{mark}'", flags)
            case "U":
                char = _character(value)
                code = value if value >= 0 else value + 2**64
                shown = f" '{char}'" if flags.sharp and value <= 0x10FFFF and is_print(char) else ""
                digits = f"{code:X}".rjust(max(4, flags.precision or 0), "0")
                return _padded(f"U+{digits}{shown}", flags, zero=False)
        return self._bad(value, verb)

    def _float(self, value: float, verb: str, flags: Flags) -> str:
        if verb not in "vbgGeEfFxX":
            return self._bad(value, verb)
        return _pad_number(
            floats.formatted(value, verb, flags.precision, flags.sharp and verb != "v"),
            flags,
            finite=math.isfinite(value),
        )

    def _complex(self, value: complex, verb: str, flags: Flags) -> str:
        if verb not in "vbgGeEfFxX":
            return self._bad(value, verb)
        plus = Flags()
        plus.plus, plus.precision, plus.sharp = True, flags.precision, flags.sharp
        return f"({self._float(value.real, verb, flags)}{self._float(value.imag, verb, plus)}i)"

    def _map(self, value: dict[str, Any], verb: str, flags: Flags, depth: int) -> str:
        if verb == "v" and flags.sharp:
            if isinstance(value, NilMap):
                return f"{type_name(value)}(nil)"
            inner = [f"{quote(key)}:{self._inner(value[key], verb, flags, depth)}" for key in sorted_keys(value)]
            return f"{type_name(value)}{{{', '.join(inner)}}}"
        parts = []
        for key in sorted_keys(value):
            parts.append(f"{self._string(key, verb, flags)}:{self._inner(value[key], verb, flags, depth)}")
            self._grow(parts[-1])
        return f"map[{' '.join(parts)}]"

    def _list(self, value: list[Any], verb: str, flags: Flags, depth: int) -> str:
        if verb == "v" and flags.sharp:
            if isinstance(value, NilList | NilStrings):
                return f"{type_name(value)}(nil)"
            return f"{type_name(value)}{{{', '.join(self._inner(item, verb, flags, depth) for item in value)}}}"
        parts = []
        for item in value:
            parts.append(self._inner(item, verb, flags, depth))
            self._grow(parts[-1])
        return f"[{' '.join(parts)}]"

    def _inner(self, value: Any, verb: str, flags: Flags, depth: int) -> str:
        if value is None and verb == "v" and flags.sharp:
            return "interface {}(nil)"
        if value is None:
            return _padded("<nil>", flags)
        return self.verb(value, verb, flags, depth + 1)

    def _grow(self, part: str) -> None:
        """Pay for what is put together, so that shared parts cannot double without end."""
        self._budget.text(len(part))


def _bad(verb: str, what: str) -> str:
    return f"%!{verb}({what})"


def _character(code: int) -> str:
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


def _hexadecimal(data: bytes, verb: str, flags: Flags) -> str:
    data = data if flags.precision is None else data[: flags.precision]
    lead = f"0{verb}" if flags.sharp else ""
    digits = [f"{byte:02x}" if verb == "x" else f"{byte:02X}" for byte in data]
    if flags.space:
        return " ".join(lead + pair for pair in digits)
    return lead + "".join(digits) if digits else ""


def _signed(value: int, base: int, lead: str, flags: Flags) -> str:
    digits = _in_base(abs(value), base)
    if flags.precision is not None:
        if flags.precision == 0 and value == 0:
            return _padded("", flags, zero=False)
        digits = digits.rjust(flags.precision, "0")
    if lead == "0" and digits.startswith("0"):
        lead = ""
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    if flags.zero and flags.width is not None and not flags.minus and flags.precision is None:
        digits = digits.rjust(flags.width - len(sign), "0")
    return _padded(f"{sign}{lead}{digits}", flags, zero=False)


def _in_base(value: int, base: int) -> str:
    return {2: f"{value:b}", 8: f"{value:o}", 10: f"{value}", 16: f"{value:x}"}[base]


def _pad_number(text: str, flags: Flags, *, finite: bool) -> str:
    sign = text[0] if text[0] in "+-" else "+"
    digits = text.lstrip("+-")
    lead = sign if sign == "-" or flags.plus else " " if flags.space else ""
    if not finite and not flags.plus and digits == "NaN":
        lead = " " if flags.space else ""
    if digits == "Inf":
        lead = sign
    if flags.zero and finite and flags.width is not None and not flags.minus:
        digits = digits.rjust(flags.width - len(lead), "0")
    return _padded(lead + digits, flags, zero=False)


def _padded(text: str, flags: Flags, *, zero: bool = True) -> str:
    width = flags.width
    if width is None or len(text) >= width:
        return text
    if flags.minus:
        return text.ljust(width)
    return text.rjust(width, "0" if flags.zero and zero else " ")
