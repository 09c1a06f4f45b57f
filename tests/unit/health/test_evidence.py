"""Every verdict of a built-in kind says why in one word, where it stands, and since when if the object tells."""

import json
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.health.assess import assess
from syncline.model import names
from tests.support.objects import application_object, obj

T0, T1, T2 = "2026-03-01T08:00:00Z", "2026-03-01T08:10:00Z", "2026-03-01T08:20:00Z"
Fields = dict[str, Any]


def told(value: Object) -> tuple[str, str, str]:
    """Return reason, evidence path and since of an object that was made at T0."""
    value["metadata"]["creationTimestamp"] = T0
    health = assess(value)
    assert health is not None
    assert [one.subject for one in health.evidence] == [None]
    return health.reason, health.evidence[0].path, health.since


def condition(name: str, status: str, reason: str = "", **rest: Any) -> Fields:
    return {"type": name, "status": status, "reason": reason, "lastTransitionTime": T1, **rest}


def workload(kind: str, spec: Fields, status: Fields, generation: int = 1) -> Object:
    found = obj(kind, "web", api="apps/v1", spec=spec, status={"observedGeneration": 1, **status})
    found["metadata"]["generation"] = generation
    return found


READY = {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"paused": True}, {}, ("Paused", "spec.paused", "")),
        (
            {"paused": True},
            {"conditions": [condition("Progressing", "Unknown", "DeploymentPaused")]},
            ("Paused", "spec.paused", T1),
        ),
        ({}, {"observedGeneration": 0}, ("NotObserved", "status.observedGeneration", T0)),
        (
            {},
            {
                "conditions": [
                    condition("Available", "False"),
                    condition("Progressing", "False", "ProgressDeadlineExceeded"),
                ]
            },
            ("ProgressDeadlineExceeded", "status.conditions[1]", T1),
        ),
        ({"replicas": 2}, {"updatedReplicas": 1}, ("Updating", "status.updatedReplicas", "")),
        (
            {"replicas": 2},
            {"updatedReplicas": 1, "conditions": [condition("Available", "False")]},
            ("Updating", "status.updatedReplicas", T1),
        ),
        ({"replicas": 2}, {**READY, "replicas": 3}, ("Terminating", "status.replicas", "")),
        (
            {"replicas": 2},
            {**READY, "availableReplicas": 1, "conditions": [condition("Available", "False")]},
            ("NotAvailable", "status.availableReplicas", T1),
        ),
        (
            {"replicas": 2},
            {**READY, "conditions": [condition("Available", "True")]},
            ("Available", "status.availableReplicas", T1),
        ),
    ],
)
def test_a_deployment_points_at_the_field_and_takes_times_from_its_conditions(
    spec: Fields, status: Fields, expected: tuple[str, str, str]
) -> None:
    assert told(workload("Deployment", spec, status)) == expected


