"""The base of small immutable values that are compared, hashed and ordered by their fields.

Object keys and the steps of paths are made of it. They are neither msgspec Structs nor dataclasses, because importing
either takes longer than importing all of this package; a class with `__slots__` costs nothing.
To msgspec, and to whoever else asks, such a value is a dataclass all the same: encoded as an object, decoded from one.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any


class _DataclassFields:
    """Makes the dataclass fields of a class from its annotations when somebody first asks for them."""

    def __get__(self, instance: object, owner: type[Frozen]) -> Any:
        import dataclasses
        from typing import get_type_hints

        hints = get_type_hints(owner)
        made = dataclasses.make_dataclass(owner.__name__, [(name, hints[name]) for name in owner.__match_args__])
        fields: Any = vars(made)["__dataclass_fields__"]
        owner.__dataclass_fields__ = fields
        return fields


class Frozen:
    """A value whose fields, named in `__match_args__`, are written once, by `set_field` while it is made.

    Values of two classes are never equal.
    """

    __slots__: tuple[str, ...] = ()
    __match_args__: tuple[str, ...] = ()
    __dataclass_fields__: Any = _DataclassFields()
    _compared: Any

    def __init_subclass__(cls) -> None:
        # An attrgetter is not a function, so it is not bound: it gives all fields in one call that runs no Python code.
        if cls.__match_args__ and "_compared" not in cls.__dict__:
            cls._compared = attrgetter(*cls.__match_args__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: create another instead of setting {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: create another instead of deleting {name}")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(self._compared(self) == self._compared(other))

    def __hash__(self) -> int:
        return hash(self._compared(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


class Ordered(Frozen):
    """A frozen value that sorts among its like, by its fields from first to last."""

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return bool(self._compared(self) < self._compared(other)) if self._is_like(other) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return bool(self._compared(self) <= self._compared(other)) if self._is_like(other) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return bool(self._compared(self) > self._compared(other)) if self._is_like(other) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return bool(self._compared(self) >= self._compared(other)) if self._is_like(other) else NotImplemented

    def _is_like(self, other: object) -> bool:
        return other.__class__ is self.__class__


set_field = object.__setattr__
"""Writes a field of a value that is being made."""
