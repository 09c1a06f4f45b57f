"""A loop in which everything is fake but our code: virtual time, seeded order, no threads, sockets or processes.

Tests call `run_simulated` with a function that makes the coroutine; time, ids and chance come from
`tests.support.clocks`. An hour's sleep takes no time, the same seed gives the same run, and a run in which nothing
can ever happen again ends with `DeadlockError` instead of hanging.
asyncio promises first in, first out; the shuffle is harsher than that on purpose, so a failure seen only shuffled
is to be checked with `fifo=True` before it is called a bug.
It relies on three things inside CPython's `BaseEventLoop`: `_run_once` asks `_selector.select` before each batch,
`_ready` holds what runs next, `_scheduled` is a heap of timers. `tests/unit/loops` notices when that changes.
"""

import asyncio
import collections
import heapq
import random
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, TypeVar

from tests.support.loops import running

T = TypeVar("T")

FORBIDDEN = (
    "add_reader",
    "add_writer",
    "connect_read_pipe",
    "connect_write_pipe",
    "create_connection",
    "create_datagram_endpoint",
    "create_server",
    "create_unix_connection",
    "create_unix_server",
    "getaddrinfo",
    "run_in_executor",
    "sock_connect",
    "subprocess_exec",
    "subprocess_shell",
)


class ForbiddenError(AssertionError):
    """Code under simulation reached for the real world."""


class EndlessError(AssertionError):
    """The run went on for longer, in virtual time, than the test allows."""


class SimulatedLoop(asyncio.BaseEventLoop):
    """Virtual time that jumps to the next timer, and a seeded order of what is ready."""

    _ready: "collections.deque[asyncio.Handle]"
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self, *, seed: int, fifo: bool, longest: float) -> None:
        super().__init__()
        self._now = 0.0
        self._longest = longest
        self._order = None if fifo else random.Random(f"order-{seed}")
        self._selector = self
        self._clock_resolution = 0.0

    def time(self) -> float:
        """Return virtual seconds since the run began."""
        return self._now

    def select(self, timeout: float | None = None) -> list[Any]:
        """Stand in for the selector: move time on, then choose the order of the next batch."""
        if timeout is None:
            raise running.DeadlockError(f"nothing can happen any more; waiting are:\n{running.waiting(self)}")
        if timeout > 0:
            self._now = self._scheduled[0].when()
            if self._now > self._longest:
                raise EndlessError(f"still running after {self._longest:g} virtual seconds")
        while self._scheduled and self._scheduled[0].when() <= self._now:
            timer = heapq.heappop(self._scheduled)
            timer._scheduled = False  # type: ignore[attr-defined]
            self._ready.append(timer)
        if self._order is not None and len(self._ready) > 1:
            batch = list(self._ready)
            self._order.shuffle(batch)
            self._ready.clear()
            self._ready.extend(batch)
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """Nothing comes from outside."""

    def _write_to_self(self) -> None:
        """Nobody sleeps in a selector, so nobody has to be woken."""


def _refuser(name: str) -> Callable[..., NoReturn]:
    def refuse(*_arguments: object, **_named: object) -> NoReturn:
        raise ForbiddenError(f"{name} reaches the real world; simulated code must go through a port")

    return refuse


for _name in FORBIDDEN:
    setattr(SimulatedLoop, _name, _refuser(_name))


def run_simulated(
    make: Callable[[], Coroutine[Any, Any, T]],
    seed: int = 0,
    *,
    fifo: bool = False,
    longest: float = 30 * 86_400.0,
) -> T:
    """Run what `make` returns in virtual time; an error carries the seed that repeats it."""
    loop = SimulatedLoop(seed=seed, fifo=fifo, longest=longest)
    try:
        return running.run_to_end(loop, make())
    except BaseException as error:
        error.add_note(f"repeat with run_simulated(…, seed={seed}, fifo={fifo})")
        raise
