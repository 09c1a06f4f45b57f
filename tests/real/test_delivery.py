"""The same stories as on the sandbox, on a real kube-apiserver in real time."""

import asyncio
import gc
import warnings
from collections.abc import Iterator, Sequence

import pytest

from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import kill_story, stories
from tests.support.loops.running import run_real
from tests.support.stories import Story

# How many stories are told at a time where each mostly waits.
TOGETHER = 3


@pytest.fixture(autouse=True)
def connections_given_up() -> Iterator[None]:
    """Give up what a killed controller left open, where nobody minds: a dead process closes nothing."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("story", stories.STORIES, ids=lambda story: story.__name__)
def test_on_a_real_api_server(story: Story, real_cluster: Cluster) -> None:
    async def main() -> None:
        await stories.play(RealBed(real_cluster), story)

    run_real(main())


def run_with_deaths(cluster: Cluster, deaths: Sequence[int | None], moment: kill_story.Moment) -> list[int]:
    """Tell the story side by side, each with its own death; return how many writes each first controller made."""

    async def one(die_at: int | None) -> int:
        bed = RealBed(cluster)
        await bed.start()
        try:
            return len(await kill_story.deliver_with_death(bed, die_at=die_at, moment=moment, only_writes=True))
        finally:
            await bed.stop()

    async def main() -> list[int]:
        return await asyncio.gather(*map(one, deaths))

    with warnings.catch_warnings():
        # What the dead left open may be noticed at any time.
        warnings.simplefilter("ignore", ResourceWarning)
        requests = run_real(main())
        gc.collect()
    return requests


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_operation_survives_a_kill_at_every_write_and_hooks_run_once(
    moment: kill_story.Moment, real_cluster: Cluster
) -> None:
    """Every write; a kill at a read leaves nothing behind that a kill at the next write would not."""
    (total,) = run_with_deaths(real_cluster, [None], moment)
    assert total > 8
    points = range(1, total + 1)
    for start in range(0, total, TOGETHER):
        run_with_deaths(real_cluster, points[start : start + TOGETHER], moment)
