"""Which key is worked on next: a queue of keys, coalesced and fair.

Fed by watches, timers and whatever a subject follows besides; emptied by `syncline.controller.runtime.loop`. A key that
is already waiting is not added twice, and one that is being worked on is taken up again afterwards. Keys that somebody
waits for come before all others, find room where those have taken it all, and have the processor and the API server
nearly to themselves: while one is worked on, only a few others of its lane are begun. Tenants (projects) take turns
inside a lane, and one that has nothing under way finds room beside all the others: passes that wait for a slow
repository or a chart that loops take no place from another tenant.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable
from typing import Generic, TypeAlias

from syncline import tasks
from syncline.controller.runtime.keys import K
from syncline.model.look_again import LookAgain
from syncline.ports.clock import Clock

_ROOM = 8
"""So many more keys of a lane are worked on at a time when somebody waits for them."""
_BESIDE = 4
"""So many keys of a lane are worked on at a time before another is begun beside one that somebody waits for."""
_OWN = 2
"""So many keys of each tenant find room in a lane that is full of others'."""
_OWN_TIMES = 4
"""All that are worked on in a lane are at most so many times its width."""
_PATIENCE = 5.0
"""So many seconds the others hold back for one key: a repository that does not answer is not to stop a fleet."""
_IDLE_WIDTH = 2
"""So many keys that have no hurry are worked on at a time, so that one that has finds room at once."""

_TOLERANCE = 1e-6
_Line: TypeAlias = tuple[str, str]
"""A lane and a tenant: keys wait in line with those of the same."""
_Lines: TypeAlias = dict[_Line, dict[K, None]]


