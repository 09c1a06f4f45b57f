"""Long computations leave the others room: those of one project come one at a time, with pauses between them.

Made by `syncline.controller.deliver.applications` for `syncline.controller.deliver.reconcile`, which says which passes
are under way, and for `syncline.controller.deliver.observe`. All passes run on one loop: comparing thousands of objects
holds it for a second, and twenty such passes of one project would come between every two steps of another's.
Where no other project has a pass under way nobody waits.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator

from syncline import turns
from syncline.model.fairness import FairLimits
from syncline.ports.clock import Clock

LARGE = 500
"""With so many objects an Application takes long enough to compute that others would notice."""
_SHORT = 0.05
_LONGEST_PAUSE = 2.0
_ROOM = 100
"""So many projects compute side by side, each after the other's steps."""


class Courtesy:
    """The passes under way, by project, and whose turn it is to compute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._present: Counter[str] = Counter()
        self._turns = turns.Turns(FairLimits(width=1, room=_ROOM, too_long=math.inf, budget=0.0))

    @contextlib.contextmanager
    def present(self, project: str) -> Iterator[None]:
        """Note that a pass of a project is under way."""
        self._present[project] += 1
        try:
            yield
        finally:
            self._present[project] -= 1
            if not self._present[project]:
                del self._present[project]

    @contextlib.asynccontextmanager
    async def computing(self, size: int) -> AsyncIterator[None]:
        """Compute about so many objects for whom `turns.worked_for` names; others get as much time afterwards."""
        share = turns.worked_for()
        if size < LARGE or not self._present.keys() - {share.project}:
            yield
            return
        async with self._turns.turn(share):
            began = self._clock.monotonic()
            yield
            spent = self._clock.monotonic() - began
            if spent > _SHORT and self._present.keys() - {share.project}:
                # While it is held, the next computation of this project waits, and those of others do not.
                await self._clock.sleep(min(spent, _LONGEST_PAUSE))
