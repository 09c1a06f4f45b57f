"""Puts together the status of a pod from how its containers are played.

Called by `syncline.sandbox.controllers.kubelet.kubelet` after every step. Conditions keep their transition time while
their status stays the same.
"""

from __future__ import annotations

import hashlib
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.kubelet.containers import ContainerStage, Played, PlayedPod
from syncline.sandbox.controllers.kubelet.pulling import full_name
from syncline.sandbox.controllers.workloads import readiness

OVERDUE: Final = "Pod was active on the node longer than the specified deadline"


def build(pod: Object, run: PlayedPod, *, now: float, stamp: str, host: str) -> Object:
    """Return the status a pod should have."""
    before = pod.get("status") or {}
    init = [played for played in run.containers if played.init]
    main = [played for played in run.containers if not played.init]
    status: Object = {
        key: before[key] for key in ("qosClass", "startTime", "podIP", "podIPs", "nominatedNodeName") if key in before
    }
    status["phase"] = "Failed" if run.failure else _phase(init, main)
    if run.failure:
        status |= {"reason": run.failure, "message": OVERDUE}
    status["observedGeneration"] = pod["metadata"].get("generation", 1)
    status["hostIP"], status["hostIPs"] = host, [{"ip": host}]
    status.setdefault("startTime", stamp)
    if run.address:
        status["podIP"], status["podIPs"] = run.address, [{"ip": run.address}]
    status["containerStatuses"] = [_container(played, run, now) for played in main]
    if init:
        status["initContainerStatuses"] = [_container(played, run, now) for played in init]
    status["conditions"] = _conditions(pod, run, status["phase"], now, stamp)
    return status


def _phase(init: list[Played], main: list[Played]) -> str:
    if any(one.step is ContainerStage.ENDED and one.exit_code for one in init if not one.sidecar):
        return "Failed"
    if main and all(one.step is ContainerStage.ENDED for one in main):
        return "Failed" if any(one.exit_code for one in main) else "Succeeded"
    if any(one.started_at for one in main):
        return "Running"
    return "Pending"


def is_ready(played: Played, run: PlayedPod, now: float) -> bool:
    """Tell whether a container is ready to serve."""
    if run.unready and not played.init:
        return False
    return played.step is ContainerStage.RUNNING and played.ready_at <= now


def one_at_work(run: PlayedPod) -> Played | None:
    """Return the init container whose turn it is, None when all have been."""
    for one in run.containers:
        if one.init and not one.initialized:
            return one
    return None


def _container(played: Played, run: PlayedPod, now: float) -> Object:
    ended = played.step is ContainerStage.ENDED
    ready = played.succeeded if played.init and not played.sidecar else is_ready(played, run, now)
    running = played.step is ContainerStage.RUNNING
    waits = any(one.init for one in run.containers) and not (played.init and one_at_work(run) is played)
    digest = hashlib.sha256(played.image.encode()).hexdigest()
    status: Object = {
        "name": played.name,
        "state": played.last if ended and played.last is not None else _state(played, initialising=waits),
        "lastState": {} if ended or played.last is None else played.last,
        "ready": ready,
        "restartCount": played.restarts,
        "image": full_name(played.image) if played.container_id else played.image,
        "imageID": f"{full_name(played.image).partition(':')[0]}@sha256:{digest}" if played.container_id else "",
        "started": running and not played.unstarted,
    }
    if played.container_id:
        status["containerID"] = played.container_id
    return status


def _state(played: Played, *, initialising: bool) -> Object:
    match played.step:
        case ContainerStage.RUNNING:
            return {"running": {"startedAt": played.started_at}}
        case ContainerStage.UNCONFIGURED:
            return {"waiting": {"reason": played.waiting_reason, "message": played.problem}}
        case ContainerStage.PULL_FAILED:
            return {"waiting": {"reason": "ErrImagePull", "message": played.problem}}
        case ContainerStage.PULL_BACK_OFF | ContainerStage.PULLING if played.pulls:
            # A kubelet that tries again shows what it said last until it knows better.
            message = f'Back-off pulling image "{played.image}": ErrImagePull: {played.problem}'
            return {"waiting": {"reason": "ImagePullBackOff", "message": message}}
        case ContainerStage.CRASHED:
            return {"waiting": {"reason": "CrashLoopBackOff", "message": played.problem}}
    return {"waiting": {"reason": "PodInitializing" if initialising else "ContainerCreating"}}


def _conditions(pod: Object, run: PlayedPod, phase: str, now: float, stamp: str) -> list[Object]:
    init = [one for one in run.containers if one.init]
    main = [one for one in run.containers if not one.init]
    unready = [one.name for one in main if not is_ready(one, run, now)]
    pending = [one.name for one in init if not one.initialized]
    ended = phase in ("Succeeded", "Failed")
    listed = " ".join(unready)
    not_ready = (
        ("False", "PodCompleted" if phase == "Succeeded" else "PodFailed", "")
        if ended
        else ("False", "ContainersNotReady", f"containers with unready status: [{listed}]")
    )
    ready = ("True", "", "") if not unready and not ended else not_ready
    initialized = (
        ("False", "ContainersNotInitialized", f"containers with incomplete status: [{' '.join(pending)}]")
        if pending
        else ("True", "PodCompleted" if phase == "Succeeded" else "", "")
    )
    sandboxed = "True" if run.address and not ended else "False"
    conditions: list[Object] = []
    known = {one["type"]: one for one in (pod.get("status") or {}).get("conditions") or ()}
    gates = [gate.get("conditionType") for gate in pod["spec"].get("readinessGates") or ()]
    for kind, told in (
        ("PodReadyToStartContainers", (sandboxed, "", "")),
        ("Initialized", initialized),
        ("Ready", _gated(ready, gates, known)),
        ("ContainersReady", ready),
        ("PodScheduled", ("True", "", "")),
    ):
        conditions = readiness.with_condition(conditions, _condition(kind, told, known.get(kind), stamp, pod))
    return [*conditions, *(one for kind, one in known.items() if kind not in {c["type"] for c in conditions})]


def _gated(ready: tuple[str, str, str], gates: list[str | None], known: dict[str, Object]) -> tuple[str, str, str]:
    """Hold readiness back until every readiness gate is open."""
    closed = [gate for gate in gates if gate and (known.get(gate) or {}).get("status") != "True"]
    if ready[0] != "True" or not closed:
        return ready
    text = "; ".join(f'corresponding condition of pod readiness gate "{gate}" does not exist.' for gate in closed)
    return ("False", "ReadinessGatesNotReady", text)


def _condition(kind: str, told: tuple[str, str, str], known: Object | None, stamp: str, pod: Object) -> Object:
    status, reason, message = told
    since = known["lastTransitionTime"] if known is not None and known["status"] == status else stamp
    condition: Object = {
        "type": kind,
        "observedGeneration": pod["metadata"].get("generation", 1),
        "status": status,
        "lastTransitionTime": since,
    }
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition
