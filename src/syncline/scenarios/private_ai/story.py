"""Eight Applications on OpenShift, three of them Synced: a story that runs."""

from __future__ import annotations

from importlib import resources

from syncline.scenarios.private_ai import files
from syncline.scenarios.story import Cause, Commit, Deed, Seen, Step, Story, Verb

_APPS = "applications.argoproj.io"


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
        steps=_steps(),
    )


def _steps() -> tuple[Step, ...]:
    root = _sync("private-ai")
    return (
        Step(title="Sync the Applications, which nobody did", deeds=(root,), good=4),
        Step(
            title="Leave to OpenShift what it fills in",
            commits=(Commit(message="Ignore what OpenShift fills in", files=files.routes_ignored()),),
            deeds=(root,),
            good=5,
        ),
        Step(
            title="Follow main",
            commits=(Commit(message="Follow main in stages 1 and 2", files=files.on_main()),),
            deeds=(root,),
            good=6,
        ),
        Step(
            title="Recreate the Deployment whose selector cannot change",
            deeds=(
                Deed(verb=Verb.DELETE, resource="deployments.apps", name="llama-stack-playground", namespace="private-ai-demo"),
                _sync("stage02-model-alignment"),
            ),
            good=7,
        ),
        Step(
            title="Accept what the mesh operator writes",
            commits=(Commit(message="Accept what the mesh operator writes", files=files.gateways_accepted()),),
            deeds=(root,),
            good=7,
            ours=8,
        ),
    )


def _sync(name: str) -> Deed:
    return Deed(verb=Verb.SYNC, resource=_APPS, name=name, namespace=files.HOME)
