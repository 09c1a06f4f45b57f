"""What was recorded of a control plane is still true; `tests/workloads` holds the sandbox to the record."""

import json

import pytest

from tests.contract.masking import differences
from tests.real.api import Api
from tests.workloads import catalog, served
from tests.workloads.steps import Story


@pytest.mark.parametrize("story", catalog.STORIES, ids=lambda story: story.name)
def test_the_control_plane_does_as_recorded(story: Story, plane: Api) -> None:
    found = json.loads(json.dumps(served.seen(story, plane)))
    differing = differences(catalog.recorded(story), found)
    assert not differing, f"stale: run python -m tests.workloads.record: {differing}"
