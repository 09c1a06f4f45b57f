"""Health of the remaining kinds, and of objects that are going away."""

import json
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.health.assess import assess
from syncline.model import names
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode
from tests.support.objects import NOW, application_object, config_map, crd, deployment, job, obj

HEALTHY, PROGRESSING, DEGRADED = HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.DEGRADED
SUSPENDED, UNKNOWN, MISSING = HealthCode.SUSPENDED, HealthCode.UNKNOWN, HealthCode.MISSING
Fields = dict[str, Any]


def code(value: Object) -> HealthCode | None:
    health = assess(value)
    return health.status if health else None


def test_a_kind_without_a_check_has_no_health() -> None:
    assert assess(config_map()) is None
    assert assess(obj("Deployment", "web", api="example.com/v1")) is None


def test_an_object_that_is_being_deleted_is_progressing_whatever_its_kind() -> None:
    leaving = Evidence(kind=EvidenceKind.FIELD, text=NOW, path="metadata.deletionTimestamp")
    pending = Health(PROGRESSING, "Pending deletion", "Deleting", (leaving,), NOW)
    assert assess(config_map(deletionTimestamp=NOW)) == pending
    assert assess(deployment(ready=1, deletionTimestamp=NOW)) == pending


def test_a_hook_that_is_being_deleted_is_assessed_while_our_finalizer_holds_it() -> None:
    assert code(job(done=True, deletionTimestamp=NOW, finalizers=[names.HOOK_FINALIZER])) is HEALTHY


ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({}, {}, HEALTHY),
        ({"type": "ClusterIP"}, {}, HEALTHY),
        ({"type": "LoadBalancer"}, {}, PROGRESSING),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": []}}, PROGRESSING),
        ({"type": "LoadBalancer"}, ADDRESS, HEALTHY),
    ],
)
def test_a_service_waits_only_for_the_address_of_a_load_balancer(
    spec: Fields, status: Fields, expected: HealthCode
) -> None:
    assert code(obj("Service", "web", spec=spec, status=status)) is expected


@pytest.mark.parametrize("api", ["networking.k8s.io/v1", "extensions/v1beta1"])
@pytest.mark.parametrize(("status", "expected"), [({}, PROGRESSING), (ADDRESS, HEALTHY)])
def test_an_ingress_waits_for_an_address(api: str, status: Fields, expected: HealthCode) -> None:
    assert code(obj("Ingress", "web", api=api, status=status)) is expected


@pytest.mark.parametrize(
    ("phase", "expected"),
    [("Bound", HEALTHY), ("Pending", PROGRESSING), ("Lost", DEGRADED), ("Odd", UNKNOWN), (None, UNKNOWN)],
)
def test_a_volume_claim_follows_its_phase(phase: str | None, expected: HealthCode) -> None:
    assert code(obj("PersistentVolumeClaim", "data", status={"phase": phase})) is expected


@pytest.mark.parametrize(("status", "expected"), [("True", HEALTHY), ("False", PROGRESSING), (None, PROGRESSING)])
def test_an_api_service_is_healthy_when_available(status: str | None, expected: HealthCode) -> None:
    conditions = [{"type": "Available", "status": status}] if status else []
    value = obj("APIService", "v1.example.com", api="apiregistration.k8s.io/v1", status={"conditions": conditions})
    assert code(value) is expected


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], PROGRESSING),
        ([("Established", "True", "")], HEALTHY),
        ([("Established", "True", ""), ("NamesAccepted", "False", "")], DEGRADED),
        ([("Established", "True", ""), ("NonStructuralSchema", "True", "")], DEGRADED),
        ([("Established", "True", ""), ("Terminating", "True", ""), ("NamesAccepted", "False", "")], PROGRESSING),
        ([("Established", "False", "Installing")], PROGRESSING),
        ([("Established", "False", "NotAccepted")], DEGRADED),
        ([("NamesAccepted", "True", "")], DEGRADED),
    ],
)
def test_a_crd_is_healthy_once_established_with_accepted_names(
    conditions: list[tuple[str, str, str]], expected: HealthCode
) -> None:
    found = [{"type": kind, "status": status, "reason": reason} for kind, status, reason in conditions]
    assert code(crd() | {"status": {"conditions": found}}) is expected


SCALING = [
    ([], PROGRESSING),
    ([("AbleToScale", "True", "ReadyForNewScale")], HEALTHY),
    ([("ScalingLimited", "True", "TooFewReplicas")], HEALTHY),
    ([("AbleToScale", "False", "SomethingElse")], PROGRESSING),
    ([("AbleToScale", "False", "FailedGetScale")], DEGRADED),
    ([("AbleToScale", "False", "FailedUpdateScale")], DEGRADED),
    *(
        ([("AbleToScale", "True", "SucceededGetScale"), ("ScalingActive", "False", reason)], DEGRADED)
        for reason in (
            "FailedGetResourceMetric",
            "FailedGetObjectMetric",
            "FailedGetPodsMetric",
            "FailedGetExternalMetric",
            "FailedComputeMetricsReplicas",
            "InvalidSelector",
        )
    ),
    ([("AbleToScale", "True", "ok"), ("ScalingActive", "False", "ScalingDisabled")], HEALTHY),
]


