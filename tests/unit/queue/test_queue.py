"""The work queue: coalesced, fair, and patient."""

import asyncio

from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.queue import WorkQueue
from tests.support.clocks import LoopClock
from tests.support.loops.simulated import run_simulated

A, B = Key("argocd", "a"), Key("argocd", "b")


def test_a_key_that_waits_is_not_added_twice_and_the_oldest_comes_first() -> None:
    async def main() -> None:
        queue = WorkQueue[Key](LoopClock())
        for key in (A, B, A, A):
            queue.add(key)
        assert [await queue.take(), await queue.take()] == [A, B]
        queue.done(A)
        queue.done(B)
        assert queue.idle()

    run_simulated(main)


def test_a_key_that_changes_while_worked_on_is_taken_up_again_afterwards() -> None:
    async def main() -> None:
        queue = WorkQueue[Key](LoopClock())
        queue.add(A)
        assert await queue.take() == A
        queue.add(A)
        queue.add(B)
        assert await queue.take() == B
        queue.done(A)
        assert await queue.take() == A

    run_simulated(main)


def test_a_key_put_off_comes_when_it_is_due_and_only_once() -> None:
    async def main() -> None:
        queue = WorkQueue[Key](LoopClock())
        queue.add_after(A, 60)
        queue.add_after(A, 5)
        queue.add_after(A, 30)
        assert await queue.take() == A
        assert asyncio.get_running_loop().time() == 5
        queue.done(A)
        waiting = asyncio.ensure_future(queue.take())
        await asyncio.sleep(3600)
        assert not waiting.done()
        waiting.cancel()

    run_simulated(main)


def test_every_worker_gets_a_key_of_its_own() -> None:
    async def main() -> None:
        queue = WorkQueue[Key](LoopClock())
        workers = [asyncio.ensure_future(queue.take()) for _ in range(2)]
        await asyncio.sleep(1)
        queue.add(A)
        queue.add(B)
        assert sorted([await workers[0], await workers[1]]) == [A, B]

    run_simulated(main)


def test_a_key_is_due_when_a_timer_wakes_that_came_early_by_the_resolution_of_the_loop() -> None:
    async def main() -> None:
        queue = WorkQueue[Key](_Early())
        queue.add_after(A, 5)
        assert await asyncio.wait_for(queue.take(), 6) == A

    run_simulated(main)


class _Early(LoopClock):
    """Wakes whoever sleeps a little too early, and never for less than that."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds - 1e-9 if seconds > 1e-9 else 0)
