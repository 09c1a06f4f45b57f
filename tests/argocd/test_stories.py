"""The real Argo CD plays the stories that come with Syncline, on a sandbox with the cluster of each.

What its apps show is what the tables of the stories say, but for the rows that `tests/support/story_rows.py` explains.
With SYNCLINE_RECORD=1 it is written down for `tests/unit/scenarios/test_by_argocd.py`, which compares it with every
change of a story. A story takes minutes: it waits for the attempts of failed syncs in real time.
"""

import pathlib

import pytest

from syncline.scenarios import shipped
from tests.argocd import story_play
from tests.argocd.build import Programs
from tests.support import story_rows

pytestmark = [pytest.mark.referee, pytest.mark.stories]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", shipped.NAMES)
def test_argo_cd_shows_what_the_story_says(name: str, programs: Programs, tmp_path: pathlib.Path) -> None:
    story = shipped.get(name)
    found = story_play.played(story, tmp_path, programs)
    story_rows.record_if_asked(name, found)
    assert story_rows.unexplained(story, found) == []
