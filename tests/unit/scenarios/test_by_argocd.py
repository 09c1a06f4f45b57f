"""The tables of the stories are what the real Argo CD showed when it was asked with their repositories."""

import msgspec
import pytest

from syncline.scenarios import shipped
from tests.support import story_rows

RECORDED = story_rows.recorded()


def test_all_stories_were_played() -> None:
    assert set(RECORDED) == set(shipped.NAMES)


@pytest.mark.parametrize("name", RECORDED)
def test_the_table_is_what_argo_cd_showed(name: str) -> None:
    assert story_rows.unexplained(shipped.get(name), RECORDED[name]) == []


@pytest.mark.parametrize("name", story_rows.KNOWN)
def test_a_row_that_argo_cd_shows_otherwise_is_told_by_the_story(name: str) -> None:
    told = " ".join(shipped.get(name).errata)
    assert "Argo CD 3.2.11, run on this repository" in told
    # Apps that there are in several environments are named once.
    assert all(app in told or app.partition("-")[2] in told for app in story_rows.KNOWN[name])


def test_another_row_is_found() -> None:
    story = shipped.get("private-ai")
    rows = {**RECORDED["private-ai"], "stage00-minio": "Synced Degraded"}
    assert any("stage00-minio" in one for one in story_rows.unexplained(story, rows))
    green = msgspec.structs.replace(story.seen, good=8, others={})
    assert story_rows.unexplained(msgspec.structs.replace(story, seen=green), RECORDED["private-ai"]) != []
