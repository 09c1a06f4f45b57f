"""The simulated controllers do what a real control plane did: the same stories, compared object by object."""

import pytest

from tests.workloads import catalog, judging, page
from tests.workloads.steps import Story


@pytest.mark.parametrize("story", catalog.STORIES, ids=lambda story: story.name)
def test_the_sandbox_shows_what_the_control_plane_showed(story: Story) -> None:
    assert judging.unexpected(story, catalog.recorded(story)) == []


def test_every_story_is_recorded_and_no_other() -> None:
    assert sorted(path.stem for path in catalog.FOLDER.glob("*.json")) == sorted(one.name for one in catalog.STORIES)


def test_known_differences_name_stories_that_exist() -> None:
    named = {name for entry in judging.known() for name in entry.stories}
    assert named - {story.name for story in catalog.STORIES} == set()


def test_the_page_shows_the_known_differences() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(), (
        "docs/internals/sandbox.md is stale: run python -m tests.workloads.page"
    )
