"""Two subjects on one runtime: each has its own watches, lanes and workers, and neither feels the other's bugs."""

import asyncio
from collections.abc import Iterable
from typing import NoReturn

import pytest

from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.subject import LiveChange, Where
from tests.support.loops.simulated import run_simulated
from tests.unit.runtime.toys import EAST, HOME, Answer, Bench, Toy, hang, left_running, obj, raise_bug

BUG = "ZeroDivisionError()"


def explode(*_anything: object) -> NoReturn:
    raise ZeroDivisionError


def test_each_subject_hears_of_its_own_kinds_on_its_own_clusters() -> None:
    async def main() -> None:
        home, anywhere = Toy("Secret"), Toy("ConfigMap", where=Where.ANYWHERE)
        bench = Bench(home, anywhere)
        for server, suffix in ((HOME, "at-home"), (EAST, "east")):
            bench.change("Secret", f"secret-{suffix}", server=server)
            bench.change("ConfigMap", f"map-{suffix}", server=server)
            bench.change("Pod", f"pod-{suffix}", server=server)
        await asyncio.sleep(1)
        assert home.names == ["secret-at-home"]
        assert sorted(anywhere.names) == ["map-at-home", "map-east"]
        assert bench.told == []
        await bench.runtime.stop()

    run_simulated(main)


def test_what_we_write_ourselves_is_heard_of_by_those_who_want_that_only() -> None:
    async def main() -> None:
        one, two = Toy("Secret"), Toy("ConfigMap")
        bench = Bench(one, two)
        bench.runtime.written(HOME, obj("Secret", "a"))
        await asyncio.sleep(1)
        assert (one.own_writes, two.own_writes) == (["a"], [])
        assert (one.names, two.names) == ([], [])
        await bench.runtime.stop()

    run_simulated(main)


def test_each_subject_has_its_own_width_and_lanes() -> None:
    async def main() -> None:
        narrow, wide = Toy("Secret", hang, width=1), Toy("ConfigMap", hang, width=3)
        bench = Bench(narrow, wide)
        for kind in ("Secret", "ConfigMap"):
            bench.change(kind, "a", "b", "c", "d")
            bench.change(kind, "e", namespace="two")
        await asyncio.sleep(1)
        assert sorted(narrow.names) == ["a", "e"]
        assert sorted(wide.names) == ["a", "b", "c", "e"]
        await bench.runtime.stop()

    run_simulated(main)


@pytest.mark.parametrize("broken", [hang, raise_bug])
def test_a_subject_whose_every_pass_hangs_or_raises_stops_no_other(broken: Answer) -> None:
    async def main() -> None:
        bad, good = Toy("Secret", broken, width=2), Toy("ConfigMap")
        bench = Bench(bad, good)
        bench.change("Secret", *"abcdef")
        bench.change("ConfigMap", *"abcdef")
        await asyncio.sleep(1)
        assert sorted(good.names) == list("abcdef")
        bench.change("ConfigMap", "later")
        await asyncio.sleep(1)
        assert good.names[-1] == "later"
        await bench.runtime.stop()
        assert sorted(bad.ended) == sorted(bad.names)
        assert left_running() == []

    run_simulated(main)


def test_a_pass_that_raises_is_told_and_retried_after_a_pause() -> None:
    async def main() -> None:
        bad = Toy("Secret", raise_bug)
        bench = Bench(bad)
        bench.change("Secret", "a")
        await asyncio.sleep(45)
        assert bad.made == [("a", 0), ("a", 30)]
        assert bench.told == [f"toy of Secret one/a, retried in 30 s: {BUG}"] * 2
        await bench.runtime.stop()

    run_simulated(main)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("keys_of", "a change of /Secret:one/a, for toy of Secret"),
        ("keys", "a pass over all keys, for toy of Secret"),
        ("is_ours", "toy of Secret one/a, retried in 30 s"),
    ],
)
def test_a_subject_that_raises_when_it_is_asked_stops_no_other(
    broken: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        bad, good = Toy("Secret"), Toy("ConfigMap")
        monkeypatch.setattr(bad, broken, explode)
        good.all = [Key("one", "known")]
        bench = Bench(bad, good)
        bench.change("Secret", "a")
        bench.change("ConfigMap", "a")
        bench.runtime.look_at_all()
        bench.runtime.share_changed()
        await asyncio.sleep(1)
        assert sorted(good.names) == ["a", "known"]
        assert f"{told}: {BUG}" in bench.told
        await bench.runtime.stop()

    run_simulated(main)


def test_what_runs_beside_the_passes_is_started_again_after_a_bug() -> None:
    async def main() -> None:
        starts: list[float] = []

        async def follow() -> None:
            starts.append(asyncio.get_running_loop().time())
            if len(starts) < 3:
                raise ZeroDivisionError
            assert toy.queue is not None
            toy.queue.add(Key("one", "found"))
            await asyncio.Event().wait()

        toy, other = Toy("Secret"), Toy("ConfigMap")
        toy.work = (follow,)
        bench = Bench(toy, other)
        bench.change("ConfigMap", "a")
        await asyncio.sleep(120)
        assert starts == [0, 30, 60]
        assert (toy.names, other.names) == (["found"], ["a"])
        assert bench.told == [f"the loop of toy of Secret, retried in 30 s: {BUG}"] * 2
        await bench.runtime.stop()
        assert left_running() == []

    run_simulated(main)


def test_both_stop_cleanly_in_the_middle_of_their_passes() -> None:
    async def main() -> None:
        one, two = Toy("Secret", hang), Toy("ConfigMap", hang)
        bench = Bench(one, two)
        bench.change("Secret", "a", "b")
        bench.change("ConfigMap", "a", "b")
        await asyncio.sleep(1)
        assert (one.ended, two.ended) == ([], [])
        await bench.runtime.stop()
        assert (sorted(one.ended), sorted(two.ended)) == (["a", "b"], ["a", "b"])
        bench.change("Secret", "c")
        await asyncio.sleep(60)
        assert "c" not in one.names
        assert left_running() == []
        assert bench.told == []

    run_simulated(main)


def test_a_subject_that_maps_a_change_to_nothing_makes_no_pass() -> None:
    class Deaf(Toy):
        def keys_of(self, _change: LiveChange) -> Iterable[Key]:
            return ()

    async def main() -> None:
        deaf, other = Deaf("Secret"), Toy("Secret")
        bench = Bench(deaf, other)
        bench.change("Secret", "a")
        await asyncio.sleep(1)
        assert (deaf.names, other.names) == ([], ["a"])
        await bench.runtime.stop()

    run_simulated(main)
