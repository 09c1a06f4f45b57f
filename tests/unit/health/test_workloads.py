"""Health of Deployments, StatefulSets, DaemonSets and ReplicaSets."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.health.assess import assess
from syncline.model.health import HealthCode
from tests.support.objects import obj

HEALTHY, PROGRESSING, DEGRADED = HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.DEGRADED
SUSPENDED, UNKNOWN = HealthCode.SUSPENDED, HealthCode.UNKNOWN

Fields = dict[str, Any]


def workload(kind: str, spec: Fields, status: Fields, *, generation: int = 2, version: str = "v1") -> Object:
    found = obj(kind, "web", api=f"apps/{version}", spec=spec, status={"observedGeneration": 2, **status})
    found["metadata"]["generation"] = generation
    return found


def code(value: Object) -> HealthCode:
    health = assess(value)
    assert health is not None
    return health.status


DONE = {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 3}
LATE = {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"replicas": 3}, DONE, HEALTHY),
        ({"replicas": 3, "paused": True}, {**DONE, **LATE}, SUSPENDED),
        ({"replicas": 3}, {**DONE, "observedGeneration": 1, **LATE}, PROGRESSING),
        ({"replicas": 3}, {**DONE, **LATE}, DEGRADED),
        ({"replicas": 3}, {**DONE, "updatedReplicas": 2}, PROGRESSING),
        ({"replicas": 3}, {**DONE, "replicas": 4}, PROGRESSING),
        ({"replicas": 3}, {**DONE, "availableReplicas": 2}, PROGRESSING),
        ({"replicas": 0}, {}, HEALTHY),
        ({}, {}, HEALTHY),
    ],
)
def test_a_deployment_is_paused_observed_in_time_updated_clean_and_available_in_this_order(
    spec: Fields, status: Fields, expected: HealthCode
) -> None:
    assert code(workload("Deployment", spec, status)) is expected


ROLLING: Fields = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}, "replicas": 3}
SAME = {"updateRevision": "a", "currentRevision": "a"}
OTHER = {"updateRevision": "b", "currentRevision": "a"}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"replicas": 3}, {"readyReplicas": 3, **SAME}, HEALTHY),
        ({"replicas": 3}, {"readyReplicas": 3, "observedGeneration": 0, **SAME}, PROGRESSING),
        ({"replicas": 3}, {"readyReplicas": 3, "observedGeneration": 1, **SAME}, PROGRESSING),
        ({"replicas": 3}, {"readyReplicas": 2, **SAME}, PROGRESSING),
        (ROLLING, {"readyReplicas": 3, "updatedReplicas": 2, **OTHER}, HEALTHY),
        (ROLLING, {"readyReplicas": 3, "updatedReplicas": 1, **OTHER}, PROGRESSING),
        (
            {"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {}}},
            {"readyReplicas": 3, **OTHER},
            HEALTHY,
        ),
        (
            {"replicas": 3, "updateStrategy": {"type": "RollingUpdate"}},
            {"readyReplicas": 3, **OTHER},
            PROGRESSING,
        ),
        ({"replicas": 3, "updateStrategy": {"type": "OnDelete"}}, {"readyReplicas": 3, **OTHER}, HEALTHY),
        ({"replicas": 3, "updateStrategy": {"type": "OnDelete"}}, {"readyReplicas": 2, **OTHER}, PROGRESSING),
    ],
)
def test_a_stateful_set_is_observed_ready_and_rolled_out_down_to_its_partition(
    spec: Fields, status: Fields, expected: HealthCode
) -> None:
    assert code(workload("StatefulSet", spec, status)) is expected


ALL = {"desiredNumberScheduled": 3, "updatedNumberScheduled": 3, "numberAvailable": 3}


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({}, ALL, HEALTHY),
        ({}, {**ALL, "observedGeneration": 1}, PROGRESSING),
        ({}, {**ALL, "updatedNumberScheduled": 2}, PROGRESSING),
        ({}, {**ALL, "numberAvailable": 2}, PROGRESSING),
        ({"updateStrategy": {"type": "OnDelete"}}, {**ALL, "updatedNumberScheduled": 0}, HEALTHY),
        ({"updateStrategy": {"type": "OnDelete"}}, {**ALL, "observedGeneration": 1}, PROGRESSING),
    ],
)
def test_a_daemon_set_is_observed_updated_and_available_on_every_node(
    spec: Fields, status: Fields, expected: HealthCode
) -> None:
    assert code(workload("DaemonSet", spec, status)) is expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"availableReplicas": 3}, HEALTHY),
        ({"availableReplicas": 3, "observedGeneration": 1}, PROGRESSING),
        ({"availableReplicas": 2}, PROGRESSING),
        ({"availableReplicas": 3, "conditions": [{"type": "ReplicaFailure", "status": "True"}]}, DEGRADED),
        ({"availableReplicas": 3, "conditions": [{"type": "ReplicaFailure", "status": "False"}]}, HEALTHY),
    ],
)
def test_a_replica_set_is_observed_without_failure_and_available(status: Fields, expected: HealthCode) -> None:
    assert code(workload("ReplicaSet", {"replicas": 3}, status)) is expected


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"])
def test_workloads_in_another_version_than_apps_v1_are_unknown(kind: str) -> None:
    assert code(workload(kind, {"replicas": 0}, {}, version="v1beta2")) is UNKNOWN
