"""Tenants of one lane take turns, and one with nothing under way finds room however much the others have."""

from hypothesis import given
from hypothesis import strategies as st

from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.queue import WorkQueue
from tests.support.clocks import LoopClock
from tests.support.loops.simulated import run_simulated


def key(tenant: str, number: int = 0) -> Key:
    return Key(tenant, f"app-{number}")


def queue_of(width: int, *awaited: Key) -> WorkQueue[Key]:
    return WorkQueue[Key](
        LoopClock(), tenant_of=lambda one: one.namespace, is_awaited=lambda one: one in awaited, width=width
    )


def test_tenants_take_turns_in_a_lane() -> None:
    async def main() -> None:
        queue = queue_of(4)
        for number in range(10_000):
            queue.add(key("many", number))
        queue.add(key("few"))
        assert [await queue.take() for _ in range(3)] == [key("many", 0), key("few"), key("many", 1)]

    run_simulated(main)


def test_tenant_with_nothing_under_way_finds_room_in_a_lane_that_hangs() -> None:
    async def main() -> None:
        queue = queue_of(3)
        for number in range(5):
            queue.add(key("hangs", number))
        assert [await queue.take() for _ in range(3)] == [key("hangs", number) for number in range(3)]
        for number in range(3):
            queue.add(key("other", number))
        assert [await queue.take() for _ in range(2)] == [key("other", 0), key("other", 1)]
        assert queue.waiting() == 3, "two of each tenant find room, and the rest waits"
        queue.done(key("other", 0))
        assert await queue.take() == key("other", 2)

    run_simulated(main)


def test_passes_somebody_waits_for_hold_back_no_other_tenant() -> None:
    async def main() -> None:
        awaited = [key("loud", number) for number in range(8)]
        queue = queue_of(20, *awaited)
        for one in awaited:
            queue.add(one)
        assert [await queue.take() for _ in awaited] == awaited
        queue.add(key("quiet"))
        began = LoopClock().monotonic()
        assert await queue.take() == key("quiet")
        assert LoopClock().monotonic() == began

    run_simulated(main)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=40),
    st.integers(1, 4),
)
def test_every_key_is_taken_once_and_nothing_is_left_behind(adds: list[tuple[str, bool]], width: int) -> None:
    async def main() -> None:
        queue = queue_of(width, *(key("a", number) for number in range(0, 40, 3)))
        for number, (tenant, idle) in enumerate(adds):
            (queue.add_idle if idle else queue.add)(key(tenant, number))
        under_way: list[Key] = []
        taken: list[Key] = []
        while queue.waiting():
            # Keys without hurry are begun beside one other at most.
            if len(under_way) >= min(width, 2):
                queue.done(under_way.pop(0))
            under_way.append(await queue.take())
            taken.append(under_way[-1])
        assert sorted(taken) == sorted(key(tenant, number) for number, (tenant, _) in enumerate(adds))
        for one in under_way:
            queue.done(one)
        assert queue.idle()
        assert not queue._own
        assert not queue._line_of

    run_simulated(main)
