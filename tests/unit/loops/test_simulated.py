"""The simulated loop: virtual time, repeatable order, nothing real, no hanging."""

import asyncio
import itertools
import time

import pytest

from tests.support import clocks
from tests.support.loops import running, simulated

HOUR = 3600.0


async def interleaving(workers: int = 6, turns: int = 4) -> list[str]:
    """Return the order in which workers got their turns."""
    seen: list[str] = []

    async def work(name: str) -> None:
        for turn in range(turns):
            seen.append(f"{name}{turn}")
            await asyncio.sleep(0)

    await asyncio.gather(*(work(name) for name in "abcdefgh"[:workers]))
    return seen


def test_an_hour_of_sleep_takes_no_real_time() -> None:
    async def sleep() -> float:
        await asyncio.sleep(HOUR)
        return asyncio.get_running_loop().time()

    begun = time.monotonic()
    assert simulated.run_simulated(sleep) == HOUR
    assert time.monotonic() - begun < HOUR / 60


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [simulated.run_simulated(interleaving, seed=7) for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]


def test_different_seeds_give_different_interleavings() -> None:
    runs = {tuple(simulated.run_simulated(interleaving, seed=seed)) for seed in range(20)}
    assert len(runs) == 20


def test_first_in_first_out_is_kept_on_request() -> None:
    expected = [f"{name}{turn}" for turn in range(4) for name in "abcdef"]
    assert simulated.run_simulated(interleaving, fifo=True) == expected


def test_timers_due_at_the_same_instant_are_shuffled_too() -> None:
    async def alarms() -> str:
        seen: list[str] = []
        loop = asyncio.get_running_loop()
        for name in "abcdef":
            loop.call_at(10.0, seen.append, name)
        await asyncio.sleep(11)
        return "".join(seen)

    runs = {simulated.run_simulated(alarms, seed=seed) for seed in range(20)}
    assert len(runs) > 10
    assert {"".join(sorted(run)) for run in runs} == {"abcdef"}


def test_timers_come_in_order_of_time_whatever_the_seed() -> None:
    async def alarms() -> list[float]:
        seen: list[float] = []

        async def wait(seconds: float) -> None:
            await asyncio.sleep(seconds)
            seen.append(asyncio.get_running_loop().time())

        await asyncio.gather(*(wait(seconds) for seconds in (3.3, 0.1, 86_400 * 2, 0.2, 7)))
        return seen

    for seed in range(10):
        assert simulated.run_simulated(alarms, seed=seed) == [0.1, 0.2, 3.3, 7, 86_400 * 2]


def test_a_timeout_fires_at_its_virtual_time() -> None:
    async def hang() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(90):
                await asyncio.get_running_loop().create_future()
        return asyncio.get_running_loop().time()

    assert simulated.run_simulated(hang) == 90


def test_a_deadlock_is_told_with_who_waits_and_where() -> None:
    async def stuck() -> None:
        await asyncio.Event().wait()

    with pytest.raises(running.DeadlockError, match=r"main: .*Event\.wait at ") as caught:
        simulated.run_simulated(stuck, seed=3)
    assert caught.value.__notes__ == ["repeat with run_simulated(…, seed=3, fifo=False)"]


def test_a_run_that_never_ends_is_stopped() -> None:
    async def poll() -> None:
        for minute in itertools.count():
            await asyncio.sleep(60 if minute else 30)

    with pytest.raises(simulated.EndlessError, match="7200 virtual seconds"):
        simulated.run_simulated(poll, longest=2 * HOUR)


async def use_a_thread() -> None:
    await asyncio.to_thread(print)


async def use_a_socket() -> None:
    await asyncio.open_connection("127.0.0.1", 1)


async def use_a_process() -> None:
    await asyncio.create_subprocess_exec("true")


async def use_a_name_server() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)


@pytest.mark.parametrize("use", [use_a_thread, use_a_socket, use_a_process, use_a_name_server])
def test_the_real_world_is_forbidden(use: object) -> None:
    with pytest.raises(simulated.ForbiddenError, match="must go through a port"):
        simulated.run_simulated(use)  # type: ignore[arg-type]


def test_a_background_failure_that_nobody_awaits_fails_the_run() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(1)

    with pytest.raises(running.ForgottenError) as caught:
        simulated.run_simulated(main)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_is_left_running_is_cancelled_and_cleaned_up() -> None:
    ended: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(HOUR)
        finally:
            ended.append("cleaned up")

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(forever())
        await asyncio.sleep(1)
        return task

    assert simulated.run_simulated(main).cancelled()
    assert ended == ["cleaned up"]


def test_clock_ids_and_chance_repeat_with_the_seed() -> None:
    async def draw() -> list[object]:
        clock, ids, chance = clocks.LoopClock(), clocks.SeededIds(5), clocks.SeededChance(5)
        await clock.sleep(1.5)
        clock.shift(-HOUR)
        return [clock.now().isoformat(), clock.monotonic(), ids.uid(), ids.suffix(), chance.uniform(1, 2)]

    first, second = simulated.run_simulated(draw), simulated.run_simulated(draw)
    assert first == second
    assert first[:2] == ["2029-12-31T23:00:01.500000+00:00", 1.5]


def test_different_seeds_give_different_ids() -> None:
    assert clocks.SeededIds(1).uid() != clocks.SeededIds(2).uid()
