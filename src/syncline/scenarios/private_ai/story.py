"""Eight Applications on OpenShift, three of them Synced: a story that runs."""

from __future__ import annotations

from importlib import resources

from syncline.scenarios.private_ai import files
from syncline.scenarios.story import Commit, Seen, Story


def story() -> Story:
    """Return the story."""
    return Story(
        name="private-ai",
        title="Eight apps on OpenShift, three of them Synced",
        about="tbd",
        cluster=(resources.files("syncline.scenarios.private_ai") / "cluster.yaml").read_text(encoding="utf-8"),
        history=(
            Commit(message="Stage 0, the registry and all Applications", files=files.first()),
            Commit(message="Stage 1 is complete", files=files.legacy(), branch=files.LEGACY),
            Commit(message="Model alignment", files=files.feature(), branch=files.FEATURE),
            Commit(message="Stages 1 and 2, in one layout", files=files.merged()),
            Commit(message="List the files of the new layout", files=files.half_moved(), branch=files.LEGACY),
            Commit(message="Use the recommended labels", files=files.relabelled(), branch=files.FEATURE),
            Commit(message="Retry the sync of the operators", files=files.retried()),
        ),
        root=files.root(),
        seen=Seen(good=3, others={"Healthy": 5}),
        ours=Seen(good=3, others={"Healthy": 5}),
        causes=(),
        namespace=files.HOME,
    )
