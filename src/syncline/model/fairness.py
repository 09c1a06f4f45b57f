"""Whose turn it is: a queue that shares a few places between projects by the processor time they have used.

Held by `syncline.turns`, which waits and tells the time; every method takes `now` in seconds. A project that has
nothing running finds a place beside those that are taken, so an innocent project never waits for a hostile one to end.
Three things decide between projects, in this order: whether a project is over its budget, whether somebody waits for
the work, and how much the project has used. A project over its budget goes last, and is served at once where nobody
else waits. What it used is forgotten with time, so no project waits forever.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from enum import IntEnum

import msgspec

_AWAITED_IN_A_ROW = 3
"""So many times somebody's work comes before work that nobody waits for; then one of those has its turn."""
_LEAST = 0.001
"""Seconds that are forgotten entirely."""
_MOST_PROJECTS = 1_000
_OTHERS = ""


class Lane(IntEnum):
    """Whether somebody waits for a piece of work."""

    AWAITED = 0
    BACKGROUND = 1


class Share(msgspec.Struct, frozen=True):
    """For which project something is done, whether somebody waits for it, and for which Application or set."""

    project: str = ""
    awaited: bool = True
    subject: str = ""

    @property
    def lane(self) -> Lane:
        """The lane its work waits in."""
        return Lane.AWAITED if self.awaited else Lane.BACKGROUND


class FairLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much runs at a time, and how much one project may use."""

    width: int
    """How many run at a time."""
    room: int = 0
    """How many more may run, each for a project that has nothing running."""
    most: int = 0
    """How many run at most with those that have become long; 0: as many as `width` and `room` allow."""
    reserved: int = 0
    """How many more may run where somebody waits for the work and its project has nothing running."""
    long: float = 10.0
    """After so many seconds a piece of work no longer takes the room of projects that have nothing running."""
    too_long: float = 30.0
    """After so many seconds a piece of work is ended where no place is left for a project that has nothing running."""
    budget: float = 60.0
    """Processor seconds that a project may use in `window` before it goes behind the others; 0: no limit."""
    window: float = 600.0

    def ceiling(self, lane: Lane) -> int:
        """Return how many run at most when work of a lane begins."""
        reserved = self.reserved if lane is Lane.AWAITED else 0
        return (self.most or self.width + self.room) + reserved


class Usage:
    """Processor seconds by project: recent ones for budgets, and all since the start for metrics."""

    def __init__(self) -> None:
        self.total: dict[str, float] = {}
        """Bounded: where there are too many projects, those that are new are counted together."""
        self._recent: dict[str, tuple[float, float]] = {}

    def spend(self, project: str, seconds: float, now: float, window: float) -> None:
        """Count what a project used."""
        self._recent[project] = (self.recent(project, now, window) + seconds, now)
        name = project if project in self.total or len(self.total) < _MOST_PROJECTS else _OTHERS
        self.total[name] = self.total.get(name, 0.0) + seconds
        if len(self._recent) > _MOST_PROJECTS:
            used = {one: self.recent(one, now, window) for one in self._recent}
            self._recent = {one: pair for one, pair in self._recent.items() if used[one] > _LEAST}

    def recent(self, project: str, now: float, window: float) -> float:
        """Return what a project used recently: what is a window old counts little more than a third."""
        used, at = self._recent.get(project, (0.0, now))
        return used * math.exp(-max(now - at, 0.0) / window)


class Ticket(msgspec.Struct, frozen=True):
    """One piece of work that waits or runs."""

    number: int
    share: Share
    asked: float


class Wait(msgspec.Struct, frozen=True):
    """Work that waits for its turn: for what and whom, for how long, and why.

    Its project is over its budget, or has other work that runs; else every place is taken by other projects.
    """

    subject: str
    project: str
    seconds: float
    over_budget: bool = False
    own_runs: bool = False


class TurnFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What waits and runs, and the processor seconds of each project since the start."""

    waiting: dict[str, int] = {}
    """By lane."""
    running: int = 0
    processor_seconds: dict[str, float] = {}
    waits: tuple[Wait, ...] = ()


