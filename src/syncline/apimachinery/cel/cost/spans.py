"""Costs and sizes that are known between a least and a most, in the arithmetic of an API server.

Used by `estimating` and `call_costs`. Nothing overflows: what is more than 64 bits hold is as much as they hold.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

MOST: Final = (1 << 64) - 1


class Span(NamedTuple):
    """A number between two others."""

    low: int
    high: int

    def plus(self, other: Span) -> Span:
        """Return the sum."""
        return Span(min(self.low + other.low, MOST), min(self.high + other.high, MOST))

    def times(self, other: Span) -> Span:
        """Return the product."""
        return Span(min(self.low * other.low, MOST), min(self.high * other.high, MOST))

    def scaled(self, factor: float) -> Span:
        """Return so many times as much, in whole numbers, rounded up."""
        return Span(_scaled(self.low, factor), _scaled(self.high, factor))

    def joined(self, other: Span) -> Span:
        """Return what holds both."""
        return Span(min(self.low, other.low), max(self.high, other.high))


def fixed(value: int) -> Span:
    """Return a number that is known."""
    return Span(value, value)


NOTHING: Final = fixed(0)
ONE: Final = fixed(1)
UNKNOWN: Final = Span(0, MOST)


def _scaled(value: int, factor: float) -> int:
    found = math.ceil(float(value) * factor)
    return min(found, MOST)


def total(parts: list[Span]) -> Span:
    """Return the sum of many."""
    found = NOTHING
    for one in parts:
        found = found.plus(one)
    return found
