"""An unhealthy object's message goes down to the pod and container; its status stays."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.health import checkup
from syncline.core.health.assess import assess
from syncline.core.health.family import OwnedObjects
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import NOW, obj

Fields = dict[str, Any]
WAITS = "Waiting for rollout to finish: 0 of 1 updated replicas are available..."


def owned(kind: str, name: str, owner: Object | None, *, api: str = "v1", **rest: Any) -> Object:
    found = obj(kind, name, api=api, **rest)
    found["metadata"]["uid"] = f"uid-{name}"
    if owner:
        above = owner["metadata"]
        reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": above["name"]}
        found["metadata"]["ownerReferences"] = [reference | ({"uid": above["uid"]} if "uid" in above else {})]
    return found


def deployment() -> Object:
    status = {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 0}
    found = owned("Deployment", "web", None, api="apps/v1", spec={"replicas": 1}, status=status)
    found["metadata"]["generation"] = 1
    return found


def replica_set(owner: Object, name: str = "web-6b6c", revision: int = 1, **rest: Any) -> Object:
    annotations = {"deployment.kubernetes.io/revision": str(revision)}
    return owned("ReplicaSet", name, owner, api="apps/v1", annotations=annotations, **rest)


def pod(owner: Object | None, status: Fields, name: str = "web-6b6c-h4scq") -> Object:
    return owned("Pod", name, owner, status={"phase": "Pending", **status})


def waiting(reason: str, message: str = "", name: str = "web") -> Fields:
    return {"name": name, "state": {"waiting": {"reason": reason, "message": message}}}


def first(*objects: Object) -> Health:
    health = checkup.of_files(objects, Settings()).shown(objects[0])
    assert health is not None
    return health


T1, T2 = "2026-03-01T08:00:00Z", "2026-03-01T08:10:00Z"
AVAILABLE_0 = Evidence(kind=EvidenceKind.FIELD, text="0", path="status.availableReplicas")
PULL = {"containerStatuses": [waiting("ImagePullBackOff", 'Back-off pulling image "shop/web:9"')]}


def test_the_message_names_pod_container_and_reason_and_the_status_stays() -> None:
    web = deployment()
    replicas = replica_set(web)
    failing = pod(replicas, PULL)
    evidence = Evidence(
        kind=EvidenceKind.FIELD,
        text="ImagePullBackOff",
        subject=key_of(failing),
        path="status.containerStatuses[0].state.waiting",
    )
    assert first(web, replicas, failing) == Health(
        HealthCode.PROGRESSING,
        'web-6b6c-h4scq: container web: ImagePullBackOff: Back-off pulling image "shop/web:9"',
        "ImagePullBackOff",
        (evidence, AVAILABLE_0, Evidence(kind=EvidenceKind.MESSAGE, text=WAITS)),
    )


@pytest.mark.parametrize(
    ("own", "pod_status", "since"),
    [
        ([], {"containerStatuses": [waiting("ErrImagePull")], "startTime": T1}, T1),
        ([{"type": "Available", "status": "False", "lastTransitionTime": T2}], {**PULL, "startTime": T1}, T2),
        ([], {"conditions": [{"type": "PodScheduled", "status": "False", "lastTransitionTime": T1}]}, T1),
        ([], PULL, ""),
    ],
)
def test_since_is_what_the_object_tells_or_else_what_the_cause_below_tells(
    own: list[Fields], pod_status: Fields, since: str
) -> None:
    web = deployment()
    web["status"]["conditions"] = own
    replicas = replica_set(web)
    assert first(web, replicas, pod(replicas, pod_status)).since == since


UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes fit"}
CRASHED = {"name": "web", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (
            {"initContainerStatuses": [waiting("CrashLoopBackOff", "back-off 40s", "migrate")]},
            "p: init container migrate: CrashLoopBackOff: back-off 40s",
        ),
        (
            {"containerStatuses": [{"name": "web", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]},
            "p: container web: Error",
        ),
        (
            {"containerStatuses": [CRASHED | {"lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]},
            "p: container web: CrashLoopBackOff: back-off 5m0s (last exit code 137, OOMKilled)",
        ),
        ({"conditions": [UNSCHEDULABLE]}, "p: Unschedulable: 0/3 nodes fit"),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory"},
            "p: Evicted: The node was low on resource: memory",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    {"name": "web", "ready": False, "restartCount": 2, "state": {"running": {"startedAt": NOW}}}
                ],
            },
            "p: container web: NotReady: running but not ready, restarted 2 times",
        ),
        (
            {"containerStatuses": [waiting("CreateContainerConfigError", 'secret "db" not found')]},
            'p: container web: CreateContainerConfigError: secret "db" not found',
        ),
        ({"containerStatuses": [waiting("ContainerCreating")]}, WAITS),
        ({"initContainerStatuses": [waiting("PodInitializing")]}, WAITS),
    ],
)
def test_what_holds_a_pod_up_is_said_and_mere_starting_is_not(status: Fields, message: str) -> None:
    web = deployment()
    replicas = replica_set(web)
    health = first(web, replicas, pod(replicas, status, "p"))
    assert (health.status, health.message) == (HealthCode.PROGRESSING, message)


def test_the_newest_replica_set_is_asked_before_older_ones() -> None:
    web = deployment()
    old, new = replica_set(web, "web-old", 9), replica_set(web, "web-new", 10)
    stuck = {"containerStatuses": [waiting("CrashLoopBackOff")]}
    health = first(web, old, new, pod(old, stuck, "web-old-1"), pod(new, PULL, "web-new-1"))
    assert health.reason == "ImagePullBackOff"
    assert first(web, old, new, pod(old, stuck, "web-old-1")).reason == "CrashLoopBackOff"


def test_a_replica_set_that_may_not_create_pods_is_the_cause() -> None:
    web = deployment()
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: small"}
    replicas = replica_set(web, status={"conditions": [failure]})
    assert first(web, replicas).message == "web-6b6c: FailedCreate: exceeded quota: small"


def test_other_pods_with_the_same_trouble_are_counted() -> None:
    web = deployment()
    replicas = replica_set(web)
    pods = [pod(replicas, PULL, f"web-{number}") for number in range(3)]
    assert first(web, replicas, *pods).message.endswith('"shop/web:9" (and 2 more pods)')


def test_a_container_that_fails_goes_before_a_pod_without_a_node() -> None:
    web = deployment()
    replicas = replica_set(web)
    homeless = pod(replicas, {"conditions": [UNSCHEDULABLE]}, "web-1")
    assert first(web, replicas, homeless, pod(replicas, PULL, "web-2")).reason == "ImagePullBackOff"


def test_custom_owners_are_descended_from_over_any_depth() -> None:
    ready = {"conditions": [{"type": "Ready", "status": "False", "reason": "NotReady", "message": "0/1"}]}
    service = owned("Service", "model", None, api="serving.knative.dev/v1", status=ready)
    revision = owned("Revision", "model-1", service, api="serving.knative.dev/v1")
    middle = owned("Deployment", "model-1-d", revision, api="apps/v1")
    replicas = replica_set(middle, "model-1-d-x")
    health = first(service, revision, middle, replicas, pod(replicas, PULL, "model-p"))
    assert (health.status, health.reason) == (HealthCode.DEGRADED, "ImagePullBackOff")
    assert [one.path for one in health.evidence] == [
        "status.containerStatuses[0].state.waiting",
        "status.conditions[0]",
        "",
    ]


def test_a_healthy_object_does_not_descend() -> None:
    web = deployment()
    web["status"]["availableReplicas"] = 1
    replicas = replica_set(web)
    assert first(web, replicas, pod(replicas, PULL)) == assess(web)


def test_owners_without_a_uid_are_joined_by_kind_name_and_namespace() -> None:
    above, below = obj("ReplicaSet", "web", api="apps/v1"), obj("Pod", "web-1")
    elsewhere = obj("Pod", "web-1", namespace="other")
    for child in (below, elsewhere):
        child["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}]
    assert list(OwnedObjects([above, below, elsewhere]).below(above)) == [below]


def test_owners_in_a_circle_are_walked_once() -> None:
    one, two = owned("Widget", "one", None), owned("Widget", "two", None)
    one["metadata"]["ownerReferences"] = [{"uid": "uid-two", "kind": "Widget", "name": "two"}]
    two["metadata"]["ownerReferences"] = [{"uid": "uid-one", "kind": "Widget", "name": "one"}]
    assert list(OwnedObjects([one, two]).below(one)) == [two]


LATE = obj("StorageClass", "late", api="storage.k8s.io/v1", namespace="") | {
    "volumeBindingMode": "WaitForFirstConsumer"
}
AT_ONCE = obj("StorageClass", "at-once", api="storage.k8s.io/v1", namespace="") | {"volumeBindingMode": "Immediate"}
DEFAULT = {**LATE, "metadata": {"name": "late", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}}


def failure(message: str, time: str = NOW) -> Object:
    about = {"kind": "PersistentVolumeClaim", "namespace": "shop", "name": "data"}
    return obj("Event", "data.1") | {
        "involvedObject": about,
        "reason": "ProvisioningFailed",
        "message": message,
        "lastTimestamp": time,
    }


def claim(storage_class: str | None = "late", phase: str = "Pending", **rest: Any) -> Object:
    spec = {} if storage_class is None else {"storageClassName": storage_class}
    return obj("PersistentVolumeClaim", "data", spec=spec, status={"phase": phase}, **rest)


@pytest.mark.parametrize(
    ("subject", "others", "code", "message"),
    [
        (claim(), [LATE], HealthCode.HEALTHY, "awaiting first consumer"),
        (claim(None), [DEFAULT], HealthCode.HEALTHY, "awaiting first consumer"),
        (claim(None), [LATE], HealthCode.PROGRESSING, "waiting to be bound"),
        (claim(""), [DEFAULT], HealthCode.PROGRESSING, "waiting to be bound"),
        (claim("at-once"), [AT_ONCE, LATE], HealthCode.PROGRESSING, "waiting to be bound"),
        (claim("unheard-of"), [LATE], HealthCode.PROGRESSING, "waiting to be bound"),
        (claim(), [LATE, failure("quota exceeded")], HealthCode.DEGRADED, "quota exceeded"),
        (claim("at-once"), [AT_ONCE, failure("no disk")], HealthCode.DEGRADED, "no disk"),
        (
            claim(),
            [LATE, failure("newer", "2026-03-01T09:00:00Z"), failure("older", "2026-03-01T08:00:00Z")],
            HealthCode.DEGRADED,
            "newer",
        ),
        (
            claim(annotations={"volume.kubernetes.io/selected-node": "n1"}),
            [LATE],
            HealthCode.PROGRESSING,
            "waiting for a volume to be provisioned for node n1",
        ),
        (claim(phase="Bound"), [LATE, failure("long ago")], HealthCode.HEALTHY, ""),
        (claim(phase="Lost"), [LATE], HealthCode.DEGRADED, "the volume behind the claim is lost"),
    ],
)
def test_a_pending_claim_is_judged_by_its_class_and_its_failures(
    subject: Object, others: list[Object], code: HealthCode, message: str
) -> None:
    health = first(subject, *others)
    assert (health.status, health.message) == (code, message)


def test_with_compat_argocd_every_pending_claim_is_progressing() -> None:
    objects = [claim(), LATE, failure("quota exceeded")]
    health = checkup.of_files(objects, Settings(compat=Compat.ARGOCD)).shown(objects[0])
    assert health is not None
    assert health.status is HealthCode.PROGRESSING
