"""Health of Pods and Jobs."""

from typing import Any

import pytest

from syncline.core.health.assess import assess
from syncline.model import names
from syncline.model.health import HealthCode
from tests.support.objects import obj

HEALTHY, PROGRESSING, DEGRADED = HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.DEGRADED
SUSPENDED, UNKNOWN = HealthCode.SUSPENDED, HealthCode.UNKNOWN
Fields = dict[str, Any]
IGNORE = {names.IGNORE_RESTART_POLICY: "true"}


def verdict(policy: str, status: Fields, **metadata: Any) -> tuple[HealthCode, str]:
    health = assess(obj("Pod", "web", spec={"restartPolicy": policy}, status=status, **metadata))
    assert health is not None
    return health.status, health.message


def waiting(reason: str, *, lists: str = "containerStatuses") -> Fields:
    return {"phase": "Pending", lists: [{"name": "web", "state": {"waiting": {"reason": reason, "message": "why"}}}]}


@pytest.mark.parametrize(
    "reason", ["ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff", "CreateContainerConfigError"]
)
def test_a_container_that_waits_for_an_error_degrades_a_pod_that_always_restarts(reason: str) -> None:
    assert verdict("Always", waiting(reason)) == (DEGRADED, "why")


@pytest.mark.parametrize("reason", ["ContainerCreating", "PodInitializing", ""])
def test_a_container_that_waits_for_its_turn_is_progressing(reason: str) -> None:
    assert verdict("Always", waiting(reason)) == (PROGRESSING, "")


def test_init_containers_do_not_degrade_a_pod() -> None:
    assert verdict("Always", waiting("CrashLoopBackOff", lists="initContainerStatuses")) == (PROGRESSING, "")


@pytest.mark.parametrize("policy", ["OnFailure", "Never"])
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [({}, PROGRESSING), (IGNORE, DEGRADED), ({**IGNORE, names.HOOK: "PreSync"}, PROGRESSING)],
)
def test_other_restart_policies_count_only_with_the_annotation_and_not_on_hooks(
    policy: str, annotations: dict[str, str], expected: HealthCode
) -> None:
    assert verdict(policy, waiting("ErrImagePull"), annotations=annotations)[0] is expected


def test_messages_of_several_failing_containers_are_joined() -> None:
    statuses = [
        {"name": name, "state": {"waiting": {"reason": "ErrImagePull", "message": f"no {name}"}}} for name in "ab"
    ]
    assert verdict("Always", {"phase": "Pending", "containerStatuses": statuses}) == (DEGRADED, "no a, no b")


READY = [{"type": "Ready", "status": "True"}]
CRASHED = [{"name": "web", "lastState": {"terminated": {"exitCode": 1}}}]


@pytest.mark.parametrize(
    ("policy", "status", "expected"),
    [
        ("Always", {"phase": "Running", "conditions": READY}, HEALTHY),
        ("Always", {"phase": "Running", "conditions": READY, "containerStatuses": CRASHED}, HEALTHY),
        ("Always", {"phase": "Running", "containerStatuses": CRASHED}, DEGRADED),
        ("Always", {"phase": "Running"}, PROGRESSING),
        ("OnFailure", {"phase": "Running", "conditions": READY}, PROGRESSING),
        ("Never", {"phase": "Running", "conditions": READY}, PROGRESSING),
        ("Always", {"phase": "Succeeded"}, HEALTHY),
        ("Always", {"phase": "Pending"}, PROGRESSING),
        ("Always", {"phase": "Unknown"}, UNKNOWN),
        ("Always", {}, UNKNOWN),
    ],
)
def test_a_pod_follows_its_phase(policy: str, status: Fields, expected: HealthCode) -> None:
    assert verdict(policy, status)[0] is expected


@pytest.mark.parametrize("policy", ["OnFailure", "Never"])
@pytest.mark.parametrize(
    ("status", "annotations", "expected"),
    [
        ({"phase": "Running", "conditions": READY}, IGNORE, HEALTHY),
        ({"phase": "Running", "containerStatuses": CRASHED}, IGNORE, DEGRADED),
        ({"phase": "Running"}, IGNORE, PROGRESSING),
        ({"phase": "Running", "conditions": READY}, {**IGNORE, names.HOOK: "PreSync"}, PROGRESSING),
        ({"phase": "Running", "conditions": READY}, {names.IGNORE_RESTART_POLICY: "false"}, PROGRESSING),
    ],
)
def test_a_running_pod_that_ignores_its_restart_policy_is_assessed_like_one_that_runs_for_ever(
    policy: str, status: Fields, annotations: dict[str, str], expected: HealthCode
) -> None:
    assert verdict(policy, status, annotations=annotations)[0] is expected


def ended(**terminated: Any) -> list[Fields]:
    return [{"name": "web", "state": {"terminated": terminated}}]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({"message": "evicted", "containerStatuses": ended(message="other")}, "evicted"),
        ({"containerStatuses": ended(message="disk full", exitCode=1)}, "disk full"),
        ({"containerStatuses": ended(reason="OOMKilled", exitCode=137)}, "OOMKilled"),
        ({"containerStatuses": ended(exitCode=3)}, 'container "web" failed with exit code 3'),
        ({"initContainerStatuses": ended(exitCode=4), "containerStatuses": ended(exitCode=3)},
         'container "web" failed with exit code 4'),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_failed_pod_says_why(status: Fields, message: str) -> None:
    assert verdict("Never", {"phase": "Failed", **status}) == (DEGRADED, message)


def condition(kind: str, status: str = "True") -> Fields:
    return {"type": kind, "status": status, "message": f"{kind} said"}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([], (PROGRESSING, "")),
        ([condition("SuccessCriteriaMet")], (PROGRESSING, "")),
        ([condition("Complete")], (HEALTHY, "Complete said")),
        ([condition("Failed")], (DEGRADED, "Failed said")),
        ([condition("Failed", "False")], (DEGRADED, "Failed said")),
        ([condition("Suspended")], (SUSPENDED, "Suspended said")),
        ([condition("Suspended", "False")], (HEALTHY, "")),
        ([condition("Suspended", "False"), condition("Complete")], (HEALTHY, "Complete said")),
    ],
)
def test_a_job_follows_the_types_of_its_conditions(conditions: list[Fields], expected: tuple[HealthCode, str]) -> None:
    health = assess(obj("Job", "migrate", api="batch/v1", status={"conditions": conditions}))
    assert health is not None
    assert (health.status, health.message) == expected
