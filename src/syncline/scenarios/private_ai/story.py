"""Eight Applications on OpenShift, three of them Synced: a story that runs.

The write-up counts eight apps and lists seven. The eighth is taken to be the Application of the Applications, which is
synced by hand: that fits its counts, before and after.
"""

from __future__ import annotations

from importlib import resources

import msgspec

from syncline.scenarios.draw import Draw
from syncline.scenarios.private_ai import files
from syncline.scenarios.private_ai.causes import (
    CAUSES,
    GATEWAYS_STAY,
    SEEN,
    SEEN_BY_US,
    not_pushed,
)
from syncline.scenarios.renaming import renamed
from syncline.scenarios.story import Cause, Commit, Deed, Seen, Step, Story, Verb

_APPS = "applications.argoproj.io"
_GOOD = "Synced Healthy clean"
_FOLLOW = "Follow main"
_RECREATE = "Recreate the Deployment whose selector cannot change"


def story() -> Story:
    """Return the story."""
    return _told()


def look_alike(draw: Draw) -> Story:
    """Return the same platform under other names, its steps in another order; what is wrong with stage 2 is its image.

    There is no selector to recreate anything for: with main, where the image is another, the app recovers.
    """
    names = {
        name: draw.name() for name in ("llama-stack-playground", "minio", "mistral-7b", "docling", "knative-serving")
    }
    made = _told(image=f"quay.io/private-ai/playground:{draw.size(2, 9)}.0")
    fixes = draw.shuffled([one for one in made.steps[1:-1] if one.title != _RECREATE])
    return renamed(_in_order(made, (made.steps[0], *fixes, made.steps[-1])), names, words=True)


def _in_order(made: Story, steps: tuple[Step, ...]) -> Story:
    """Return a story whose steps come in another order: each counts what the steps before it have repaired."""
    told, good = [], made.seen.good
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        good += 0 if last else 2 if step.title == _FOLLOW else 1
        ours = 8 if last else good - 1
        told.append(msgspec.structs.replace(step, good=good, ours=ours, apps=_kept(step, last), ours_apps=None))
    return msgspec.structs.replace(made, steps=tuple(told))


def _kept(step: Step, last: bool) -> dict[str, str]:
    return {} if last else {name: words for name, words in step.apps.items() if words == _GOOD and name != "private-ai"}


def _told(image: str = "") -> Story:
    """Return the story; with an image, stage 2 asks for one that nobody has pushed, and for no other selector."""
    cluster = (resources.files("syncline.scenarios.private_ai") / "cluster.yaml").read_text(encoding="utf-8")
    change = Commit(message="Use the recommended labels", files=files.relabelled(), branch=files.FEATURE)
    seen, ours = SEEN, SEEN_BY_US
    causes: tuple[Cause, ...] = CAUSES
    steps = _steps()
    if image:
        cluster += f'images:\n  unknown: ["{image}"]\n'
        change = Commit(message="A newer playground", files=files.with_image(image), branch=files.FEATURE)
        alone = {"stage02-model-alignment": "Synced Degraded clean"}
        seen, ours = {**SEEN, **alone}, {**SEEN_BY_US, **alone}
        causes = tuple(not_pushed(image) if one.name == "selector" else one for one in CAUSES)
        steps = tuple(
            msgspec.structs.replace(one, repairs=("files", "image"), apps={"stage0[12]-*": "Synced Healthy clean"})
            if one.title == _FOLLOW
            else one
            for one in steps
            if one.title != _RECREATE
        )
    others = {"Healthy": 4, "Degraded": 1} if image else {"Healthy": 5}
    return Story(
        name="private-ai",
        title="Eight apps on OpenShift, three of them Synced",
        about=(
            "OpenShift fills in Routes, a mesh operator keeps gateways, one app follows a branch that lists files it "
            "does not have, another sets a selector that cannot change, and the app of apps is synced by hand. "
            "All eight are Healthy, and nothing says which of them matters."
        ),
        cluster=cluster,
        history=(
            Commit(message="Stage 0, the registry and all Applications", files=files.first()),
            Commit(message="Stage 1 is complete", files=files.legacy(), branch=files.LEGACY),
            Commit(message="Model alignment", files=files.feature(), branch=files.FEATURE),
            Commit(message="Stages 1 and 2, in one layout", files=files.merged(relabelled=not image)),
            Commit(message="List the files of the new layout", files=files.half_moved(), branch=files.LEGACY),
            change,
            Commit(message="Retry the sync of the operators", files=files.retried()),
        ),
        root=files.root(),
        seen=Seen(good=3, others=others, out_of_sync=3 if image else 4, apps=seen),
        ours=Seen(good=3, others={"Healthy": 3, "Degraded": 2} if image else {"Healthy": 4, "Degraded": 1}, apps=ours),
        causes=causes,
        steps=steps,
        namespace=files.HOME,
        errata=_ERRATA,
    )


