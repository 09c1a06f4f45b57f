"""Stories of StatefulSets and DaemonSets."""

from __future__ import annotations

from typing import Any

from tests.workloads.objects import UNREADY, claim, daemon_set, stateful_set, volume
from tests.workloads.steps import Json, Look, Pause, Send, Step, Story, create, delete, gone, merge, number, until

_NEW: Json = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "example.com/web:2"}]}}}}


def _stateful(name: str, *steps: Step, looks_at: tuple[str, ...] = (), **rest: Any) -> Story:
    seen = ("statefulsets", "controllerrevisions", "pods", *looks_at)
    return Story(f"statefulset-{name}", steps, seen, ordered=rest.pop("ordered", True), **rest)


def _daemon(name: str, *steps: Step, **rest: Any) -> Story:
    return Story(f"daemonset-{name}", steps, ("daemonsets", "controllerrevisions", "pods"), **rest)


def _ready(count: int) -> Step:
    return until("statefulsets/db", "status.availableReplicas", count)


def _updated(count: int) -> tuple[Step, ...]:
    return (until("statefulsets/db", "status.updatedReplicas", count), _ready(count))


def _running(count: int) -> Step:
    return until("daemonsets/agent", "status.numberAvailable", count)


STORIES = (
    _stateful("ordered", create(stateful_set(replicas=3)), _ready(3)),
    _stateful(
        "parallel",
        create(stateful_set(replicas=3, podManagementPolicy="Parallel")),
        _ready(3),
        ordered=False,
        events=False,
    ),
    _stateful(
        "first-never-ready",
        create(stateful_set(replicas=2, image=UNREADY)),
        until("statefulsets/db", "status.replicas", 1),
        Pause(2),
    ),
    _stateful(
        "scale",
        create(stateful_set(replicas=1)),
        _ready(1),
        merge("statefulsets/db", {"spec": {"replicas": 3}}),
        _ready(3),
        Look("three"),
        merge("statefulsets/db", {"spec": {"replicas": 1}}),
        number("pods", 1),
    ),
    _stateful(
        "rolling-update",
        create(stateful_set(replicas=2)),
        _ready(2),
        merge("statefulsets/db", _NEW),
        until("statefulsets/db", "status.observedGeneration", 2),
        *_updated(2),
        until("statefulsets/db", "status.currentReplicas", 2),
    ),
    _stateful(
        "partition",
        create(stateful_set(replicas=3, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 2}})),
        _ready(3),
        merge("statefulsets/db", _NEW),
        until("statefulsets/db", "status.updatedReplicas", 1),
        _ready(3),
        Look("partly"),
        merge("statefulsets/db", {"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}}),
        *_updated(3),
        until("statefulsets/db", "status.currentReplicas", 3),
    ),
    _stateful(
        "on-delete",
        create(stateful_set(replicas=2, updateStrategy={"type": "OnDelete"})),
        _ready(2),
        merge("statefulsets/db", _NEW),
        until("statefulsets/db", "status.observedGeneration", 2),
        Look("waiting"),
        Send("DELETE", "pods/db-1", {"gracePeriodSeconds": 0}),
        until("statefulsets/db", "status.updatedReplicas", 1),
        _ready(2),
    ),
    _stateful(
        "back-to-former",
        create(stateful_set(replicas=1)),
        _ready(1),
        merge("statefulsets/db", _NEW),
        until("statefulsets/db", "status.observedGeneration", 2),
        *_updated(1),
        until("statefulsets/db", "status.currentReplicas", 1),
        merge("statefulsets/db", stateful_set(replicas=1)),
        until("statefulsets/db", "status.observedGeneration", 3),
        *_updated(1),
        until("statefulsets/db", "status.currentReplicas", 1),
    ),
    _stateful(
        "start-ordinal",
        create(stateful_set(replicas=2, ordinals={"start": 5})),
        _ready(2),
    ),
    _stateful(
        "pod-deleted",
        create(stateful_set(replicas=2)),
        _ready(2),
        Send("DELETE", "pods/db-0", {"gracePeriodSeconds": 0}),
        Pause(2),
        _ready(2),
    ),
    _stateful(
        "claims",
        create(volume("trial-one", claimRef={"namespace": "trial", "name": "data-db-0"})),
        create(volume("trial-two", claimRef={"namespace": "trial", "name": "data-db-1"})),
        create(
            stateful_set(replicas=2, volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": claim()["spec"]}])
        ),
        _ready(2),
        Look("two"),
        merge("statefulsets/db", {"spec": {"replicas": 1}}),
        number("pods", 1),
        looks_at=("persistentvolumeclaims",),
        events=False,  # whether a pod or its claim is seen first is chance
        cluster_wide=("persistentvolumes/trial-one", "persistentvolumes/trial-two"),
    ),
    _stateful(
        "claims-deleted-with-it",
        create(volume("trial-one", claimRef={"namespace": "trial", "name": "data-db-0"})),
        create(
            stateful_set(
                replicas=1,
                persistentVolumeClaimRetentionPolicy={"whenDeleted": "Delete", "whenScaled": "Retain"},
                volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": claim()["spec"]}],
            )
        ),
        _ready(1),
        Look("one"),
        delete("statefulsets/db"),
        gone("statefulsets/db"),
        number("pods", 0),
        number("persistentvolumeclaims", 0),
        looks_at=("persistentvolumeclaims",),
        events=False,  # whether a pod or its claim is seen first is chance
        cluster_wide=("persistentvolumes/trial-one",),
    ),
    _stateful(
        "deleted",
        create(stateful_set(replicas=2)),
        _ready(2),
        delete("statefulsets/db"),
        gone("statefulsets/db"),
        number("pods", 0),
        ordered=False,
    ),
    _stateful(
        "orphaned-and-adopted",
        create(stateful_set(replicas=1)),
        _ready(1),
        delete("statefulsets/db", "Orphan"),
        gone("statefulsets/db"),
        Look("orphaned"),
        create(stateful_set(replicas=1)),
        _ready(1),
    ),
    _daemon("everywhere", create(daemon_set()), _running(3)),
    _daemon("by-selector", create(daemon_set(pod={"nodeSelector": {"disk": "ssd"}})), _running(2)),
    _daemon(
        "nowhere",
        create(daemon_set(pod={"nodeSelector": {"disk": "tape"}})),
        until("daemonsets/agent", "status.observedGeneration", 1),
    ),
    _daemon(
        "selector-changed",
        create(daemon_set(pod={"nodeSelector": {"zone": "a"}})),
        _running(1),
        merge("daemonsets/agent", {"spec": {"template": {"spec": {"nodeSelector": {"zone": "b"}}}}}),
        until("daemonsets/agent", "status.observedGeneration", 2),
        until("daemonsets/agent", "status.updatedNumberScheduled", 1),
        _running(1),
        number("pods", 1),
    ),
    _daemon(
        "rolling-update",
        create(daemon_set()),
        _running(3),
        merge("daemonsets/agent", _NEW),
        until("daemonsets/agent", "status.observedGeneration", 2),
        until("daemonsets/agent", "status.updatedNumberScheduled", 3),
        _running(3),
    ),
    _daemon(
        "on-delete",
        create(daemon_set(updateStrategy={"type": "OnDelete"}, pod={"nodeSelector": {"zone": "a"}})),
        _running(1),
        merge("daemonsets/agent", _NEW),
        until("daemonsets/agent", "status.observedGeneration", 2),
        Look("waiting"),
        Send("DELETE", "pods", {"gracePeriodSeconds": 0}),
        until("daemonsets/agent", "status.updatedNumberScheduled", 1),
        _running(1),
    ),
    _daemon(
        "never-ready",
        create(daemon_set(image=UNREADY)),
        until("daemonsets/agent", "status.currentNumberScheduled", 3),
        until("daemonsets/agent", "status.observedGeneration", 1),
    ),
    _daemon(
        "deleted",
        create(daemon_set()),
        _running(3),
        delete("daemonsets/agent"),
        gone("daemonsets/agent"),
        number("pods", 0),
    ),
)
