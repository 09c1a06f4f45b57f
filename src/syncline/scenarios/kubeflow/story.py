"""One ConfigMap without a namespace, and nothing of the platform is delivered: a story that runs."""

from __future__ import annotations

from importlib import resources

from syncline.scenarios import manifests as m
from syncline.scenarios.draw import Draw
from syncline.scenarios.kubeflow import files
from syncline.scenarios.kubeflow.causes import APPROVAL, SCOPE, missing_namespace, seen, shared
from syncline.scenarios.kubeflow.files import COMMON, Platform
from syncline.scenarios.renaming import renamed
from syncline.scenarios.story import Commit, Deed, Seen, Step, Story, Verb

_GOOD = "Synced Healthy clean"
_APPS = 13
"""All Applications, the one that delivers them included."""


def story() -> Story:
    """Return the story."""
    return _told(Platform())


def look_alike(draw: Draw) -> Story:
    """Return the same trouble under other names and sizes; what has no namespace is part of the foundation itself.

    So the change that repaired the original repairs only half of it: the answer has to follow the cause.
    """
    platform = Platform(
        runtimes=draw.size(2, 9), gateway_account=True, order=tuple(draw.shuffled(range(len(files.apps()))))
    )
    names = {name: draw.name() for name in ("jobset", "spark-operator", "katib")}
    return renamed(_told(platform), names, words=True)


def _told(platform: Platform) -> Story:
    causes = (missing_namespace(platform), *shared(platform), SCOPE)
    return Story(
        name="kubeflow",
        title="One ConfigMap without a namespace blocks a whole platform",
        about=(
            "The app of the foundation points at a kustomization that installs everything. One of its objects has no "
            "namespace, so none of the foundation is delivered, no Istio and cert-manager kinds, and eight apps "
            "fail without them. The same kustomization delivers what two other apps deliver."
        ),
        cluster=(resources.files("syncline.scenarios.kubeflow") / "cluster.yaml").read_text(encoding="utf-8"),
        history=(Commit(message="The platform, by waves", files=files.first(platform)),),
        root=m.application("kubeflow", files.BOOTSTRAP, namespace="argocd"),
        seen=Seen(good=4, others={"Missing": 8, "Healthy": 1}, out_of_sync=9, apps=seen()),
        ours=Seen(
            good=1,
            others={"Degraded": 1, "Unknown": 1},
            apps={COMMON: "Unknown Unknown InvalidSpecError", "kubeflow-external": _GOOD},
        ),
        causes=causes,
        steps=_steps(platform),
        # Whoever waits for a child app that cannot be rendered counts as Degraded after a while.
        still=700.0,
        errata=_ERRATA,
    )


def _steps(platform: Platform) -> tuple[Step, ...]:
    split = Commit(message="Separate common services from applications", files=files.split())
    approve = Deed(verb=Verb.CONFIRM, resource="applications.argoproj.io", name=COMMON, namespace="argocd")
    if not platform.gateway_account:
        return (
            Step(
                title="Split the foundation from the applications",
                commits=(split,),
                repairs=("namespace", "trainer", "spark"),
                shows=(APPROVAL,),
                good=_APPS,
                ours=1,
                ours_promised=3,
                apps={"kubeflow*": _GOOD},
                ours_apps={COMMON: "OutOfSync Healthy clean"},
            ),
            _approved(approve),
        )
    named = Commit(message="Say where the account belongs", files=files.account_placed())
    return (
        Step(
            title="Split the foundation from the applications",
            commits=(split,),
            repairs=("trainer", "spark"),
            good=4,
            ours=1,
            apps={COMMON: "OutOfSync Missing InvalidSpecError"},
            ours_apps={COMMON: "Unknown Unknown InvalidSpecError"},
        ),
        Step(
            title="Say where the account belongs",
            commits=(named,),
            repairs=("namespace",),
            shows=(APPROVAL,),
            good=_APPS,
            ours=1,
            ours_promised=3,
            apps={"kubeflow*": _GOOD},
            ours_apps={COMMON: "OutOfSync Healthy clean"},
        ),
        _approved(approve),
    )


def _approved(approve: Deed) -> Step:
    """Return the step that only Syncline's own rules ask for; the apps of later waves are created after it."""
    return Step(
        title="Approve that the foundation gives up what other apps deliver",
        deeds=(approve,),
        repairs=(APPROVAL.name,),
        good=_APPS,
        ours=_APPS,
        ours_promised=3,
        apps={"kubeflow*": _GOOD},
    )


_ERRATA = (
    (
        "Argo CD does not wait between waves of Applications without a health check for Applications: waves did "
        "not block the later apps, each failed because the kinds were missing. So the four apps that need "
        "neither Istio nor cert-manager were Synced and Healthy all the time."
    ),
    (
        "The split leaves the Profile of the first user and its ConfigMap in no app: common/user-namespace is "
        "only in example/kustomization.yaml. None of it was live, so nothing is lost, but no app delivers it."
    ),
    (
        "With Argo CD the split prunes nothing here, because the app never delivered anything. If someone had "
        "given the ConfigMap a namespace first, the app would have taken over what others deliver, and pruned "
        "some of it."
    ),
    (
        "The status of kubeflow-common-services is not in the write-up. Argo CD 3.2.11, run on this repository, "
        "shows OutOfSync and Missing beside InvalidSpecError. Since 3.4 an app is Missing where none of its objects is "
        "live, and here those are that it shares with others: OutOfSync and Healthy. By Syncline's own rules it is "
        "Unknown."
    ),
    (
        "app sync --force --replace, in its troubleshooting, deletes and creates CRDs with all their objects; "
        "nothing here needs it."
    ),
)
