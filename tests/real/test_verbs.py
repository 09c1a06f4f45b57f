"""What people ask for while others write: whether that comes too late is for a real kube-apiserver to say."""

import pytest

from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import verb_stories
from tests.support.loops.running import run_real
from tests.support.stories import Story


@pytest.mark.parametrize("story", verb_stories.STORIES, ids=lambda story: story.__name__)
def test_on_a_real_api_server(story: Story, real_cluster: Cluster) -> None:
    async def main() -> None:
        bed = RealBed(real_cluster)
        await bed.start()
        try:
            await story(bed)
        finally:
            await bed.stop()

    run_real(main())
