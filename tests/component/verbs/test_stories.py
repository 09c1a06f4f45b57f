"""What people ask for while others write, on the sandbox; `tests/real` tells the same on a real API server."""

from __future__ import annotations

import pytest

from tests.support import verb_stories
from tests.support.asking import tell
from tests.support.stories import Story


@pytest.mark.parametrize("story", verb_stories.STORIES, ids=lambda story: story.__name__)
def test_on_the_sandbox(story: Story) -> None:
    tell(story)