class FairQueue:
    """Work that waits and runs, by project and lane."""

    def __init__(self, limits: FairLimits, usage: Usage | None = None) -> None:
        self.limits = limits
        self.usage = usage or Usage()
        self._number = 0
        self._waiting: dict[str, tuple[deque[Ticket], deque[Ticket]]] = {}
        self._started: dict[Ticket, float] = {}
        self._running: Counter[str] = Counter()
        self._tags: dict[str, float] = {}
        """What each project has used, on a scale on which all that have work begin where the others are."""
        self._floor = 0.0
        self._in_a_row = 0

    def ask(self, share: Share, now: float) -> Ticket:
        """Let a piece of work wait for its turn."""
        project = share.project
        self._raise_floor(now)
        if project not in self._waiting and not self._running[project]:
            # A project that was away has saved nothing up, and what it owes is still owed.
            self._tags[project] = max(self._tags.get(project, 0.0), self._floor)
        self._number += 1
        ticket = Ticket(self._number, share, now)
        self._waiting.setdefault(project, (deque(), deque()))[share.lane].append(ticket)
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        """Take back a piece of work that has not begun."""
        lanes = self._waiting.get(ticket.share.project)
        if lanes is not None and ticket in lanes[ticket.share.lane]:
            lanes[ticket.share.lane].remove(ticket)
            self._tidy(ticket.share.project)

    def start(self, now: float) -> Ticket | None:
        """Begin the next piece of work, where there is a place for one."""
        heads = [
            (project, lane)
            for project, lanes in self._waiting.items()
            for lane in Lane
            if lanes[lane] and self._finds_place(project, lane, now)
        ]
        if not heads:
            return None
        heads = [head for head in heads if not self.is_over_budget(head[0], now)] or heads
        awaited = [project for project, lane in heads if lane is Lane.AWAITED]
        background = [project for project, lane in heads if lane is Lane.BACKGROUND]
        is_awaited = bool(awaited) and (not background or self._in_a_row < _AWAITED_IN_A_ROW)
        self._in_a_row = self._in_a_row + 1 if is_awaited and background else 0
        lane = Lane.AWAITED if is_awaited else Lane.BACKGROUND
        project = min(
            awaited if is_awaited else background,
            key=lambda one: (self._tag(one, now), self._waiting[one][lane][0].number),
        )
        ticket = self._waiting[project][lane].popleft()
        self._started[ticket] = now
        self._running[project] += 1
        self._tidy(project)
        return ticket

    def done(self, ticket: Ticket, cost: float, now: float) -> None:
        """Say that a piece of work has ended, and the processor seconds it took."""
        if self._started.pop(ticket, None) is None:
            return
        project = ticket.share.project
        self._running[project] -= 1
        self._tags[project] = self._tags.get(project, 0.0) + cost
        self._raise_floor(now)
        self._tidy(project)

    def is_over_budget(self, project: str, now: float) -> bool:
        """Whether a project has used more than its budget; what it runs counts by the clock until it has ended."""
        return 0 < self.limits.budget < self._used(project, now)

    def must_give_way(self, now: float) -> Ticket | None:
        """Return the work to end because every place is taken, and a project within its budget has nothing running."""
        stuck = [
            lane
            for project, lanes in self._waiting.items()
            if not self._running[project] and not self.is_over_budget(project, now)
            for lane in Lane
            if lanes[lane]
        ]
        if not any(len(self._started) >= self.limits.ceiling(lane) for lane in stuck):
            return None
        old = [ticket for ticket, began in self._started.items() if now - began >= self.limits.too_long]
        return max(old, key=lambda ticket: (self._used(ticket.share.project, now), -ticket.number), default=None)

    def next_change(self, now: float) -> float | None:
        """Return in how many seconds work that runs becomes long, or too long; None where nothing waits."""
        if not self._waiting:
            return None
        ages = [now - began for began in self._started.values()]
        bounds = (self.limits.long, self.limits.too_long)
        return min((bound - age for age in ages for bound in bounds if bound > age), default=None)

    def waiting(self) -> Counter[Lane]:
        """Return how much waits, by lane."""
        return Counter({lane: sum(len(lanes[lane]) for lanes in self._waiting.values()) for lane in Lane})

    def running(self) -> int:
        """Return how much runs."""
        return len(self._started)

    def waits(self, now: float) -> tuple[Wait, ...]:
        """Return what waits, the longest first."""
        tickets = (ticket for lanes in self._waiting.values() for lane in lanes for ticket in lane)
        return tuple(
            Wait(
                ticket.share.subject,
                project,
                now - ticket.asked,
                self.is_over_budget(project, now),
                self._running[project] > 0,
            )
            for ticket in sorted(tickets, key=lambda one: one.number)
            for project in (ticket.share.project,)
        )

    def _finds_place(self, project: str, lane: Lane, now: float) -> bool:
        running, limits = len(self._started), self.limits
        if running < limits.width:
            return True
        if self._running[project] or running >= limits.ceiling(lane):
            return False
        reserved = limits.reserved if lane is Lane.AWAITED else 0
        young = sum(now - began < limits.long for began in self._started.values())
        return young < limits.width + limits.room + reserved

    def _used(self, project: str, now: float) -> float:
        return self.usage.recent(project, now, self.limits.window) + self._under_way(project, now)

    def _under_way(self, project: str, now: float) -> float:
        if not self._running[project]:
            return 0.0
        return sum(now - began for ticket, began in self._started.items() if ticket.share.project == project)

    def _tag(self, project: str, now: float) -> float:
        return self._tags.get(project, 0.0) + self._under_way(project, now)

    def _raise_floor(self, now: float) -> None:
        busy = {*self._waiting, *(ticket.share.project for ticket in self._started)}
        if busy:
            self._floor = max(self._floor, min(self._tag(project, now) for project in busy))

    def _tidy(self, project: str) -> None:
        lanes = self._waiting.get(project)
        if lanes is not None and not any(lanes):
            del self._waiting[project]
        if project not in self._waiting and not self._running[project]:
            del self._running[project]
            if self._tags.get(project, 0.0) <= self._floor:
                self._tags.pop(project, None)
