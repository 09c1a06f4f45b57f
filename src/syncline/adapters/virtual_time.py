"""A loop in virtual time that runs real child processes, threads and file reads.

Built by `syncline.wiring` for whoever plays a story or proves a repository on the sandbox, and by tests. Children
started with `asyncio.create_subprocess_exec`, work given to a thread and blocks under `real_work` count as in flight.
While anything is in flight, time runs at the real rate or a part of it; otherwise it jumps to the next timer. So a
real `git fetch` under a 60 s timeout gets its 60 s, and a poll every 3 minutes costs nothing. At a lower rate a slow
machine plays nearly the same story as a fast one, and a program that hangs is given up later. A socket alone does not
count, because a listening server would stop the jumps for ever: wrap the exchange in `real_work`.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, TypeVarTuple

from syncline import in_flight

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
_ROUNDS = 8
GRACE = 1.0
"""How long to listen for something from outside before nothing can happen any more."""


class _Selector(selectors.DefaultSelector):
    """Blocks only while something real is in flight; otherwise polls, and lets the loop jump."""

    loop: HybridLoop
    _passed_over = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout == 0:
            # Something is ready to run: what comes from outside may wait for a few rounds, and asking costs a tenth.
            self._passed_over = (self._passed_over + 1) % _ROUNDS
            return [] if self._passed_over else super().select(0)
        if self.loop.in_flight:
            return super().select(timeout and timeout / self.loop.rate)
        # What already arrived comes before any jump.
        events = super().select(0 if timeout is not None else GRACE)
        if not events:
            self.loop.jump(timeout)
        return events


class HybridLoop(asyncio.SelectorEventLoop):
    """Virtual time that stands still, jumps, or runs at the real rate."""

    def __init__(self, rate: float = 1.0) -> None:
        selector = _Selector()
        selector.loop = self
        self._base = 0.0
        self._anchor = 0.0
        self.in_flight = 0
        self.rate = rate
        """How many seconds pass in one real second while something is in flight."""
        super().__init__(selector)

    def time(self) -> float:
        """Return virtual seconds since the run began."""
        return self._base + ((time.monotonic() - self._anchor) * self.rate if self.in_flight else 0.0)

    def jump(self, timeout: float | None) -> None:
        """Go to the next timer, or say that there is none."""
        if timeout is None:
            self.stand_still()
        else:
            self._base += timeout

    def stand_still(self) -> None:
        """Say that nothing can happen any more."""
        raise RuntimeError("nothing can happen any more, and something is still waited for")

    @contextlib.contextmanager
    def real_work(self) -> Iterator[None]:
        """Let time run at the real rate while the block runs."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    async def subprocess_exec(self, protocol_factory: Any, *arguments: Any, **named: Any) -> Any:
        """Start a child that is in flight until it has ended and its pipes are read, unless it is there to stay."""
        with self.real_work():
            if in_flight.stays():
                return await super().subprocess_exec(protocol_factory, *arguments, **named)
            return await super().subprocess_exec(self._tracked(protocol_factory), *arguments, **named)

    async def sock_recv(self, sock: Any, nbytes: int) -> bytes:
        """Wait for the end of a program that was shut in: it is in flight until it has ended."""
        with self.real_work():
            return await super().sock_recv(sock, nbytes)

    async def subprocess_shell(self, *_arguments: Any, **_named: Any) -> Any:
        """Refuse: there is no shell anywhere in Syncline."""
        raise AssertionError("a shell was asked for; start the program itself with an argument list")

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Run in a thread that is in flight until it has answered."""
        self._begin()
        try:
            future = super().run_in_executor(executor, func, *args)
        except BaseException:
            self._end()
            raise
        future.add_done_callback(lambda _future: self._end())
        return future

    def _tracked(self, protocol_factory: Callable[[], Any]) -> Callable[[], Any]:
        def make() -> Any:
            protocol = protocol_factory()
            made, lost = protocol.connection_made, protocol.connection_lost

            def connection_made(transport: Any) -> None:
                self._begin()
                made(transport)

            def connection_lost(error: BaseException | None) -> None:
                self._end()
                lost(error)

            protocol.connection_made, protocol.connection_lost = connection_made, connection_lost
            return protocol

        return make

    def _begin(self) -> None:
        if not self.in_flight:
            self._anchor = time.monotonic()
        self.in_flight += 1

    def _end(self) -> None:
        if self.in_flight == 1:
            self._base = self.time()
        self.in_flight -= 1


class LoopClock:
    """The time of the running loop; wall time begins at `beginning`."""

    def __init__(self, beginning: datetime = datetime(2030, 1, 1, tzinfo=UTC)) -> None:
        self._beginning = beginning

    def catch_up(self, now: datetime) -> None:
        """Let it be this time by now: for whoever goes on at the real rate."""
        self._beginning = now - timedelta(seconds=self.monotonic())

    def now(self) -> datetime:
        """Return the wall time in UTC."""
        return self._beginning + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """Return the loop's seconds."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