@pytest.mark.parametrize("version", ["v1", "v2", "v2beta2"])
@pytest.mark.parametrize(("conditions", "expected"), SCALING)
def test_an_autoscaler_is_degraded_by_failures_to_scale_or_to_measure(
    version: str, conditions: list[tuple[str, str, str]], expected: HealthCode
) -> None:
    found = [{"type": kind, "status": status, "reason": reason} for kind, status, reason in conditions]
    value = obj("HorizontalPodAutoscaler", "web", api=f"autoscaling/{version}")
    if version == "v1":
        value["metadata"]["annotations"] = {"autoscaling.alpha.kubernetes.io/conditions": json.dumps(found)}
    else:
        value["status"] = {"conditions": found}
    assert code(value) is expected


@pytest.mark.parametrize(
    ("phase", "expected"),
    [("", PROGRESSING), ("Pending", PROGRESSING), ("Running", PROGRESSING), ("Succeeded", HEALTHY),
     ("Failed", DEGRADED), ("Error", DEGRADED)],
)  # fmt: skip
def test_a_workflow_follows_its_phase(phase: str, expected: HealthCode) -> None:
    assert code(obj("Workflow", "build", api="argoproj.io/v1alpha1", status={"phase": phase})) is expected


T1, T2 = "2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z"


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"suspend": True}, None, HEALTHY),
        ({}, None, PROGRESSING),
        ({}, {}, HEALTHY),
        ({}, {"lastScheduleTime": T1}, HEALTHY),
        ({}, {"lastScheduleTime": T2, "lastSuccessfulTime": T1, "active": [{"name": "run"}]}, HEALTHY),
        ({}, {"lastScheduleTime": T2, "lastSuccessfulTime": T1}, DEGRADED),
        ({}, {"lastScheduleTime": T2, "lastSuccessfulTime": T1, "active": []}, DEGRADED),
        ({}, {"lastScheduleTime": T1, "lastSuccessfulTime": T2}, HEALTHY),
    ],
)
def test_a_cron_job_is_degraded_only_when_its_last_run_ended_badly(
    spec: Fields, status: Fields | None, expected: HealthCode
) -> None:
    value = obj("CronJob", "nightly", api="batch/v1", spec=spec)
    assert code(value if status is None else {**value, "status": status}) is expected


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], PROGRESSING),
        ([("True", "SufficientPods")], HEALTHY),
        ([("False", "InsufficientPods")], HEALTHY),
        ([("False", "SyncFailed")], DEGRADED),
    ],
)
def test_a_disruption_budget_is_degraded_by_anything_but_too_few_pods(
    conditions: list[tuple[str, str]], expected: HealthCode
) -> None:
    found = [{"type": "DisruptionAllowed", "status": status, "reason": reason} for status, reason in conditions]
    assert code(obj("PodDisruptionBudget", "web", api="policy/v1", status={"conditions": found})) is expected


SOURCE = {"repoURL": "https://git.example.com/child.git", "path": "."}
DESTINATION = {"server": "https://kubernetes.default.svc", "namespace": "shop"}
COMPARED = {"source": SOURCE, "destination": DESTINATION}


def child(status: Fields, **rest: Any) -> Object:
    return application_object(
        "child", source=rest.pop("source", SOURCE), destination=DESTINATION, status=status, **rest
    )


def synced(sync: str = "Synced", health: str = "Healthy", **rest: Any) -> Fields:
    return {"sync": {"status": sync, "comparedTo": COMPARED}, "health": {"status": health}, **rest}


def state(phase: str) -> Fields:
    return {"operationState": {"operation": {}, "phase": phase, "startedAt": T1, "message": "it says"}}


AUTOMATED: Fields = {"syncPolicy": {"automated": {}}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (child({}), PROGRESSING),
        (child(synced()), HEALTHY),
        (child(synced(), source={**SOURCE, "targetRevision": "v2"}), PROGRESSING),
        (child(synced(), source={**SOURCE, "directory": None}), HEALTHY),
        (child(synced(), operation={"sync": {}}), PROGRESSING),
        (child(synced(**state("Running"))), PROGRESSING),
        (child(synced(**state("Succeeded"))), HEALTHY),
        (child(synced(health="Degraded")), DEGRADED),
        (child(synced(health="Suspended")), SUSPENDED),
        (child(synced(health="Missing")), MISSING),
        (child(synced(health="")), PROGRESSING),
        (child(synced("OutOfSync"), **AUTOMATED), PROGRESSING),
        (child(synced("OutOfSync", **state("Failed")), **AUTOMATED), DEGRADED),
        (child(synced("OutOfSync")), HEALTHY),
        (child(synced("Unknown")), PROGRESSING),
    ],
)
def test_a_child_app_is_healthy_once_this_spec_was_compared_synced_and_found_healthy(
    value: Object, expected: HealthCode
) -> None:
    assert code(value) is expected


def test_a_child_app_tells_what_ails_the_first_object_that_makes_it_so() -> None:
    rows = [
        {"kind": "Service", "name": "web", "health": {"status": "Healthy", "message": "fine"}},
        {"kind": "Deployment", "name": "web", "health": {"status": "Degraded", "message": "no image"}},
    ]
    status = synced(health="Degraded", resources=rows)
    status["health"]["message"] = "Caused by apps/Deployment:shop/web"
    found = [assess(child(status)), assess(child({**status, "resources": []}))]
    assert [one and one.message for one in found] == ["Deployment/web: no image", "Caused by apps/Deployment:shop/web"]
