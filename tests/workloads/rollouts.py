"""Stories of Deployments and ReplicaSets."""

from __future__ import annotations

from typing import Any

from tests.workloads.objects import UNREADY, deployment, pod, replica_set, service
from tests.workloads.steps import (
    Json,
    Look,
    Pause,
    Send,
    Step,
    Story,
    apply,
    create,
    delete,
    gone,
    merge,
    number,
    until,
)

_SEEN = ("deployments", "replicasets", "pods")
_ONE_BY_ONE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


def _story(name: str, *steps: Step, looks_at: tuple[str, ...] = _SEEN, **rest: Any) -> Story:
    return Story(f"deployment-{name}", steps, looks_at, **rest)


def _available(count: int, name: str = "web") -> Step:
    return until(f"deployments/{name}", "status.availableReplicas", count)


def _done(replicas: int, revision: int, name: str = "web") -> tuple[Step, ...]:
    """Wait until a rollout is over: everything new, nothing old."""
    return (
        until(f"deployments/{name}", "metadata.annotations.deployment~kubernetes~io/revision", str(revision)),
        until(f"deployments/{name}", "status.updatedReplicas", replicas),
        until(f"deployments/{name}", "status.replicas", replicas),
        until(f"deployments/{name}", "status.availableReplicas", replicas),
        until(f"deployments/{name}", "status.conditions[Progressing].reason", "NewReplicaSetAvailable"),
    )


def _image(image: str) -> Json:
    return {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}}


def _env(value: Any) -> Json:
    return deployment(replicas=1, container={"env": value})