def test_a_later_generation_that_was_not_seen_tells_no_time() -> None:
    assert told(workload("Deployment", {}, {}, generation=2)) == ("NotObserved", "status.observedGeneration", "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (workload("StatefulSet", {}, {"observedGeneration": 0}), ("NotObserved", "status.observedGeneration", T0)),
        (workload("StatefulSet", {"replicas": 2}, {"readyReplicas": 1}), ("NotReady", "status.readyReplicas", "")),
        (
            workload("StatefulSet", {"updateStrategy": {"type": "OnDelete"}}, {}),
            ("UpdatedOnDelete", "spec.updateStrategy.type", ""),
        ),
        (
            workload(
                "StatefulSet",
                {"replicas": 1, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}},
                {"readyReplicas": 1},
            ),
            ("Updating", "status.updatedReplicas", ""),
        ),
        (
            workload("StatefulSet", {}, {"updateRevision": "b", "currentRevision": "a"}),
            ("Updating", "status.updateRevision", ""),
        ),
        (workload("StatefulSet", {}, {}), ("Ready", "status.readyReplicas", "")),
        (workload("DaemonSet", {}, {"observedGeneration": 0}), ("NotObserved", "status.observedGeneration", T0)),
        (
            workload("DaemonSet", {}, {"desiredNumberScheduled": 2}),
            ("Updating", "status.updatedNumberScheduled", ""),
        ),
        (
            workload("DaemonSet", {}, {"desiredNumberScheduled": 2, "updatedNumberScheduled": 2}),
            ("NotAvailable", "status.numberAvailable", ""),
        ),
        (workload("DaemonSet", {}, {}), ("Available", "status.numberAvailable", "")),
        (
            workload("ReplicaSet", {}, {"conditions": [condition("ReplicaFailure", "True", "FailedCreate")]}),
            ("ReplicaFailure", "status.conditions[0]", T1),
        ),
        (workload("ReplicaSet", {"replicas": 1}, {}), ("NotAvailable", "status.availableReplicas", "")),
        (workload("ReplicaSet", {}, {}), ("Available", "status.availableReplicas", "")),
        (obj("Deployment", "web", api="apps/v1beta1"), ("VersionUnsupported", "apiVersion", "")),
        (obj("Deployment", "web", api="apps/v1", deletionTimestamp=T2), ("Deleting", "metadata.deletionTimestamp", T2)),
    ],
)
def test_other_workloads_point_at_the_number_that_decided(value: Object, expected: tuple[str, str, str]) -> None:
    assert told(value) == expected


def pod(status: Fields, policy: str = "Always") -> Object:
    return obj("Pod", "web", spec={"restartPolicy": policy}, status=status)


WAITS = {"name": "web", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
ENDED = {"terminated": {"exitCode": 3, "reason": "Error", "finishedAt": T1}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            pod({"containerStatuses": [WAITS], "startTime": T2}),
            ("CrashLoopBackOff", "status.containerStatuses[0].state.waiting", T2),
        ),
        (
            pod({"containerStatuses": [WAITS], "conditions": [condition("Ready", "False")], "startTime": T0}),
            ("CrashLoopBackOff", "status.containerStatuses[0].state.waiting", T1),
        ),
        (
            pod({"containerStatuses": [{**WAITS, "lastState": ENDED}], "startTime": T2}),
            ("CrashLoopBackOff", "status.containerStatuses[0].state.waiting", T1),
        ),
        (pod({"phase": "Pending"}), ("Pending", "status.phase", T0)),
        (pod({"phase": "Pending", "startTime": T2}), ("Pending", "status.phase", T2)),
        (
            pod({"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable")]}),
            ("Pending", "status.phase", T1),
        ),
        (
            pod({"phase": "Succeeded", "containerStatuses": [{"name": "web", "state": ENDED}]}, "Never"),
            ("Succeeded", "status.phase", T1),
        ),
        (pod({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}), ("Evicted", "status.phase", "")),
        (
            pod({"phase": "Failed", "containerStatuses": [{"name": "web", "state": ENDED}]}, "Never"),
            ("Error", "status.containerStatuses[0].state.terminated", T1),
        ),
        (
            pod({"phase": "Failed", "initContainerStatuses": [{"name": "web", "state": ENDED}]}, "Never"),
            ("Error", "status.initContainerStatuses[0].state.terminated", T1),
        ),
        (pod({"phase": "Failed"}), ("Failed", "status.phase", "")),
        (pod({"phase": "Running", "conditions": [condition("Ready", "True")]}), ("Ready", "status.conditions[0]", T1)),
        (
            pod({"phase": "Running", "conditions": [condition("Ready", "False")]}),
            ("NotReady", "status.conditions[0]", T1),
        ),
        (
            pod({"phase": "Running", "containerStatuses": [{"name": "web", "lastState": ENDED}]}),
            ("Restarted", "status.containerStatuses[0].lastState.terminated", T1),
        ),
        (pod({"phase": "Running", "startTime": T2}, "Never"), ("Running", "status.phase", T2)),
        (pod({"phase": "Odd"}), ("PhaseUnknown", "status.phase", "")),
    ],
)
def test_a_pod_points_at_its_phase_or_at_the_container(value: Object, expected: tuple[str, str, str]) -> None:
    assert told(value) == expected


