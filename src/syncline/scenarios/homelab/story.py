"""A cluster that manages itself from one root app: every wave is green, and a setting that it relies on is not read."""

from __future__ import annotations

import itertools
from typing import Final

from syncline.scenarios import files
from syncline.scenarios.draw import Draw
from syncline.scenarios.homelab.files import APPS, HERE, SETTINGS, Homelab, first, presets
from syncline.scenarios.renaming import renamed
from syncline.scenarios.story import Cause, Commit, Kept, Rules, Seen, Step, Story, Wait

_UNREAD: Final = '    resource.server-side-diff: "true"\n'
_NAMES: Final = ("longhorn", "volsync", "pvc-plumber", "external-secrets", "prometheus-stack", "llama", "my-apps")


def story() -> Story:
    """Return the story as it was written up."""
    return _told(Homelab())


def look_alike(draw: Draw) -> Story:
    """Return the same cluster under other names, with more or fewer apps, and another setting that nobody reads."""
    lab = Homelab(
        monitoring=tuple(draw.name() for _ in range(draw.size(1, 3))),
        infrastructure=tuple(draw.name() for _ in range(draw.size(1, 4))),
        users=("ai/llama", *(f"{draw.name()}/{draw.name()}" for _ in range(draw.size(1, 3)))),
    )
    unread = draw.in_turn(("resource.serverSideDiff", "server.side.diff.enabled", "controller.server-side-diff"))
    return renamed(_told(lab), {**draw.names(_NAMES), "resource.server-side-diff": unread})


def _told(lab: Homelab) -> Story:
    llama = f"{lab.changed.rpartition('/')[2]}/presets presets.ini"
    return Story(
        name="homelab",
        title="a cluster that manages itself, all green, with a setting that has no effect",
        about=(
            "One root app brings up waves 0 to 6 and takes over what already runs. Everything is Synced and Healthy. "
            "The setting for server-side diff is under a key that Argo CD does not read, and the waves of "
            "ApplicationSets do not wait for each other."
        ),
        cluster=files.text(HERE, "cluster.yaml"),
        history=(
            Commit(message="Bootstrap the cluster", files=first(lab)),
            Commit(message="Longer contexts for the language model", files=presets(lab, "context = 32768")),
        ),
        root=files.application("root", APPS),
        seen=_green(lab),
        ours=_green(lab),
        causes=_CAUSES,
        steps=(_repair(lab, llama),),
        waits=_waits(lab),
        keeps=(
            Kept(resource="daemonsets.apps", name="cilium", namespace="kube-system"),
            Kept(resource="configmaps", name="cilium-config", namespace="kube-system"),
        ),
        holds={llama: "[default]\ncontext = 32768\n"},
        errata=_ERRATA,
    )


def _green(lab: Homelab) -> Seen:
    return Seen(good=lab.total, others={}, apps={"*": "Synced Healthy"})


def _waits(lab: Homelab) -> tuple[Wait, ...]:
    last = [one.rpartition("/")[2] for one in lab.users]
    waves = [
        ("cilium", "argocd", "projects", *lab.secrets),
        lab.storage,
        (lab.checker,),
        lab.infrastructure,
        lab.monitoring,
        tuple(last),
    ]
    pairs = list(itertools.pairwise(waves))
    generated = (lab.infrastructure, lab.monitoring)
    return tuple(
        Wait(before=before, after=after, holds=before not in generated, by=Rules.ARGOCD) for before, after in pairs
    )


def _repair(lab: Homelab, llama: str) -> Step:
    """Return the setting under the name that is read, and another change that has to arrive."""
    values = files.tree(HERE)[SETTINGS].replace(_UNREAD, "")
    fixed = values.replace("  params:\n", '  params:\n    controller.diff.server.side: "true"\n')
    changed = presets(lab, "context = 65536")
    return Step(
        title="Set controller.diff.server.side, and change the presets again",
        good=lab.total,
        repairs=("setting",),
        commits=(
            Commit(message="Compare on the server, by the key that is read", files={SETTINGS: fixed}),
            Commit(message="Even longer contexts", files=changed),
        ),
        apps={"*": "Synced Healthy"},
        holds={
            llama: "[default]\ncontext = 65536\n",
            "argocd/argocd-cmd-params-cm controller.diff.server.side": "true",
            "argocd/argocd-cm resource.server-side-diff": "",
        },
    )


_CAUSES: Final = (
    Cause(
        name="setting",
        told="server-side diff is switched on by a key that no Argo CD reads, so it is off",
        check="SET-001",
        check_at=f"{SETTINGS}:7",
        remark=(
            "Nothing in the cluster shows it: every app is Synced and Healthy, by a comparison that was not intended."
        ),
    ),
    Cause(
        name="waves",
        told="the waves of ApplicationSets do not wait: a set is Healthy once its apps are generated",
        by=Rules.ARGOCD,
        check="ORD-103",
        check_at=f"{APPS}/infrastructure-appset.yaml:7",
        remark="The story measures it: apps of wave 5 are created before those of wave 4 are Healthy.",
    ),
    Cause(
        name="stale",
        told="the health check of child apps passes on their status from before an update",
        check="SET-004",
        check_at=f"{SETTINGS}:8",
        remark=(
            "The script never checks which revision the verdict is for; that is enough only for the first bootstrap."
        ),
    ),
)

_ERRATA: Final = (
    "resource.server-side-diff is not a setting; use controller.diff.server.side in argocd-cmd-params-cm.",
    "IgnoreMissingTemplate is not a sync option of Argo CD.",
    "Without server-side diff a changed ConfigMap is still found and applied; what was seen was a rare missed patch.",
    "Waves 4 to 6 contain ApplicationSets: they are applied one after the other, without waiting for their apps.",
)
