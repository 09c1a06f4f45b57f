"""The sandbox answers as a real kube-apiserver answered: the same requests, compared field by field."""

import pytest

from tests.contract import catalog, embedded, judging, page
from tests.contract.steps import Story


@pytest.mark.parametrize("story", catalog.STORIES, ids=lambda story: story.name)
def test_the_sandbox_answers_as_the_real_server_did(story: Story) -> None:
    assert judging.unexpected(story, catalog.recorded(story), embedded.answers(story)) == []


def test_every_story_is_recorded_and_no_other() -> None:
    assert sorted(path.stem for path in catalog.FOLDER.glob("*.jsonl")) == sorted(one.name for one in catalog.STORIES)


def test_known_differences_name_steps_that_exist() -> None:
    named = {(name, index) for entry in judging.known() for name, steps in entry.steps.items() for index in steps}
    assert named - judging.places() == set()


def test_the_page_shows_the_known_differences() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.text(), (
        "docs/internals/sandbox.md is stale: run python -m tests.contract.page"
    )
