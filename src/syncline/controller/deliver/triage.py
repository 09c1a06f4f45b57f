"""Which Applications go first when a repository has something new: those that the commit concerns.

Told by `syncline.controller.sources.desired` of every app whose source moved on; run beside the passes by
`syncline.controller.deliver.applications`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.runtime.queue import WorkQueue

_BREATH = 100
_FEW = 20
"""So many Applications that a commit concerns come before all others: nobody waits for one of a thousand."""


class Triage:
    """The Applications whose source has something new, until they are in the queue."""

    def __init__(self, lookout: Lookout, attention: Attention) -> None:
        self._lookout = lookout
        self._attention = attention
        self._moved: dict[AppKey, None] = {}
        self._nudged: dict[AppKey, None] = {}
        self._due = asyncio.Event()
        self.on_moved: Callable[[AppKey], None] = lambda _key: None
        """Told of every app whose source has something new; for those who measure."""

    def moved_on(self, key: AppKey) -> None:
        """Look at an app whose source has something new; until then nothing that it may desire is pruned."""
        self._lookout.moved_on(key)
        self._moved[key] = None
        self._due.set()
        self.on_moved(key)

    def nudge(self, key: AppKey) -> None:
        """Look at an app again because of something that another app desires, or no longer does."""
        self._nudged[key] = None
        self._due.set()

    async def run(self, queue: WorkQueue[AppKey], concerns: Callable[[AppKey], Awaitable[bool]]) -> None:
        """Let the apps that a commit concerns go first: of thousands in one repository it is mostly a few."""
        while True:
            await self._due.wait()
            self._due.clear()
            moved, self._moved = self._moved, {}
            nudged, self._nudged = self._nudged, {}
            for key in nudged:
                queue.add(key)
            unconcerned = []
            concerned = 0
            for number, key in enumerate(moved):
                if number % _BREATH == 0:
                    # What is in memory is judged without waiting: others get their turn in between.
                    await asyncio.sleep(0)
                if await concerns(key):
                    concerned += self._lookout.knows(key)
                    if self._lookout.knows(key) and concerned <= _FEW:
                        self._attention.turn_to(key)
                    queue.add(key)
                else:
                    unconcerned.append(key)
            for key in unconcerned:
                # It desires what it did before, so nobody has to wait for it.
                self._lookout.pass_over(key)
                queue.add_idle(key)