def job(**status: Any) -> Object:
    return obj("Job", "migrate", api="batch/v1", status=status)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (job(), ("Running", "status.conditions", T0)),
        (job(startTime=T2), ("Running", "status.conditions", T2)),
        (
            job(conditions=[condition("Complete", "True"), condition("Failed", "True", "BackoffLimitExceeded")]),
            ("BackoffLimitExceeded", "status.conditions[1]", T1),
        ),
        (job(conditions=[condition("Complete", "True")]), ("Complete", "status.conditions[0]", T1)),
        (job(conditions=[condition("Suspended", "True")]), ("Suspended", "status.conditions[0]", T1)),
        (job(conditions=[condition("Suspended", "False")]), ("Resumed", "status.conditions[0]", T1)),
    ],
)
def test_a_job_points_at_the_condition_that_decided(value: Object, expected: tuple[str, str, str]) -> None:
    assert told(value) == expected


def of(kind: str, api: str = "v1", **rest: Any) -> Object:
    return obj(kind, "x", api=api, **rest)


NET, SCALE, POLICY, WORK = "networking.k8s.io/v1", "autoscaling/v2", "policy/v1", "argoproj.io/v1alpha1"
CRD, API = "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1"
ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
FAILED_SCALE = condition("AbleToScale", "False", "FailedGetScale")
ANNOTATION = "autoscaling.alpha.kubernetes.io/conditions"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (of("Service", spec={"type": "ClusterIP"}), ("NothingToWaitFor", "spec.type", "")),
        (of("Service", spec={"type": "LoadBalancer"}), ("NoAddress", "status.loadBalancer.ingress", T0)),
        (
            of("Service", spec={"type": "LoadBalancer"}, status=ADDRESS),
            ("HasAddress", "status.loadBalancer.ingress", ""),
        ),
        (of("Ingress", NET), ("NoAddress", "status.loadBalancer.ingress", T0)),
        (of("Ingress", NET, status=ADDRESS), ("HasAddress", "status.loadBalancer.ingress", "")),
        (of("PersistentVolumeClaim", status={"phase": "Pending"}), ("Pending", "status.phase", T0)),
        (of("PersistentVolumeClaim", status={"phase": "Bound"}), ("Bound", "status.phase", "")),
        (of("PersistentVolumeClaim", status={"phase": "Lost"}), ("Lost", "status.phase", "")),
        (of("PersistentVolumeClaim"), ("PhaseUnknown", "status.phase", "")),
        (of("APIService", API), ("NotObserved", "status.conditions", T0)),
        (
            of("APIService", API, status={"conditions": [condition("Available", "False", "MissingEndpoints")]}),
            ("MissingEndpoints", "status.conditions[0]", T1),
        ),
        (of("CustomResourceDefinition", CRD), ("NotObserved", "status.conditions", T0)),
        (
            of("CustomResourceDefinition", CRD, status={"conditions": [condition("Established", "True")]}),
            ("Established", "status.conditions[0]", T1),
        ),
        (
            of("CustomResourceDefinition", CRD, status={"conditions": [condition("NamesAccepted", "False")]}),
            ("NamesNotAccepted", "status.conditions[0]", T1),
        ),
        (
            of("CustomResourceDefinition", CRD, status={"conditions": [condition("NamesAccepted", "True")]}),
            ("NotEstablished", "status.conditions", ""),
        ),
        (of("HorizontalPodAutoscaler", SCALE), ("NotObserved", "status.conditions", T0)),
        (
            of("HorizontalPodAutoscaler", SCALE, status={"conditions": [FAILED_SCALE]}),
            ("FailedGetScale", "status.conditions[0]", T1),
        ),
        (
            of("HorizontalPodAutoscaler", "autoscaling/v1", annotations={ANNOTATION: json.dumps([FAILED_SCALE])}),
            ("FailedGetScale", f'metadata.annotations["{ANNOTATION}"]', T1),
        ),
        (of("PodDisruptionBudget", POLICY), ("NotObserved", "status.conditions", T0)),
        (
            of("PodDisruptionBudget", POLICY, status={"conditions": [condition("X", "False", "SyncFailed")]}),
            ("SyncFailed", "status.conditions[0]", T1),
        ),
        (
            of("PodDisruptionBudget", POLICY, status={"conditions": [condition("X", "False", "InsufficientPods")]}),
            ("InsufficientPods", "status.conditions[0]", T1),
        ),
        (of("CronJob", "batch/v1", spec={"suspend": True}), ("Suspended", "spec.suspend", "")),
        (of("CronJob", "batch/v1", status={}), ("NotScheduled", "status.lastScheduleTime", "")),
        (
            of("CronJob", "batch/v1", status={"lastScheduleTime": T2, "lastSuccessfulTime": T1}),
            ("LastRunFailed", "status.lastSuccessfulTime", T2),
        ),
        (
            of("CronJob", "batch/v1", status={"lastScheduleTime": T1, "lastSuccessfulTime": T2}),
            ("LastRunSucceeded", "status.lastSuccessfulTime", T2),
        ),
        (of("Workflow", WORK), ("NotObserved", "status.phase", T0)),
        (of("Workflow", WORK, status={"phase": "Running", "startedAt": T1}), ("Running", "status.phase", T1)),
        (of("Workflow", WORK, status={"phase": "Failed", "finishedAt": T2}), ("Failed", "status.phase", T2)),
    ],
)
def test_other_kinds_point_at_the_field_that_decided(value: Object, expected: tuple[str, str, str]) -> None:
    assert told(value) == expected


