"""Go's time.Duration as templates and expressions see it.

Used by `syncline.core.expr` and by the methods of `syncline.core.appset.functions.times`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

from syncline.apimachinery import duration
from syncline.core.appset.gotemplate.values import Int64, Object

SECOND = 10**9
_UNITS = {"Milliseconds": 10**6, "Microseconds": 10**3, "Nanoseconds": 1}
_FRACTIONS = {"Hours": 3600 * SECOND, "Minutes": 60 * SECOND, "Seconds": SECOND}


@dataclasses.dataclass(frozen=True, slots=True)
class GoDuration(Object):
    """A span of time."""

    nanoseconds: int

    type_name: ClassVar[str] = "time.Duration"
    kind: ClassVar[str] = "int64"

    def text(self) -> str:
        """Return the span as Go prints it."""
        return duration.text(self.nanoseconds)

    def json(self) -> str:
        """Return the span as JSON has it."""
        return str(self.nanoseconds)

    def method(self, name: str) -> tuple[str, Callable[..., Any]] | None:
        """Return a method of the Go type."""
        if name in _FRACTIONS:
            return "", lambda: self.nanoseconds / _FRACTIONS[name]
        if name in _UNITS:
            return "", lambda: Int64(int(self.nanoseconds / _UNITS[name]))
        methods: dict[str, tuple[str, Callable[..., Any]]] = {
            "Abs": ("", lambda: GoDuration(abs(self.nanoseconds))),
            "Round": ("duration", lambda unit: self._rounded(unit, half=True)),
            "String": ("", self.text),
            "Truncate": ("duration", lambda unit: self._rounded(unit, half=False)),
        }
        return methods.get(name)

    def _rounded(self, unit: GoDuration, *, half: bool) -> GoDuration:
        step = unit.nanoseconds
        if step <= 0:
            return self
        whole, rest = divmod(abs(self.nanoseconds), step)
        amount = (whole + (half and 2 * rest >= step)) * step
        return GoDuration(amount if self.nanoseconds >= 0 else -amount)
