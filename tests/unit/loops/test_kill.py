"""Killing: the dead never run again, the server goes on, and the end of the run is quiet."""

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator, Mapping

import pytest

from syncline.ports import transport
from tests.support import kill
from tests.support.loops import hybrid, running, simulated


class Answer:
    """A response without a body."""

    status = 200
    headers: Mapping[str, str] = {}

    async def read(self) -> bytes:
        return b""

    async def chunks(self) -> AsyncIterator[bytes]:
        yield b""

    async def close(self) -> None:
        pass


class Notebook:
    """A server that writes down the paths it was sent; acting takes it a moment."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def send(self, request: transport.Request, *, timeout: float | None = None) -> transport.Response:
        await asyncio.sleep(0.01)
        self.lines.append(request.path)
        await asyncio.sleep(0.01)
        return Answer()

    async def close(self) -> None:
        pass


async def write_lines(server: transport.Transport, count: int, seen: list[str]) -> None:
    """Stand in for the program: write lines, note each answer, clean up at the end."""
    try:
        for number in range(1, count + 1):
            await server.send(transport.Request(method="POST", path=f"/{number}"))
            seen.append(f"/{number}")
    finally:
        seen.append("finally")
        await asyncio.sleep(1)
        seen.append("finally, after a wait")


def test_a_frozen_task_never_runs_its_finally_during_the_run() -> None:
    seen: list[str] = []

    async def main() -> list[str]:
        program = kill.Incarnation()
        program.start(write_lines(Notebook(), 1000, seen))
        await asyncio.sleep(0.05)
        program.kill()
        gc.collect()
        await asyncio.sleep(3600)
        return list(seen)

    assert simulated.run_simulated(main) == ["/1", "/2"]


@pytest.mark.parametrize(
    ("moment", "number", "written", "answered"),
    [
        ("before", 1, [], []),
        ("after", 1, ["/1"], []),
        ("before", 3, ["/1", "/2"], ["/1", "/2"]),
        ("after", 3, ["/1", "/2", "/3"], ["/1", "/2"]),
        ("before", 9, ["/1", "/2", "/3", "/4"], ["/1", "/2", "/3", "/4", "finally", "finally, after a wait"]),
    ],
)
def test_death_comes_at_the_chosen_request(moment: str, number: int, written: list[str], answered: list[str]) -> None:
    async def main() -> tuple[bool, list[str], list[str]]:
        server, program, seen = Notebook(), kill.Incarnation(), list[str]()
        intercepted = kill.Interceptor(server, program, die_at=number, moment=moment)  # type: ignore[arg-type]
        program.start(write_lines(intercepted, 4, seen))
        died = await program.over()
        await asyncio.sleep(60)
        return died, server.lines, list(seen)

    assert simulated.run_simulated(main) == (number != 9, written, answered)


def test_only_counted_requests_have_a_number() -> None:
    async def main() -> list[str]:
        server, program = Notebook(), kill.Incarnation()
        even = kill.Interceptor(server, program, die_at=2, counted=lambda request: request.path in {"/2", "/4"})
        program.start(write_lines(even, 9, []))
        assert await program.over()
        return server.lines

    assert simulated.run_simulated(main) == ["/1", "/2", "/3"]


def test_a_server_goes_on_with_a_request_whose_sender_was_killed() -> None:
    async def main() -> list[str]:
        server, program = Notebook(), kill.Incarnation()
        program.start(write_lines(kill.Interceptor(server, program), 4, []))
        await asyncio.sleep(0.005)
        program.kill()
        await asyncio.sleep(60)
        return server.lines

    assert simulated.run_simulated(main) == ["/1"]


def test_tasks_started_by_the_program_die_with_it_and_a_later_incarnation_lives() -> None:
    async def parent(seen: list[str]) -> None:
        async with asyncio.TaskGroup() as group:
            for name in "ab":
                group.create_task(tick(name, seen))

    async def tick(name: str, seen: list[str]) -> None:
        for _ in range(3):
            seen.append(name)
            await asyncio.sleep(1)

    async def main() -> list[str]:
        seen: list[str] = []
        first, second = kill.Incarnation("first"), kill.Incarnation("second")
        first.start(parent(seen))
        await asyncio.sleep(0.5)
        first.kill()
        second.start(tick("second", seen))
        assert not await second.over()
        return seen

    assert simulated.run_simulated(main, fifo=True) == ["a", "b", "second", "second", "second"]


def test_a_timeout_around_a_frozen_wait_wakes_nobody() -> None:
    seen: list[str] = []

    async def guarded() -> None:
        try:
            async with asyncio.timeout(10):
                await asyncio.sleep(100)
        except TimeoutError:
            seen.append("timed out")

    async def main() -> list[str]:
        program = kill.Incarnation()
        program.start(guarded())
        await asyncio.sleep(5)
        program.kill()
        await asyncio.sleep(1000)
        return list(seen)

    assert simulated.run_simulated(main) == []


def test_every_resume_is_a_possible_moment_of_death() -> None:
    async def main(moment: int | None) -> tuple[int, int]:
        program = kill.Incarnation(kill_at_resume=moment)
        server = Notebook()
        program.start(write_lines(kill.Interceptor(server, program), 3, []))
        await program.over()
        await asyncio.sleep(60)
        return program.resumes, len(server.lines)

    resumes, written = simulated.run_simulated(lambda: main(None))
    outcomes = [simulated.run_simulated(lambda k=k: main(k)) for k in range(1, resumes + 1)]  # type: ignore[misc]
    assert [count for count, _ in outcomes] == list(range(1, resumes + 1))
    assert [lines for _, lines in outcomes] == sorted(lines for _, lines in outcomes)
    assert (outcomes[0][1], outcomes[-1][1], written) == (0, 3, 3)


def test_the_dead_cannot_reach_the_server_when_they_are_closed() -> None:
    refused: list[str] = []

    async def clean_up_at_the_end(server: transport.Transport) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            try:
                await server.send(transport.Request(method="DELETE", path="/all"))
            except kill.DeadCallError as error:
                refused.append(str(error))

    async def main() -> Notebook:
        server, program = Notebook(), kill.Incarnation("old")
        program.start(clean_up_at_the_end(kill.Interceptor(server, program)))
        await asyncio.sleep(1)
        program.kill()
        return server

    assert simulated.run_simulated(main).lines == []
    assert refused == ["old is dead: DELETE /all"]


def test_dead_generators_locks_and_stubborn_clean_up_end_without_a_warning() -> None:
    async def numbers() -> AsyncIterator[int]:
        try:
            while True:
                await asyncio.sleep(1)
                yield 1
        finally:
            await asyncio.sleep(1)

    async def stubborn(lock: asyncio.Lock) -> None:
        async with lock:
            with contextlib.suppress(ValueError):
                async for _ in numbers():
                    await asyncio.sleep(1)

    async def main() -> None:
        for seconds in (0.5, 1.5, 2.5):
            program = kill.Incarnation()
            program.start(stubborn(asyncio.Lock()))
            await asyncio.sleep(seconds)
            program.kill()

    for _ in range(3):
        simulated.run_simulated(main)
        hybrid.run_hybrid(main())
        gc.collect()


def test_killing_works_in_real_time_too() -> None:
    async def main() -> list[str]:
        server, program = Notebook(), kill.Incarnation()
        program.start(write_lines(kill.Interceptor(server, program, die_at=2, moment="after"), 4, []))
        assert await program.over()
        return server.lines

    assert running.run_real(main()) == ["/1", "/2"]


def test_a_task_outside_the_incarnation_cannot_die_with_it() -> None:
    async def main() -> None:
        intercepted = kill.Interceptor(Notebook(), kill.Incarnation("program"), die_at=1)
        await intercepted.send(transport.Request(method="GET", path="/"))

    with pytest.raises(RuntimeError, match="only a task started by program can die with it"):
        simulated.run_simulated(main)
