"""Field paths: where in an object a value stands, printed and parsed as `spec.containers[name=web].image`.

Made by `syncline.apimachinery.diff`, printed in every difference and finding, and parsed back from the
command line.
A step is a member's name, an index, the keys of an associative list's item, or the value of a set's item.
Names with dots and slashes are quoted: `metadata.annotations["a.b/c"]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from syncline.apimachinery import encoding, equality
from syncline.apimachinery.frozen import Frozen, set_field

if TYPE_CHECKING:
    from msgspec import UNSET as MISSING
    from msgspec import UnsetType as Missing

__all__ = ["MISSING", "FieldPath", "InvalidPath", "KeyMatch", "Missing", "Scalar", "Step", "ValueMatch"]

Scalar = str | int | float | bool | None

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*", re.ASCII)
_BARE_VALUE = re.compile(r"[A-Za-z/_][A-Za-z0-9_./:@%+*-]*", re.ASCII)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL = re.compile(r"[^\],\"=\[]+")
_RESERVED: Final = frozenset(("true", "false", "null"))


def __getattr__(name: str) -> Any:
    """Hand out `MISSING`, which stands for a value that is not there: msgspec's own mark, which JSON leaves out."""
    if name != "MISSING":
        raise AttributeError(name)
    return encoding.MISSING


class InvalidPath(ValueError):
    """A text that is not a field path."""


class KeyMatch(Frozen):
    """The item of an associative list that has these keys, in the order the schema names them."""

    __slots__ = __match_args__ = ("keys",)

    keys: tuple[tuple[str, Scalar], ...]

    def __init__(self, keys: tuple[tuple[str, Scalar], ...]) -> None:
        set_field(self, "keys", keys)

    def matches(self, item: Any) -> bool:
        """Return whether an item has all of the keys."""
        return isinstance(item, dict) and all(
            key in item and equality.equal(item[key], value) for key, value in self.keys
        )

    def __str__(self) -> str:
        return f"[{','.join(f'{_value(key)}={_value(value)}' for key, value in self.keys)}]"


class ValueMatch(Frozen):
    """The item of a set that is this value, printed `[=value]`."""

    __slots__ = __match_args__ = ("value",)

    value: Scalar

    def __init__(self, value: Scalar) -> None:
        set_field(self, "value", value)

    def matches(self, item: Any) -> bool:
        """Return whether an item is the value."""
        return equality.equal(item, self.value)

    def __str__(self) -> str:
        return f"[={_value(self.value)}]"


Step = str | int | KeyMatch | ValueMatch


class FieldPath(Frozen):
    """The steps from an object to one of its values."""

    __slots__ = __match_args__ = ("steps",)

    steps: tuple[Step, ...]

    def __init__(self, steps: tuple[Step, ...] = ()) -> None:
        set_field(self, "steps", steps)

    def __truediv__(self, step: Step) -> FieldPath:
        return FieldPath((*self.steps, step))

    def __str__(self) -> str:
        parts: list[str] = []
        for step in self.steps:
            if not isinstance(step, str):
                parts.append(f"[{step}]" if isinstance(step, int) else str(step))
            elif not _NAME.fullmatch(step):
                parts.append(f"[{_quote(step)}]")
            else:
                parts.append(f".{step}" if parts else step)
        return "".join(parts)

    def resolve(self, obj: Any) -> Any:
        """Return the value at this path, `MISSING` where there is none."""
        for step in self.steps:
            obj = _follow(obj, step)
            if obj is encoding.MISSING:
                break
        return obj

    @classmethod
    def parse(cls, text: str) -> FieldPath:
        """Read what `str()` prints."""
        steps: list[Step] = []
        at = 0
        while at < len(text):
            step, at = _read_step(text, at)
            steps.append(step)
        return cls(tuple(steps))


def _follow(obj: Any, step: Step) -> Any:
    if isinstance(step, str):
        return obj.get(step, encoding.MISSING) if isinstance(obj, Mapping) else encoding.MISSING
    if not isinstance(obj, list):
        return encoding.MISSING
    if isinstance(step, int):
        return obj[step] if 0 <= step < len(obj) else encoding.MISSING
    return next((item for item in obj if step.matches(item)), encoding.MISSING)


def _quote(text: str) -> str:
    return encoding.encode(text).decode()


def _value(value: Scalar) -> str:
    if isinstance(value, str) and _BARE_VALUE.fullmatch(value) and value not in _RESERVED:
        return value
    return encoding.encode(value).decode()


def _read_step(text: str, at: int) -> tuple[Step, int]:
    if text[at] == "[":
        return _read_bracket(text, at + 1)
    if at and text[at] != ".":
        raise _unreadable(text, at)
    found = _NAME.match(text, at + 1 if at else at)
    if found is None:
        raise _unreadable(text, at)
    return found[0], found.end()


def _read_bracket(text: str, at: int) -> tuple[Step, int]:
    keys: list[tuple[str, Scalar]] = []
    while True:
        name, at = ("", at) if text[at : at + 1] == "=" else _read_scalar(text, at)
        if text[at : at + 1] == "]" and not keys:
            if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
                return name, at + 1
            raise _unreadable(text, at)
        if text[at : at + 1] != "=":
            raise _unreadable(text, at)
        value, at = _read_scalar(text, at + 1)
        keys.append((str(name), value))
        end = text[at : at + 1]
        if end == "]":
            return (ValueMatch(value) if keys == [("", value)] else KeyMatch(tuple(keys))), at + 1
        if end != ",":
            raise _unreadable(text, at)
        at += 1


def _read_scalar(text: str, at: int) -> tuple[Scalar, int]:
    found = _QUOTED.match(text, at) or _LITERAL.match(text, at)
    if found is None:
        raise _unreadable(text, at)
    word = found[0]
    if _BARE_VALUE.fullmatch(word) and word not in _RESERVED:
        return word, found.end()
    try:
        value: Scalar = encoding.decode(word)
    except encoding.DecodeError:
        raise _unreadable(text, at) from None
    return value, found.end()


def _unreadable(text: str, at: int) -> InvalidPath:
    return InvalidPath(f"{text!r} is not a field path: unexpected text at character {at + 1}")
