"""Several subjects side by side: each with a loop of its own, all told of the same changes.

Started by `syncline.controller.controller`, which tells it what the live views bring.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object, key_of
from syncline.controller.runtime.keys import K
from syncline.controller.runtime.loop import Loop, OnFailure
from syncline.controller.runtime.subject import LiveChange, News, Subject
from syncline.controller.runtime.timing import Timing
from syncline.ports.clock import Clock


class Runtime:
    """The loops of all subjects. A subject is registered before the first change is told."""

    def __init__(self, clock: Clock, *, on_failure: OnFailure) -> None:
        self._clock = clock
        self._on_failure = on_failure
        self._loops: list[Loop[Any]] = []

    def register(self, subject: Subject[K]) -> None:
        """Let a subject have a loop; it starts with the others."""
        self._loops.append(Loop(subject, self._clock, self._on_failure))

    def changed(self, server: str, obj: Object) -> None:
        """Tell of an object that a watch of a cluster brought."""
        change = LiveChange(server, key_of(obj), obj)
        for loop in self._loops:
            loop.hear(change, News.CHANGED)

    def written(self, server: str, obj: Object) -> None:
        """Tell of an object that this process just wrote: its watch will bring nothing new."""
        change = LiveChange(server, key_of(obj), obj)
        for loop in self._loops:
            loop.hear(change, News.WRITTEN)

    def warned(self, server: str, obj: Object) -> None:
        """Tell of an object that is not Healthy and that a new Event is about."""
        change = LiveChange(server, key_of(obj), obj)
        for loop in self._loops:
            loop.hear(change, News.WARNED)

    def reached(self, server: str) -> None:
        """Look at what a cluster concerns that is away or back."""
        for loop in self._loops:
            loop.look_at_cluster(server)

    def look_at_all(self) -> None:
        """Look at everything, because what all of it depends on has changed."""
        for loop in self._loops:
            loop.look_at_all()

    def loops(self) -> Iterator[tuple[str, int, Timing]]:
        """Yield the name of each subject, how many of its keys wait, and how long its passes took."""
        for loop in self._loops:
            yield loop.name, loop.waiting(), loop.timing

    def is_busy(self) -> bool:
        """Whether there is more to do than is being done."""
        return any(loop.is_busy() for loop in self._loops)

    def share_changed(self) -> None:
        """Take up what is ours now, and stop in the middle of what no longer is."""
        for loop in self._loops:
            loop.share_changed()

    def start(self) -> None:
        """Begin to work."""
        for loop in self._loops:
            loop.start()

    async def stop(self) -> None:
        """End all passes where they are."""
        await asyncio.gather(*(loop.stop() for loop in self._loops))
