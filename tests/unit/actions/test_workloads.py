"""Built-in actions of Kubernetes' own workloads."""

from typing import Any

import pytest

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.actions import builtin
from syncline.model.actions import Action, ActionOperation, ActionStep
from syncline.model.errors import InvalidSpec
from tests.support.objects import obj

NOW = "2026-03-01T08:30:05Z"
Fields = dict[str, Any]


def offers(value: Object) -> dict[str, bool]:
    """Return the names of the actions on offer, with whether they can be used."""
    return {action.name: not action.disabled for action in builtin.offered(value)}


def patched(name: str, value: Object, **parameters: str) -> Object:
    """Return what an action makes of an object."""
    (step,) = builtin.run(name, value, now=NOW, parameters=parameters)
    assert step.operation is ActionOperation.PATCH
    return step.obj


def workload(kind: str, **spec: Any) -> Object:
    return obj(kind, "web", api="apps/v1", spec=spec)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (workload("Deployment"), {"pause": True, "restart": True, "resume": False, "scale": True}),
        (workload("Deployment", paused=True), {"pause": False, "restart": True, "resume": True, "scale": True}),
        (workload("StatefulSet"), {"restart": True, "scale": True}),
        (workload("DaemonSet"), {"restart": True}),
        (workload("ReplicaSet"), {}),
        (obj("ConfigMap", "settings"), {}),
    ],
)
def test_workloads_offer_what_would_change_something(value: Object, expected: dict[str, bool]) -> None:
    assert offers(value) == expected


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_restart_stamps_the_pod_template_as_kubectl_does_and_leaves_the_object_given_alone(kind: str) -> None:
    value = workload(kind, template={"metadata": {"labels": {"app": "web"}}})
    expected = workload(
        kind,
        template={
            "metadata": {"labels": {"app": "web"}, "annotations": {"kubectl.kubernetes.io/restartedAt": NOW}},
        },
    )
    assert patched("restart", value) == expected
    assert value == workload(kind, template={"metadata": {"labels": {"app": "web"}}})


@pytest.mark.parametrize(("text", "replicas"), [("0", 0), ("7", 7)])
def test_scale_sets_the_number_given(text: str, replicas: int) -> None:
    value = workload("Deployment", replicas=2)
    assert patched("scale", value, replicas=text) == workload("Deployment", replicas=replicas)
    assert builtin.offered(value)[-1] == Action(name="scale", parameters=("replicas",))


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({}, "the parameter replicas is missing (give a whole number, 0 or more)"),
        ({"replicas": "-1"}, "replicas is '-1' (give a whole number, 0 or more)"),
        ({"replicas": "many"}, "replicas is 'many' (give a whole number, 0 or more)"),
        ({"replica": "1"}, "scale has no parameter replica (known: replicas)"),
    ],
)
def test_scale_refuses_what_is_no_number(parameters: dict[str, str], says: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        builtin.run("scale", workload("Deployment"), now=NOW, parameters=parameters)
    assert str(caught.value) == says


def test_pause_and_resume_set_and_clear_the_field() -> None:
    paused = workload("Deployment", paused=True)
    assert patched("pause", workload("Deployment")) == paused
    assert patched("resume", paused) == workload("Deployment")


def test_an_action_that_a_kind_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(InvalidSpec) as caught:
        builtin.run("scale", workload("DaemonSet"), now=NOW)
    assert str(caught.value) == "no built-in action scale for apps/DaemonSet:shop/web (known: restart)"
    with pytest.raises(InvalidSpec) as caught:
        builtin.run("restart", obj("ConfigMap", "a"), now=NOW)
    assert str(caught.value) == ("no built-in action restart for /ConfigMap:shop/a (the kind has no built-in actions)")


TEMPLATE = {"metadata": {"labels": {"app": "nightly"}}, "spec": {"template": {"spec": {"containers": []}}}}


def cron_job(**spec: Any) -> Object:
    found = obj("CronJob", "nightly", api="batch/v1", spec={"jobTemplate": TEMPLATE, **spec})
    found["metadata"]["uid"] = "u1"
    return found


def test_create_job_makes_a_job_from_the_template_named_by_the_minute_and_owned_by_the_cron_job() -> None:
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": "nightly",
        "uid": "u1",
        "blockOwnerDeletion": True,
        "controller": True,
    }
    made = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "labels": {"app": "nightly"},
            "name": "nightly-2603010830",
            "namespace": "shop",
            "annotations": {"cronjob.kubernetes.io/instantiate": "manual"},
            "ownerReferences": [owner],
        },
        "spec": TEMPLATE["spec"],
    }
    assert builtin.run("create-job", cron_job(), now=NOW) == (ActionStep(ActionOperation.CREATE, made),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (cron_job(), {"create-job": True, "suspend": True}),
        (cron_job(suspend=False), {"create-job": True, "suspend": True}),
        (cron_job(suspend=True), {"create-job": True, "resume": True}),
    ],
)
def test_a_cron_job_offers_suspend_or_resume(value: Object, expected: dict[str, bool]) -> None:
    assert offers(value) == expected