class WorkQueue(Generic[K]):
    """Keys to work on, now or later.

    Keys of one lane (one destination cluster) are worked on at most `width` at a time, so that a cluster that hangs
    holds up nobody else. `tenant_of` names whose a key is: tenants of a lane take turns.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        lane_of: Callable[[K], str] = lambda _key: "",
        tenant_of: Callable[[K], str] = lambda _key: "",
        is_awaited: Callable[[K], bool] = lambda _key: False,
        width: int = 20,
    ) -> None:
        self._clock = clock
        self._lane_of = lane_of
        self._tenant_of = tenant_of
        self._most = _OWN_TIMES * width
        self._is_awaited = is_awaited
        self._first: _Lines[K] = {}
        self._ready: _Lines[K] = {}
        self._idle: _Lines[K] = {}
        # In order of precedence, each with how many keys of a lane may be worked on when one of it is taken.
        self._ranks = ((self._first, width + _ROOM), (self._ready, width), (self._idle, _IDLE_WIDTH))
        self._line_of: dict[K, _Line] = {}
        """Where a key waits: its tenant or lane may be another by the time it is taken."""
        self._busy: dict[K, _Line] = {}
        # Keys that somebody waits for and that are being worked on, with the lane and until when others hold back.
        self._attended: dict[K, tuple[str, float]] = {}
        self._running: Counter[str] = Counter()
        self._own: Counter[_Line] = Counter()
        self._again: set[K] = set()
        self._later: list[tuple[float, K]] = []
        self._due: dict[K, float] = {}
        self._wake = asyncio.Event()

    def add(self, key: K) -> None:
        """Work on a key as soon as possible, and before all others when somebody waits for it."""
        if key in self._busy:
            self._again.add(key)
            return
        line = self._enter(key)
        rank = self._first if self._is_awaited(key) or key in self._first.get(line, ()) else self._ready
        rank.setdefault(line, {})[key] = None
        if rank is self._first:
            self._ready.get(line, {}).pop(key, None)
        self._idle.get(line, {}).pop(key, None)
        self._wake.set()

    def add_idle(self, key: K) -> None:
        """Work on a key when nothing else waits: there is no hurry."""
        if key in self._busy:
            self._again.add(key)
            return
        line = self._enter(key)
        if key not in self._ready.get(line, ()) and key not in self._first.get(line, ()):
            self._idle.setdefault(line, {})[key] = None
            self._wake.set()

    def _enter(self, key: K) -> _Line:
        """Return the line a key waits in; one that waits already stays where it is."""
        line = self._line_of.get(key)
        if line is None:
            line = self._line_of[key] = (self._lane_of(key), self._tenant_of(key))
        return line

    def add_after(self, key: K, seconds: float) -> None:
        """Work on a key later, unless that is already due earlier."""
        due = self._clock.monotonic() + seconds
        if self._due.get(key, float("inf")) <= due:
            return
        self._due[key] = due
        heapq.heappush(self._later, (due, key))
        self._wake.set()

    def add_when(self, key: K, look_again: LookAgain) -> None:
        """Work on a key when its last pass said that it has to be looked at again."""
        if look_again.seconds == 0:
            self.add(key)
        elif look_again.seconds is not None:
            self.add_after(key, look_again.seconds)

    def idle(self) -> bool:
        """Whether nothing waits to be worked on now and nothing is being worked on."""
        return not self.waiting() and not self._busy

    def is_attending(self) -> bool:
        """Whether a key is being worked on that somebody waits for."""
        return bool(self._attended)

    def waiting(self) -> int:
        """Return how many keys wait to be worked on now."""
        return sum(len(line) for lines, _ in self._ranks for line in lines.values())

    async def take(self) -> K:
        """Return the key that waits longest in the lane whose turn it is; the caller says `done` afterwards."""
        while True:
            self._promote()
            held_back = self._held_back()
            for lines, width in self._ranks:
                for line in [line for line, waiting in lines.items() if waiting]:
                    narrow = lines is not self._first and line[0] in held_back
                    if self._finds_room(line, lines, min(width, _BESIDE) if narrow else width):
                        return self._take_from(lines, line)
            await self._sleep()

    def _finds_room(self, line: _Line, lines: _Lines[K], width: int) -> bool:
        """Whether another key of a line may be begun; a tenant with little under way need not wait for the others."""
        running = self._running[line[0]]
        if running < width:
            return True
        return lines is not self._idle and self._own[line] < _OWN and running < self._most and self._is_shared(line)

    def _is_shared(self, line: _Line) -> bool:
        """Whether other tenants have keys under way in the lane."""
        return self._running[line[0]] > self._own[line]

    def _held_back(self) -> set[str]:
        """Return the lanes in which somebody is being served, for a while."""
        if not self._attended:
            return set()
        now = self._clock.monotonic()
        return {lane for lane, until in self._attended.values() if until > now}

    def _take_from(self, lines: _Lines[K], line: _Line) -> K:
        waiting = lines.pop(line)
        key = next(iter(waiting))
        del waiting[key]
        if waiting:
            # Behind the other lines: each gets its turn.
            lines[line] = waiting
        self._line_of.pop(key, None)
        self._busy[key] = line
        self._running[line[0]] += 1
        self._own[line] += 1
        if lines is self._first:
            self._attended[key] = (line[0], self._clock.monotonic() + _PATIENCE)
        return key

    def done(self, key: K) -> None:
        """Say that a taken key was worked on."""
        line = self._busy.pop(key, None)
        self._attended.pop(key, None)
        if line is not None:
            self._running[line[0]] -= 1
            self._own[line] -= 1
            if not self._own[line]:
                del self._own[line]
            self._wake.set()
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def _promote(self) -> None:
        # A loop may wake a timer early by its resolution; two workers that found nothing due would wake each other.
        now = self._clock.monotonic() + _TOLERANCE
        while self._later and self._later[0][0] <= now:
            due, key = heapq.heappop(self._later)
            if self._due.get(key) == due:
                del self._due[key]
                self.add(key)

    async def _sleep(self) -> None:
        self._wake.clear()
        due = [self._later[0][0]] if self._later else []
        due += [until for _, until in self._attended.values() if until > self._clock.monotonic()]
        if not due:
            await self._wake.wait()
            return
        pause = max(0.0, min(due) - self._clock.monotonic())
        woken = tasks.start(self._wake.wait(), name="woken")
        slept = tasks.start(self._clock.sleep(pause), name="next key")
        try:
            await asyncio.wait({woken, slept}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (woken, slept):
                task.cancel()
