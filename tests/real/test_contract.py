"""A real kube-apiserver and the sandbox answer the same requests the same way; the recorded answers are still true."""

import msgspec
import pytest

from tests.contract import catalog, embedded, judging, masking, served
from tests.contract.playing import Answer
from tests.contract.steps import Story
from tests.real.cluster import Cluster


@pytest.mark.timeout(900)
@pytest.mark.parametrize("story", catalog.STORIES, ids=lambda story: story.name)
def test_both_servers_answer_alike_and_as_recorded(story: Story, real_cluster: Cluster) -> None:
    found = served.answers(story, real_cluster)
    if any("watch" in step.path or step.until for step in story.steps) and _surprises(story, found):
        # A busy server may need more than a second to send what it knows, and longer for a policy to take effect in all
        # of its caches; a longer watch and a second play show the same and more.
        found = served.answers(story, real_cluster, watch_seconds=20)
    assert judging.unexpected(story, found, embedded.answers(story)) == []
    stale = masking.differences(msgspec.to_builtins(catalog.recorded(story)), msgspec.to_builtins(found))
    assert stale == [], "the recorded answers are stale: run python -m tests.contract.record"


def _surprises(story: Story, found: list[Answer]) -> bool:
    return bool(masking.differences(msgspec.to_builtins(catalog.recorded(story)), msgspec.to_builtins(found)))
