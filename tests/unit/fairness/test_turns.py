"""Turns are handed out on a clock: whoever gives up leaves no place behind, and whoever takes too long is ended."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from syncline.model.fairness import FairLimits, Lane, Share
from syncline.turns import GaveWay, Turns
from tests.support.loops.simulated import run_simulated


def play(story: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await story()

    run_simulated(main)


async def hold(turns: Turns, project: str, seconds: float, cost: float | None = None, *, awaited: bool = True) -> float:
    """Hold a turn; return when it began."""
    async with turns.turn(Share(project, awaited)) as turn:
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(seconds)
        if cost is not None:
            turn.add(cost)
    return began


def test_innocent_project_does_not_wait_for_fifty_hostile_turns() -> None:
    async def story() -> None:
        turns = Turns(FairLimits(width=2, room=1))
        hostile = [asyncio.create_task(hold(turns, "hostile", 90.0)) for _ in range(50)]
        await asyncio.sleep(5)
        before = asyncio.get_running_loop().time()
        assert await hold(turns, "innocent", 1.0) == before
        assert turns.waiting()[Lane.AWAITED] == 48
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
        assert (turns.running(), turns.waiting().total()) == (0, 0)

    play(story)


def test_cancelled_waiter_leaves_its_place_to_the_next() -> None:
    async def story() -> None:
        turns = Turns(FairLimits(width=1))
        first, second, third = (asyncio.create_task(hold(turns, "a", 10.0)) for _ in range(3))
        await asyncio.sleep(1)
        second.cancel()
        first.cancel()
        assert await third - asyncio.get_running_loop().time() == -10.0
        assert turns.running() == 0

    play(story)


def test_turn_that_takes_too_long_is_ended_for_a_project_without_a_place() -> None:
    async def story() -> None:
        turns = Turns(FairLimits(width=1, too_long=30.0))
        looping = asyncio.create_task(hold(turns, "hostile", 90.0))
        await asyncio.sleep(1)
        began = asyncio.get_running_loop().time()
        started = await hold(turns, "innocent", 1.0)
        assert started - began == pytest.approx(29.0)
        with pytest.raises(GaveWay):
            await looping

    play(story)


def test_measured_seconds_count_and_those_of_an_ended_turn_too() -> None:
    async def story() -> None:
        turns = Turns(FairLimits(width=1, budget=60.0))
        await hold(turns, "a", 1.0, cost=7.0)
        with contextlib.suppress(ZeroDivisionError):
            async with turns.turn(Share("b")) as turn:
                turn.add(3.0)
                raise ZeroDivisionError
        assert turns.usage.total == {"a": 7.0, "b": 3.0}

    play(story)


def test_timeout_inside_a_turn_is_passed_on() -> None:
    async def story() -> None:
        turns = Turns(FairLimits(width=1))
        with pytest.raises(TimeoutError):
            async with turns.turn(Share("a")), asyncio.timeout(1):
                await asyncio.sleep(5)
        assert turns.running() == 0

    play(story)
