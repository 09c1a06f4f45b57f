"""Seeded choices for look-alikes of stories: other names, other sizes, another order; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
_FIRST = (
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "indigo", "juniper", "kestrel", "larch",
    "maple", "nimbus", "onyx", "pebble", "quartz", "raven", "sable", "tundra",
)  # fmt: skip
_SECOND = (
    "apex", "bay", "cove", "dune", "edge", "field", "gate", "hill", "isle", "jetty", "keel", "lane", "mill", "nook",
    "oak", "peak", "quay", "reef", "spur", "tide",
)  # fmt: skip


class Draw:
    """What a seed decides."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = random.Random(seed)  # noqa: S311 - nothing secret depends on it
        self._given: set[str] = set()

    def name(self) -> str:
        """Return a name that nobody has yet."""
        while True:
            made = f"{self._random.choice(_FIRST)}-{self._random.choice(_SECOND)}"
            if made not in self._given:
                self._given.add(made)
                return made

    def names(self, old: Iterable[str]) -> dict[str, str]:
        """Return another name for each."""
        return {one: self.name() for one in old}

    def size(self, least: int, most: int) -> int:
        """Return a number between these, both included."""
        return self._random.randint(least, most)

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of these."""
        return self._random.choice(choices)

    def in_turn(self, choices: Sequence[T]) -> T:
        """Return one of these, so that seeds one after the other come to all."""
        return choices[self.seed % len(choices)]

    def some_of(self, choices: Sequence[T], count: int) -> list[T]:
        """Return so many of these, in any order."""
        return self._random.sample(choices, count)

    def shuffled(self, given: Iterable[T]) -> list[T]:
        """Return these in another order."""
        mixed = list(given)
        self._random.shuffle(mixed)
        return mixed