def job(status: Fields | None = None, **spec: Any) -> Object:
    found = obj("Job", "migrate", api="batch/v1", spec=spec)
    return found if status is None else {**found, "status": status}


def ended(name: str, status: str = "True") -> Fields:
    return {"conditions": [{"type": name, "status": status}]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (job(), ["suspend"]),
        (job({}), ["suspend", "terminate"]),
        (job({}, suspend=True), ["resume", "terminate"]),
        (job(ended("Suspended"), suspend=True), ["resume", "terminate"]),
        (job(ended("Complete")), []),
        (job(ended("Complete", "False")), ["suspend", "terminate"]),
        (job(ended("Failed")), []),
        (job(ended("FailureTarget")), []),
        (job(ended("SuccessCriteriaMet")), []),
    ],
)
def test_a_job_that_ended_offers_nothing(value: Object, expected: list[str]) -> None:
    assert [action.name for action in builtin.offered(value)] == expected


def test_terminate_adds_a_failure_target_after_the_other_conditions() -> None:
    before = {"type": "Suspended", "status": "False"}
    conditions = patched("terminate", job({"active": 1, "conditions": [before]}))["status"]["conditions"]
    assert conditions[0] == before
    assert {key: conditions[1][key] for key in ("type", "status", "reason", "lastTransitionTime")} == {
        "type": "FailureTarget",
        "status": "True",
        "reason": "ManuallyTerminated",
        "lastTransitionTime": NOW,
    }


@pytest.mark.parametrize("value", [job(), job(ended("Complete")), job(ended("FailureTarget"))])
def test_terminate_changes_nothing_of_a_job_that_has_not_begun_or_has_ended(value: Object) -> None:
    assert patched("terminate", value) == value


def test_a_made_job_has_room_for_the_longest_name_of_a_cron_job() -> None:
    value = cron_job()
    value["metadata"]["name"] = "n" * 52
    (step,) = builtin.run("create-job", value, now=NOW)
    assert len(step.obj["metadata"]["name"]) <= 63


def test_suspend_and_resume_set_and_clear_a_jobs_field() -> None:
    assert patched("suspend", job({})) == job({}, suspend=True)
    assert patched("resume", job({}, suspend=True)) == job({}, suspend=False)


