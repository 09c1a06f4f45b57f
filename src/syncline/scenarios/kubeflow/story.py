"""One ConfigMap without a namespace, and nothing of the platform is delivered: a story that runs."""

from __future__ import annotations

from importlib import resources

from syncline.scenarios import manifests as m
from syncline.scenarios.kubeflow import files
from syncline.scenarios.story import Commit, Seen, Step, Story


def story() -> Story:
    """Return the story."""
    return Story(
        name="kubeflow",
        title="One ConfigMap without a namespace keeps back a whole platform",
        about="tbd",
        cluster=(resources.files("syncline.scenarios.kubeflow") / "cluster.yaml").read_text(encoding="utf-8"),
        history=(Commit(message="The platform, by waves", files=files.first()),),
        root=m.application("kubeflow", files.BOOTSTRAP, namespace="argocd"),
        seen=Seen(good=4, others={"Missing": 9}, out_of_sync=9),
        ours=Seen(good=12, others={}),
        causes=(),
        steps=(
            Step(
                title="Split the foundation from the applications",
                commits=(Commit(message="Separate common services from applications", files=files.split()),),
                good=13,
            ),
        ),
    )