STORIES = (
    _story("create", create(deployment(replicas=3)), *_done(3, 1)),
    _story("create-empty", create(deployment(replicas=0)), until("deployments/web", "status.observedGeneration", 1)),
    _story(
        "scale-up-and-down",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", {"spec": {"replicas": 3}}),
        *_done(3, 1),
        Look("up"),
        merge("deployments/web", {"spec": {"replicas": 1}}),
        number("pods", 1),
    ),
    _story(
        "scale-to-nothing",
        create(deployment(replicas=2)),
        *_done(2, 1),
        merge("deployments/web", {"spec": {"replicas": 0}}),
        number("pods", 0),
    ),
    _story(
        "rolling-update-one-by-one",
        create(deployment(replicas=2, strategy=_ONE_BY_ONE)),
        *_done(2, 1),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(2, 2),
        number("pods", 2),
    ),
    _story(
        "rolling-update-of-one",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(1, 2),
        number("pods", 1),
    ),
    _story(
        "recreate",
        create(deployment(replicas=2, strategy={"type": "Recreate"})),
        *_done(2, 1),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(2, 2),
        number("pods", 2),
        ordered=True,
    ),
    _story(
        "update-that-gets-stuck",
        create(deployment(replicas=2, strategy=_ONE_BY_ONE, progressDeadlineSeconds=4)),
        *_done(2, 1),
        merge("deployments/web", _image(UNREADY)),
        until("deployments/web", "status.conditions[Progressing].reason", "ProgressDeadlineExceeded"),
        Look("stuck"),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(2, 3),
        number("pods", 2),
    ),
    _story(
        "never-ready",
        create(deployment(replicas=1, image=UNREADY, progressDeadlineSeconds=3)),
        until("deployments/web", "status.conditions[Progressing].reason", "ProgressDeadlineExceeded"),
    ),
    _story(
        "paused",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", {"spec": {"paused": True}}),
        until("deployments/web", "status.conditions[Progressing].reason", "DeploymentPaused"),
        Look("paused"),
        merge("deployments/web", _image("example.com/web:2")),
        until("deployments/web", "status.observedGeneration", 3),
        Look("changed"),
        merge("deployments/web", {"spec": {"replicas": 2}}),
        _available(2),
        Look("scaled"),
        merge("deployments/web", {"spec": {"paused": False}}),
        *_done(2, 2),
        number("pods", 2),
    ),
    _story(
        "created-paused",
        create(deployment(replicas=2, paused=True)),
        until("deployments/web", "status.conditions[Progressing].reason", "DeploymentPaused"),
    ),
    _story(
        "rollback",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(1, 2),
        number("pods", 1),
        merge("deployments/web", _image("example.com/web:1")),
        *_done(1, 3),
        number("pods", 1),
    ),
    _story(
        "history-limit",
        create(deployment(replicas=1, revisionHistoryLimit=1)),
        *_done(1, 1),
        merge("deployments/web", _image("example.com/web:2")),
        *_done(1, 2),
        merge("deployments/web", _image("example.com/web:3")),
        *_done(1, 3),
        number("replicasets", 2),
        number("pods", 1),
    ),
    _story(
        "minimum-ready-seconds",
        create(deployment(replicas=1, minReadySeconds=5)),
        until("deployments/web", "status.readyReplicas", 1),
        Look("ready"),
        *_done(1, 1),
    ),
    _story(
        "annotation-alone",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", {"metadata": {"annotations": {"note": "new"}}}),
        Pause(1),
    ),
    _story(
        "label-of-template",
        create(deployment(replicas=1)),
        *_done(1, 1),
        merge("deployments/web", {"spec": {"template": {"metadata": {"annotations": {"restartedAt": "now"}}}}}),
        *_done(1, 2),
        number("pods", 1),
    ),
    _story(
        "pod-deleted",
        create(deployment(replicas=1)),
        *_done(1, 1),
        Send("DELETE", "pods", {"gracePeriodSeconds": 0}),
        Pause(1),
        _available(1),
        number("pods", 1),
    ),
    _story(
        "replica-set-deleted",
        create(deployment(replicas=1)),
        *_done(1, 1),
        Send("DELETE", "replicasets", {"propagationPolicy": "Background"}),
        Pause(2),
        _available(1),
        number("pods", 1),
    ),
    _story("env-with-empty-value", apply(_env([{"name": "X", "value": ""}])), *_done(1, 1)),
    _story("env-that-is-empty", apply(_env([])), *_done(1, 1)),
    _story(
        "empty-lists-and-maps",
        apply(
            deployment(
                replicas=1,
                container={"args": [], "command": [], "resources": {"limits": {}, "requests": {}}, "ports": []},
                pod={
                    "nodeSelector": {},
                    "tolerations": [],
                    "volumes": [],
                    "imagePullSecrets": [],
                    "securityContext": {},
                },
            )
        ),
        *_done(1, 1),
    ),
    _story(
        "applied-again",
        apply(deployment(replicas=1)),
        *_done(1, 1),
        apply(deployment(replicas=1)),
        apply(_env([])),
        Pause(2),
        Look("empty"),
        apply(_env([{"name": "X", "value": ""}])),
        *_done(1, 2),
        number("pods", 1),
    ),
    _story(
        "unschedulable",
        create(deployment(replicas=1, pod={"nodeSelector": {"disk": "tape"}}, progressDeadlineSeconds=4)),
        until("deployments/web", "status.conditions[Progressing].reason", "ProgressDeadlineExceeded"),
    ),
    _story(
        "without-account",
        create(deployment(replicas=1, pod={"serviceAccountName": "absent"})),
        until("deployments/web", "status.conditions[ReplicaFailure].status", "True"),
    ),
    _story(
        "deleted-in-background",
        create(deployment(replicas=2)),
        *_done(2, 1),
        delete("deployments/web"),
        gone("deployments/web"),
        number("replicasets", 0),
        number("pods", 0),
    ),
    _story(
        "deleted-in-foreground",
        create(deployment(replicas=2)),
        *_done(2, 1),
        delete("deployments/web", "Foreground"),
        gone("deployments/web"),
        number("replicasets", 0),
        number("pods", 0),
    ),
    _story(
        "orphaned-and-adopted",
        create(deployment(replicas=1)),
        *_done(1, 1),
        delete("deployments/web", "Orphan"),
        gone("deployments/web"),
        Look("orphaned"),
        create(deployment(replicas=1)),
        until("deployments/web", "status.availableReplicas", 1),
        until("deployments/web", "status.conditions[Progressing].reason", "NewReplicaSetAvailable"),
    ),
    Story(
        "replicaset-create-and-scale",
        (
            create(replica_set(replicas=2)),
            until("replicasets/set", "status.availableReplicas", 2),
            Look("two"),
            merge("replicasets/set", {"spec": {"replicas": 1}}),
            number("pods", 1),
        ),
        ("replicasets", "pods"),
    ),
    Story(
        "replicaset-adopts-pods",
        (
            create(pod("alone", {"app": "set"})),
            until("pods/alone", "status.phase", "Running"),
            create(replica_set(replicas=2)),
            until("replicasets/set", "status.availableReplicas", 2),
        ),
        ("replicasets", "pods"),
    ),
    Story(
        "replicaset-releases-pods",
        (
            create(replica_set(replicas=1)),
            until("replicasets/set", "status.availableReplicas", 1),
            create(pod("other", {"app": "set"})),
            number("pods", 1),
        ),
        ("replicasets", "pods"),
        events=False,  # whether the pod is scheduled before it is deleted is chance
    ),
    Story(
        "replicaset-orphans-pods",
        (
            create(replica_set(replicas=1)),
            until("replicasets/set", "status.availableReplicas", 1),
            delete("replicasets/set", "Orphan"),
            gone("replicasets/set"),
        ),
        ("replicasets", "pods"),
    ),
    Story(
        "replicaset-lets-go-of-relabelled-pod",
        (
            create(pod("alone", {"app": "set"})),
            create(replica_set(replicas=1)),
            until("replicasets/set", "status.availableReplicas", 1),
            merge("pods/alone", {"metadata": {"labels": {"app": "else"}}}),
            number("pods", 2),
            until("replicasets/set", "status.availableReplicas", 1),
        ),
        ("replicasets", "pods"),
    ),
    Story(
        "service-gets-endpoint-slices",
        (
            create(service()),
            create(deployment(replicas=2)),
            _available(2),
            Look("two"),
            merge("deployments/web", {"spec": {"replicas": 0}}),
            number("pods", 0),
        ),
        ("services", "endpointslices"),
    ),
    Story(
        "service-of-unready-pods",
        (
            create(service(ports=[{"name": "http", "port": 80, "targetPort": 8080}, {"name": "grpc", "port": 90}])),
            create(deployment(replicas=1, image=UNREADY)),
            until("deployments/web", "status.replicas", 1),
            until("replicasets", "", 1),
            Pause(2),
        ),
        ("services", "endpointslices"),
    ),
    Story(
        "service-headless",
        (create(service(clusterIP="None")), create(deployment(replicas=1)), _available(1)),
        ("services", "endpointslices"),
    ),
    Story(
        "service-without-pods",
        (create(service()), Pause(1)),
        ("services", "endpointslices"),
    ),
)