def _steps() -> tuple[Step, ...]:
    root = _sync("private-ai")
    playground = Deed(
        verb=Verb.DELETE, resource="deployments.apps", name="llama-stack-playground", namespace="private-ai-demo"
    )
    return (
        Step(
            title="Sync the Applications, which was never done",
            deeds=(root,),
            repairs=("by-hand",),
            good=4,
            ours=3,
            apps={"private-ai": _GOOD},
            ours_apps={"private-ai": "Synced Degraded clean"},
        ),
        Step(
            title="Leave what OpenShift fills in to OpenShift",
            commits=(Commit(message="Ignore what OpenShift fills in", files=files.routes_ignored()),),
            deeds=(root,),
            repairs=("routes",),
            good=5,
            ours=4,
            apps={"stage00-minio": _GOOD},
        ),
        Step(
            title=_FOLLOW,
            commits=(Commit(message="Follow main in stages 1 and 2", files=files.on_main()),),
            deeds=(root,),
            repairs=("files",),
            good=6,
            ours=5,
            apps={"stage01-model-serving": _GOOD, "stage02-model-alignment": "OutOfSync Healthy SyncError"},
        ),
        Step(
            title=_RECREATE,
            deeds=(playground, _sync("stage02-model-alignment")),
            repairs=("selector",),
            good=7,
            ours=6,
            apps={"stage02-model-alignment": _GOOD, "stage00-datasciencecluster": "OutOfSync Healthy clean"},
        ),
        Step(
            title="Accept what the mesh operator writes, field by field and with a reason",
            commits=(Commit(message="Accept what the mesh operator writes", files=files.gateways_accepted()),),
            deeds=(root,),
            repairs=("gateways",),
            shows=(GATEWAYS_STAY,),
            good=7,
            promised=8,
            ours=8,
            ours_promised=8,
            apps={"stage0?-*": "* Healthy clean", "stage00-datasciencecluster": "OutOfSync Healthy clean"},
            ours_apps={"stage0?-*": _GOOD, "private-ai": _GOOD},
        ),
    )


def _sync(name: str) -> Deed:
    return Deed(verb=Verb.SYNC, resource=_APPS, name=name, namespace=files.HOME)


_ERRATA = (
    (
        "Ignoring /spec/selector fixes nothing: the difference is hidden, the app shows Synced, and the next "
        "change to that Deployment fails as before. Replace=true alone does not recreate it. check reports the "
        "rule (DIF-009)."
    ),
    (
        "Rules for /status, for the last-applied annotation and for /metadata/resourceVersion ignore nothing: "
        "these are not compared. check and why report each (DIF-005). The smallest rule for the Routes has two fields."
    ),
    (
        "A rule for the whole /spec of the gateways hides every change to them, and does not even help: the "
        "operator also writes a label. check reports it (DIF-006)."
    ),
    (
        "Deleting the Deployment is not enough: Argo CD does not retry a failed revision. The manual sync in the "
        "write-up's second step is needed."
    ),
    "The branches exist. One of them lacks the files that its kustomization lists.",
    (
        "Eight apps are counted and seven listed; 3 of 8 Synced is right if the eighth is OutOfSync, like an app "
        "of apps that has not been synced since the last commit."
    ),
)