PUBLISHED = {
    GroupKind("apps", "DaemonSet"): ("restart",),
    GroupKind("apps", "Deployment"): ("pause", "restart", "resume", "scale"),
    GroupKind("apps", "StatefulSet"): ("restart", "scale"),
    GroupKind("argoproj.io", "AnalysisRun"): ("terminate",),
    GroupKind("argoproj.io", "Application"): ("toggle-auto-sync",),
    GroupKind("argoproj.io", "CronWorkflow"): ("create-workflow",),
    GroupKind("argoproj.io", "Rollout"): (
        "abort",
        "pause",
        "promote-full",
        "restart",
        "resume",
        "retry",
        "skip-current-step",
    ),
    GroupKind("argoproj.io", "WorkflowTemplate"): ("create-workflow",),
    GroupKind("batch", "CronJob"): ("create-job", "resume", "suspend"),
    GroupKind("batch", "Job"): ("resume", "suspend", "terminate"),
    GroupKind("capsule.clastix.io", "GlobalTenantResource"): ("cordon", "reconcile", "uncordon"),
    GroupKind("capsule.clastix.io", "Tenant"): ("cordon", "uncordon"),
    GroupKind("capsule.clastix.io", "TenantResource"): ("cordon", "reconcile", "uncordon"),
    GroupKind("core.strimzi.io", "StrimziPodSet"): ("rolling-update",),
    GroupKind("external-secrets.io", "ExternalSecret"): ("refresh",),
    GroupKind("external-secrets.io", "PushSecret"): ("push",),
    GroupKind("helm.toolkit.fluxcd.io", "HelmRelease"): ("reconcile", "resume", "suspend"),
    GroupKind("image.toolkit.fluxcd.io", "ImageRepository"): ("reconcile", "resume", "suspend"),
    GroupKind("image.toolkit.fluxcd.io", "ImageUpdateAutomation"): ("reconcile", "resume", "suspend"),
    GroupKind("k8s.mariadb.com", "MariaDB"): ("resume", "suspend"),
    GroupKind("keda.sh", "ScaledJob"): ("pause", "resume"),
    GroupKind("keda.sh", "ScaledObject"): ("pause", "paused-replicas", "resume"),
    GroupKind("kustomize.toolkit.fluxcd.io", "Kustomization"): ("reconcile", "resume", "suspend"),
    GroupKind("notification.toolkit.fluxcd.io", "Alert"): ("resume", "suspend"),
    GroupKind("notification.toolkit.fluxcd.io", "Provider"): ("resume", "suspend"),
    GroupKind("notification.toolkit.fluxcd.io", "Receiver"): ("reconcile", "resume", "suspend"),
    GroupKind("numaflow.numaproj.io", "InterStepBufferService"): ("force-promote",),
    GroupKind("numaflow.numaproj.io", "MonoVertex"): ("force-promote", "pause", "unpause-fast", "unpause-gradual"),
    GroupKind("numaflow.numaproj.io", "Pipeline"): (
        "delete",
        "force-promote",
        "pause",
        "unpause-fast",
        "unpause-gradual",
    ),
    GroupKind("numaplane.numaproj.io", "MonoVertexRollout"): ("pause", "unpause-fast", "unpause-gradual"),
    GroupKind("numaplane.numaproj.io", "PipelineRollout"): (
        "allow-data-loss",
        "disallow-data-loss",
        "pause",
        "unpause-fast",
        "unpause-gradual",
    ),
    GroupKind("postgresql.cnpg.io", "Cluster"): (
        "hibernate",
        "promote",
        "rehydrate",
        "reload",
        "restart",
        "resume",
        "suspend",
    ),
    GroupKind("promoter.argoproj.io", "PullRequest"): ("merge",),
    GroupKind("psmdb.percona.com", "PerconaServerMongoDB"): ("pause", "unpause"),
    GroupKind("source.toolkit.fluxcd.io", "Bucket"): ("reconcile", "resume", "suspend"),
    GroupKind("source.toolkit.fluxcd.io", "GitRepository"): ("reconcile", "resume", "suspend"),
    GroupKind("source.toolkit.fluxcd.io", "HelmChart"): ("reconcile", "resume", "suspend"),
    GroupKind("source.toolkit.fluxcd.io", "HelmRepository"): ("reconcile", "resume", "suspend"),
    GroupKind("source.toolkit.fluxcd.io", "OCIRepository"): ("reconcile", "resume", "suspend"),
}


@pytest.mark.parametrize(("kind", "names"), PUBLISHED.items())
def test_every_action_that_argo_cd_ships_for_a_kind_is_here(kind: GroupKind, names: tuple[str, ...]) -> None:
    assert builtin.names(kind) == names
