"""The way from a workload to what holds it up, by owners, to the container where there is one."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.health.assess import assess
from syncline.verbs.blocking import chain


def workload(kind: str, name: str, **status: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", "uid": name, "generation": 1}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"replicas": 1}, "status": status}


def owned(obj: dict[str, Any], owner: dict[str, Any]) -> dict[str, Any]:
    reference = {"kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
    metadata = {**obj["metadata"], "ownerReferences": [{"apiVersion": owner["apiVersion"], **reference}]}
    return {**obj, "metadata": metadata}


def pod(name: str, **status: Any) -> dict[str, Any]:
    return {**workload("Pod", name, phase="Pending", **status), "apiVersion": "v1"}


def waiting(reason: str, message: str) -> list[dict[str, Any]]:
    return [{"name": "web", "state": {"waiting": {"reason": reason, "message": message}}}]


DEPLOYMENT = workload("Deployment", "web", observedGeneration=1, replicas=1, updatedReplicas=1, availableReplicas=0)
REPLICA_SET = owned(workload("ReplicaSet", "web-1", observedGeneration=1, replicas=1), DEPLOYMENT)
UNSCHEDULED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes fit"}


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (
            pod("web-1-a", containerStatuses=waiting("ImagePullBackOff", "Back-off pulling image web:2")),
            (
                "Deployment/web → ReplicaSet/web-1 → Pod/web-1-a → container web: "
                "ImagePullBackOff: Back-off pulling image web:2"
            ),
        ),
        (
            pod("web-1-a", initContainerStatuses=waiting("CreateContainerConfigError", 'secret "login" not found')),
            (
                "Deployment/web → ReplicaSet/web-1 → Pod/web-1-a → init container web: "
                'CreateContainerConfigError: secret "login" not found'
            ),
        ),
        (
            pod("web-1-a", conditions=[UNSCHEDULED]),
            "Deployment/web → ReplicaSet/web-1 → Pod/web-1-a: Unschedulable: 0/3 nodes fit",
        ),
        (pod("web-1-a", containerStatuses=waiting("ContainerCreating", "")), ""),
    ],
)
def test_a_deployment_leads_to_the_container_that_holds_it_up(one: dict[str, Any], expected: str) -> None:
    health = assess(DEPLOYMENT)
    assert health is not None
    assert chain(DEPLOYMENT, health, [REPLICA_SET, owned(one, REPLICA_SET)]) == expected


def test_a_pod_of_its_own_needs_no_way() -> None:
    alone = pod("job", containerStatuses=waiting("ErrImagePull", "not found"))
    health = assess(alone)
    assert health is not None
    assert chain(alone, health, []) == "Pod/job → container web: ErrImagePull: not found"


def test_pods_of_somebody_else_with_the_same_labels_are_not_to_blame() -> None:
    stray = pod("stray", containerStatuses=waiting("ErrImagePull", "not found"))
    health = assess(DEPLOYMENT)
    assert health is not None
    assert chain(DEPLOYMENT, health, [REPLICA_SET, stray]) == ""
