"""The same stories as on the sandbox, on a real kube-apiserver in real time."""

import gc
import warnings
from collections.abc import Iterator

import pytest

from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import kill_story, stories
from tests.support.loops.running import run_real
from tests.support.stories import Story


@pytest.fixture(autouse=True)
def connections_given_up() -> Iterator[None]:
    """Give up what a killed controller left open, where nobody minds: a dead process closes nothing."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("story", stories.STORIES, ids=lambda story: story.__name__)
def test_on_a_real_api_server(story: Story, real_cluster: Cluster) -> None:
    async def main() -> None:
        await stories.play(RealBed(real_cluster), story)

    run_real(main())


def run_with_death(cluster: Cluster, die_at: int | None, moment: kill_story.Moment) -> int:
    async def main() -> int:
        bed = RealBed(cluster)
        await bed.start()
        try:
            return await kill_story.deliver_with_death(bed, die_at=die_at, moment=moment, only_writes=True)
        finally:
            await bed.stop()

    with warnings.catch_warnings():
        # What the dead left open may be noticed at any time.
        warnings.simplefilter("ignore", ResourceWarning)
        requests = run_real(main())
        gc.collect()
    return requests


@pytest.mark.timeout(900)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_operation_survives_a_kill_at_every_write_and_hooks_run_once(
    moment: kill_story.Moment, real_cluster: Cluster
) -> None:
    """Every write; a kill at a read leaves nothing behind that a kill at the next write would not."""
    total = run_with_death(real_cluster, None, moment)
    assert total > 8
    for die_at in range(1, total + 1):
        run_with_death(real_cluster, die_at, moment)
