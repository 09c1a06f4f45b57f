"""The loop of one subject: when a key is looked at again, whose keys are worked on, and what a cluster wakes."""

import asyncio
from collections.abc import Sequence

from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.subject import Watch
from syncline.model.look_again import LookAgain
from tests.support.loops.simulated import run_simulated
from tests.unit.runtime.toys import EAST, HOME, Bench, Toy, hang

A, B = Key("one", "a"), Key("one", "b")


def test_a_pass_says_when_the_next_one_comes() -> None:
    async def main() -> None:
        answers = iter([LookAgain.now(), LookAgain.after(7), LookAgain.on_change()])

        async def answer(_key: Key) -> LookAgain:
            return next(answers)

        toy = Toy("Secret", answer)
        bench = Bench(toy)
        bench.change("Secret", "a")
        await asyncio.sleep(3600)
        assert toy.made == [("a", 0), ("a", 0), ("a", 7)]
        await bench.runtime.stop()

    run_simulated(main)


def test_changes_within_the_time_to_gather_make_one_pass() -> None:
    class Gathering(Toy):
        def watches(self) -> Sequence[Watch[Key]]:
            return (Watch(keys=self.keys_of, gather=0.5),)

    async def main() -> None:
        toy = Gathering("Secret")
        bench = Bench(toy)
        for _ in range(3):
            bench.change("Pod", "a")
            await asyncio.sleep(0.1)
        await asyncio.sleep(10)
        assert toy.made == [("a", 0.5)]
        await bench.runtime.stop()

    run_simulated(main)


def test_what_was_heard_before_the_start_is_worked_on_after_it() -> None:
    async def main() -> None:
        toy = Toy("Secret")
        bench = Bench()
        bench.runtime.register(toy)
        bench.change("Secret", "a")
        await asyncio.sleep(5)
        assert toy.made == []
        bench.runtime.start()
        await asyncio.sleep(5)
        assert toy.made == [("a", 5)]
        await bench.runtime.stop()

    run_simulated(main)


def test_a_key_of_another_process_is_passed_over_until_it_is_ours() -> None:
    async def main() -> None:
        toy = Toy("Secret")
        toy.all, toy.ours = [A, B], lambda key: key == A
        bench = Bench(toy)
        bench.change("Secret", "a", "b")
        await asyncio.sleep(1)
        assert (toy.names, toy.passed_over) == (["a"], ["b"])
        toy.ours = lambda key: key == B
        bench.runtime.share_changed()
        await asyncio.sleep(1)
        assert (toy.names, toy.passed_over) == (["a", "b"], ["b", "a"])
        await bench.runtime.stop()

    run_simulated(main)


def test_a_pass_is_ended_in_the_middle_when_its_key_is_no_longer_ours() -> None:
    async def main() -> None:
        toy = Toy("Secret", hang)
        toy.all = [A, B]
        bench = Bench(toy)
        bench.change("Secret", "a", "b")
        await asyncio.sleep(1)
        assert (sorted(toy.names), toy.ended) == (["a", "b"], [])
        toy.ours = lambda key: key == A
        bench.runtime.share_changed()
        await asyncio.sleep(1)
        assert toy.ended == ["b"]
        await bench.runtime.stop()

    run_simulated(main)


def test_the_home_cluster_concerns_every_key_and_others_none_unless_the_subject_says_so() -> None:
    async def main() -> None:
        toy = Toy("Secret")
        toy.all = [A, B]
        bench = Bench(toy)
        bench.runtime.reached(EAST)
        await asyncio.sleep(1)
        assert toy.names == []
        bench.runtime.reached(HOME)
        await asyncio.sleep(1)
        assert sorted(toy.names) == ["a", "b"]
        await bench.runtime.stop()

    run_simulated(main)
