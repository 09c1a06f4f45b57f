"""Errors of tasks: whoever has to hear of one does, and asyncio never complains that nobody looked."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from syncline import tasks
from syncline.sandbox.timers import Timers
from tests.support.clocks import LoopClock


async def failing() -> None:
    raise RuntimeError("a bug")


def complaints(story: Any) -> list[str]:
    """Run a story; return what asyncio said to its handler."""
    told: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context["message"]))
        await story()
        await asyncio.sleep(0.01)
        gc.collect()

    asyncio.run(run())
    return told


def test_a_task_that_its_owner_gave_up_fails_in_silence() -> None:
    async def story() -> None:
        tasks.start(failing(), name="given up")

    assert complaints(story) == []


def test_a_task_that_nobody_awaits_tells_its_error_at_once() -> None:
    heard: list[tuple[str, str]] = []

    async def story() -> None:
        tasks.watch_over(failing(), name="poll", on_failure=lambda name, error: heard.append((name, str(error))))

    assert complaints(story) == []
    assert heard == [("poll", "a bug")]


def test_without_a_listener_the_loop_tells_which_task_failed() -> None:
    async def story() -> None:
        tasks.watch_over(failing(), name="poll")

    assert complaints(story) == ["the task 'poll' ended with an error"]


def test_an_owner_that_awaits_gets_the_error() -> None:
    async def story() -> None:
        found = await asyncio.gather(tasks.start(failing(), name="awaited"), return_exceptions=True)
        assert isinstance(found[0], RuntimeError)

    assert complaints(story) == []


def test_a_bug_in_one_timer_does_not_stop_the_others() -> None:
    rung: list[str] = []

    def broken() -> None:
        raise RuntimeError("a bug")

    async def story() -> None:
        timers = Timers(LoopClock())
        timers.call_later(0.0, broken)
        timers.call_later(0.0, lambda: rung.append("same moment"))
        timers.call_later(0.01, lambda: rung.append("later"))
        await asyncio.sleep(0.05)
        await timers.close()

    assert complaints(story) == ["the task 'sandbox timers' ended with an error"]
    assert rung == ["same moment", "later"]
