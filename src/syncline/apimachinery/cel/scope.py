"""The names that an expression sees, while somebody walks over it: inner ones hide outer ones, and go with their part.

Used by what checks types and by what estimates costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Scope(Generic[T]):
    """Names with what is known of each."""

    def __init__(self, known: Mapping[str, T] | None = None) -> None:
        self._known: Mapping[str, T] = dict(known or {})

    def get(self, name: str) -> T | None:
        """Return what is known of a name; None where it is not seen here."""
        return self._known.get(name)

    def within(self, more: Mapping[str, T], look: Callable[[], T]) -> T:
        """Return what a look finds that sees more names."""
        outer = self._known
        self._known = {**outer, **more}
        try:
            return look()
        finally:
            self._known = outer
