"""One Application from Git to cluster, continuously, on the sandbox in virtual time."""

from typing import Any

import pytest

from tests.support import stories
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES, Story
from tests.support.world import Bed, SandboxBed


def play(story: Story, *, seed: int = 0) -> None:
    """Tell a story on a fresh sandbox."""

    async def main() -> None:
        await stories.play(SandboxBed(seed), story)

    run_simulated(main, seed=seed)


HYDRATOR = {
    "drySource": {"repoURL": "a", "targetRevision": "main", "path": "b"},
    "syncSource": {"targetBranch": "env/dev", "path": "web"},
}


@pytest.mark.parametrize("story", stories.STORIES, ids=lambda story: story.__name__)
def test_on_the_sandbox(story: Story) -> None:
    # Each in an order of events of its own; the simulation tries many.
    play(story, seed=stories.STORIES.index(story))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"project": "nope"}, "project nope which does not exist"),
        ({"destination": {"server": "https://elsewhere", "namespace": "web"}}, "https://elsewhere"),
        ({"destination": {"namespace": "web"}}, "Destination server missing"),
        ({"sources": [{"repoURL": "a", "ref": "b"}, {"repoURL": "c", "ref": "b"}]}, "same `ref` key b"),
        ({"sources": [{"repoURL": "a"}]}, "source.path, source.chart, or source.ref are required for source a"),
        ({"sources": [{"repoURL": "a", "ref": "b/c"}]}, "sources.ref b/c cannot contain any special characters"),
        ({"sources": [{"repoURL": "a", "chart": "web"}]}, "targetRevision is required if the manifest source"),
        ({"sourceHydrator": HYDRATOR}, "set spec.source to the branch env/dev and the path web"),
    ],
)
def test_a_spec_that_cannot_be_worked_with_is_said(change: dict[str, Any], words: str) -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO, **change))
        await bed.until_status("Unknown", "Unknown")
        conditions = (await bed.app_status())["conditions"]
        assert [condition["type"] for condition in conditions] == ["InvalidSpecError"]
        assert words in conditions[0]["message"]
        assert await bed.get("Deployment", "web") is None

    play(story)