SOURCE = {"repoURL": "https://git.example.com/child.git", "path": "."}
DESTINATION = {"server": "https://kubernetes.default.svc", "namespace": "shop"}
SYNC = {"status": "Synced", "comparedTo": {"source": SOURCE, "destination": DESTINATION}}
RUNNING = {"operation": {}, "phase": "Running", "startedAt": T1}
FAILED = {"operation": {}, "phase": "Failed", "startedAt": T1, "finishedAt": T2}
OUT = {**SYNC, "status": "OutOfSync"}
BROKEN = {"type": "ComparisonError", "message": "no such path", "lastTransitionTime": T1}


def child(annotations: dict[str, str] | None = None, **status: Any) -> Object:
    found = application_object(
        "child", source=SOURCE, destination=DESTINATION, status=status, syncPolicy={"automated": {}}
    )
    found["metadata"]["annotations"] = annotations or {}
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (child(), ("NotObserved", "status.sync.comparedTo", T0)),
        (
            child({names.REFRESH: "normal"}, sync=SYNC),
            ("RefreshPending", 'metadata.annotations["argocd.argoproj.io/refresh"]', ""),
        ),
        (child(sync=SYNC, operationState=RUNNING), ("Syncing", "status.operationState.phase", T1)),
        (child(sync=OUT, operationState=FAILED), ("SyncFailed", "status.operationState.phase", T2)),
        (
            child(sync={**SYNC, "status": "Unknown"}, conditions=[BROKEN]),
            ("ComparisonError", "status.conditions[0]", T1),
        ),
        (child(sync=OUT), ("NotSynced", "status.sync.status", "")),
        (
            child(sync=SYNC, health={"status": "Degraded", "lastTransitionTime": T2}),
            ("ChildApp", "status.health.status", T2),
        ),
    ],
)
def test_a_child_app_points_at_what_it_waits_for(value: Object, expected: tuple[str, str, str]) -> None:
    assert told(value) == expected
