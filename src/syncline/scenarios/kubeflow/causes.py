"""What was wrong with the platform, and what each app showed.

Read by `syncline.scenarios.kubeflow.story`.
"""

from __future__ import annotations

from syncline.scenarios.kubeflow import files, training
from syncline.scenarios.kubeflow.files import COMMON, Platform
from syncline.scenarios.manifests import Manifest
from syncline.scenarios.story import Cause, Rules

_INDEPENDENT = ("external", "trainer", "spark")
"""Apps that need no kind of the foundation."""


def seen() -> dict[str, str]:
    """Return what the apps showed."""
    rows = {
        f"kubeflow-{one.name}": "Synced Healthy clean" if one.name in _INDEPENDENT else "OutOfSync Missing SyncError"
        for one in files.apps()
    }
    foundation = {COMMON: "OutOfSync Healthy InvalidSpecError SharedResourceWarning"}
    return {**rows, **foundation, "kubeflow": "Synced Healthy clean"}


def missing_namespace(platform: Platform) -> Cause:
    """Return the cause of nine red apps."""
    if platform.gateway_account:
        where, what = f"{files.GATEWAY}/resources.yaml:{_account_line()}", "ServiceAccount"
        told = "a ServiceAccount of the foundation has no namespace, and its app no destination namespace"
    else:
        where, what = "common/user-namespace/base/kustomization.yaml:4", "ConfigMap"
        told = "the generated ConfigMap of the first user has no namespace, and its app no destination namespace"
    name = "cluster-local-gateway-account" if platform.gateway_account else "default-install-config-9h2h2b6hbk"
    return Cause(
        name="namespace",
        told=told,
        code="APP-007",
        subject=COMMON,
        at=where,
        says=(f"Namespace for {name} /v1, Kind={what} is missing.",),
        check="APP-007",
        remark="By Argo CD's rules nine apps follow from it. By Syncline's own the rest of the app is delivered, and "
        "later waves wait for it.",
    )


def _account_line() -> int:
    """Return the line that the account begins at: the last object of its file."""
    text = files.first(Platform(gateway_account=True))[f"{files.GATEWAY}/resources.yaml"]
    return text.count("\n", 0, text.rindex("---\n")) + 3


def shared(platform: Platform) -> tuple[Cause, ...]:
    """Return the causes of the warnings: one for each app that the foundation shares objects with."""
    trainer = [*training.job_sets(), *training.trainer(platform.runtimes)]
    return (
        _shared("trainer", trainer, "applications/trainer/jobset/resources.yaml"),
        _shared("spark", training.spark(), "applications/spark/base/resources.yaml"),
    )


def _shared(app: str, objects: list[Manifest], file: str) -> Cause:
    # Definitions of kinds bear no mark of an app, so nobody can tell whose they are.
    count = sum(1 for one in objects if one["kind"] != "CustomResourceDefinition")
    pair = f"{COMMON} and kubeflow-{app}"
    return Cause(
        name=app,
        told=f"{count} objects of kubeflow-{app} are in the kustomization of the foundation too",
        code="OWN-001",
        subject=f"{count} objects of {pair}",
        at=f"{file}:2",
        says=(f"part of {pair}",),
        apps=1,
        check="OWN-001",
        check_at=f"{file}:2",
        by=Rules.ARGOCD,
        remark="By Syncline's own rules the other app does not exist yet: it is in a later wave.",
    )


SCOPE = Cause(
    name="scope",
    told="the foundation renders every application: example/kustomization.yaml is for people who try the platform out",
    check="OWN-001",
    remark="check names each app whose objects it also delivers, including apps that could not be delivered.",
)

APPROVAL = Cause(
    name="approval",
    told="the foundation would delete what it delivered for the other apps, which do not exist yet",
    code="LIV-213",
    subject=COMMON,
    says=("waits for approval to prune", "deleting a Namespace may delete data"),
    by=Rules.SYNCLINE,
    remark="Nothing uses it yet: the apps of the later waves bring it back.",
)
