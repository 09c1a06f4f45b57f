"""Keys of one lane never take the place of another's, and what has no hurry comes last."""

import asyncio
import contextlib

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.runtime.queue import WorkQueue
from tests.support.clocks import LoopClock
from tests.support.loops.simulated import run_simulated


def key(lane: str, number: int = 0) -> AppKey:
    return AppKey(lane, f"app-{number}")


def test_a_full_lane_holds_up_nobody_else() -> None:
    async def main() -> None:
        queue = WorkQueue[AppKey](LoopClock(), lane_of=lambda app: app.namespace, width=2)
        for number in range(5):
            queue.add(key("hangs", number))
        queue.add(key("other"))
        taken = [await queue.take() for _ in range(3)]
        assert sorted(taken) == [key("hangs", 0), key("hangs", 1), key("other")]
        assert queue.waiting() == 3
        queue.done(key("hangs", 0))
        assert await queue.take() == key("hangs", 2)

    run_simulated(main)


def test_lanes_take_turns() -> None:
    async def main() -> None:
        queue = WorkQueue[AppKey](LoopClock(), lane_of=lambda app: app.namespace)
        for number in range(3):
            queue.add(key("many", number))
        queue.add(key("few"))
        assert [await queue.take() for _ in range(3)] == [key("many", 0), key("few"), key("many", 1)]

    run_simulated(main)


def test_what_has_no_hurry_comes_last_and_leaves_room() -> None:
    async def main() -> None:
        queue = WorkQueue[AppKey](LoopClock(), width=10)
        for number in range(5):
            queue.add_idle(key("", number))
        queue.add(key("", 9))
        assert await queue.take() == key("", 9)
        queue.done(key("", 9))
        assert [await queue.take() for _ in range(2)] == [key("", 0), key("", 1)]
        queue.add(key("", 4))
        assert await queue.take() == key("", 4), "hurry later takes it out of the rest"
        for number in (0, 1, 4):
            queue.done(key("", number))
        assert [await queue.take() for _ in range(2)] == [key("", 2), key("", 3)]

    run_simulated(main)


def test_only_apps_of_the_same_lane_are_waited_for() -> None:
    lookout = Lookout(lambda app: app.namespace)
    for app in (key("east", 1), key("east", 2), key("west", 1)):
        lookout.heard_of(app)
    assert lookout.unseen(key("east", 1)) == ("east/app-2",)
    lookout.begin(key("east", 2))
    assert lookout.unseen(key("east", 1)) == ("east/app-2",)
    lookout.moved_on(key("east", 2))
    lookout.end(key("east", 2))
    assert lookout.unseen(key("east", 1)) == ("east/app-2",), "it moved on while it was looked at"
    lookout.begin(key("east", 2))
    lookout.end(key("east", 2))
    assert lookout.unseen(key("east", 1)) == ()


def test_a_key_that_somebody_waits_for_overtakes_ten_thousand_and_finds_room_in_a_full_lane() -> None:
    async def main() -> None:
        awaited: set[AppKey] = set()
        queue = WorkQueue[AppKey](
            LoopClock(), lane_of=lambda app: app.namespace, is_awaited=awaited.__contains__, width=20
        )
        for number in range(10_000):
            queue.add(key("busy", number))
        for _ in range(20):
            await queue.take()
        wanted = key("busy", 9_999)
        awaited.add(wanted)
        queue.add(wanted)
        assert await queue.take() == wanted
        # It was waiting already, and is not taken twice; once it is worked on again, it comes first again.
        assert queue.waiting() == 10_000 - 21
        queue.add(wanted)
        queue.done(wanted)
        assert await queue.take() == wanted

    run_simulated(main)


def test_a_key_that_somebody_waits_for_stays_first_when_it_is_added_again_without_hurry() -> None:
    async def main() -> None:
        awaited = {key("a", 1)}
        queue = WorkQueue[AppKey](LoopClock(), is_awaited=awaited.__contains__)
        queue.add(key("a", 1))
        awaited.clear()
        queue.add_idle(key("a", 1))
        queue.add(key("a", 0))
        queue.add(key("a", 1))
        assert [await queue.take(), await queue.take()] == [key("a", 1), key("a", 0)]
        assert queue.waiting() == 0

    run_simulated(main)


def test_beside_a_key_that_somebody_waits_for_only_a_few_others_are_begun() -> None:
    async def main() -> None:
        wanted = key("busy", 0)
        queue = WorkQueue[AppKey](
            LoopClock(), lane_of=lambda app: app.namespace, is_awaited=lambda app: app == wanted, width=20
        )
        for number in range(30):
            queue.add(key("busy", number))
        for number in range(10):
            queue.add(key("other", number))
        assert await queue.take() == wanted
        begun = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                while True:
                    begun.append((await queue.take()).namespace)
        assert (begun.count("busy"), begun.count("other")) == (3, 10), "another lane is not held back"
        assert queue.is_attending()
        queue.done(wanted)
        assert not queue.is_attending()
        assert (await queue.take()).namespace == "busy"

    run_simulated(main)


def test_one_that_hangs_holds_the_others_back_for_a_few_seconds_only() -> None:
    async def main() -> None:
        clock, hangs = LoopClock(), key("busy", 0)
        queue = WorkQueue[AppKey](clock, is_awaited=lambda app: app == hangs, width=20)
        for number in range(30):
            queue.add(key("busy", number))
        began = clock.monotonic()
        for _ in range(20):
            await queue.take()
        assert 1.0 < clock.monotonic() - began < 10.0

    run_simulated(main)
