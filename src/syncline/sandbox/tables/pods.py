"""The columns of pods, whose status says most when things go wrong."""

from __future__ import annotations

from datetime import datetime

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import AGE, NAME, TableColumn, human_duration


def _statuses(pod: Object, field: str = "containerStatuses") -> list[Object]:
    found: list[Object] = (pod.get("status") or {}).get(field) or []
    return found


def _ready(pod: Object, _now: datetime) -> str:
    sidecars = [one["name"] for one in _init_containers(pod) if one.get("restartPolicy") == "Always"]
    ready = sum(1 for one in _statuses(pod) if one.get("ready") and "running" in (one.get("state") or {}))
    ready += sum(1 for one in _statuses(pod, "initContainerStatuses") if one["name"] in sidecars and one.get("ready"))
    return f"{ready}/{len((pod.get('spec') or {}).get('containers') or ()) + len(sidecars)}"


def _init_containers(pod: Object) -> list[Object]:
    found: list[Object] = (pod.get("spec") or {}).get("initContainers") or []
    return found


def status_text(pod: Object, _now: datetime | None = None) -> str:
    """Return the one word kubectl shows for a pod."""
    status = pod.get("status") or {}
    text = str(status.get("reason") or status.get("phase") or "Unknown")
    scheduled = [one for one in status.get("conditions") or () if one.get("type") == "PodScheduled"]
    if scheduled and scheduled[0].get("reason") == "SchedulingGated":
        text = "SchedulingGated"
    text = _init_text(pod) or _main_text(pod, text)
    if "deletionTimestamp" in pod["metadata"] and status.get("reason") != "NodeLost":
        return "Terminating" if status.get("phase") not in ("Succeeded", "Failed") else text
    return text


def _init_text(pod: Object) -> str:
    containers = _init_containers(pod)
    sidecars = {one["name"] for one in containers if one.get("restartPolicy") == "Always"}
    for index, one in enumerate(_statuses(pod, "initContainerStatuses")):
        state = one.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting")
        if ended is not None and ended.get("exitCode") == 0:
            continue
        if one["name"] in sidecars and one.get("started"):
            continue
        if ended is not None:
            return f"Init:{ended.get('reason') or 'ExitCode:' + str(ended.get('exitCode'))}"
        reason = (waiting or {}).get("reason", "")
        if reason and reason != "PodInitializing":
            if reason == "ContainerCreating":
                return f"Init:{index}/{len(containers)}"
            return f"Init:{reason}"
        return f"Init:{index}/{len(containers)}"
    return ""


def _main_text(pod: Object, text: str) -> str:
    running = False
    for one in reversed(_statuses(pod)):
        state = one.get("state") or {}
        waiting, ended = state.get("waiting") or {}, state.get("terminated")
        if waiting.get("reason"):
            text = waiting["reason"]
        elif ended is not None:
            text = ended.get("reason") or f"ExitCode:{ended.get('exitCode')}"
        elif one.get("ready") and "running" in state:
            running = True
    if text == "Completed" and running:
        ready = [one for one in (pod.get("status") or {}).get("conditions") or () if one.get("type") == "Ready"]
        return "Running" if ready and ready[0].get("status") == "True" else "NotReady"
    return text


def _counted(pod: Object) -> list[Object]:
    """Return the containers whose restarts matter: those of the init containers until all of them are through."""
    init = _statuses(pod, "initContainerStatuses")
    if _init_text(pod):
        return init
    sidecars = {one["name"] for one in _init_containers(pod) if one.get("restartPolicy") == "Always"}
    return [*(one for one in init if one["name"] in sidecars), *_statuses(pod)]


def _restarts(pod: Object, now: datetime) -> str:
    counted = _counted(pod)
    count = sum(one.get("restartCount", 0) for one in counted)
    ends = [((one.get("lastState") or {}).get("terminated") or {}).get("finishedAt") for one in counted]
    last = max((end for end in ends if end), default=None)
    if not count or last is None:
        return str(count)
    return f"{count} ({human_duration((now - times.parse(last)).total_seconds())} ago)"


def _gates(pod: Object, _now: datetime) -> str:
    gates = (pod.get("spec") or {}).get("readinessGates") or []
    if not gates:
        return "<none>"
    known = {one["type"]: one["status"] for one in (pod.get("status") or {}).get("conditions") or ()}
    return f"{sum(1 for gate in gates if known.get(gate.get('conditionType')) == 'True')}/{len(gates)}"


def _or_none(*path: str) -> TableColumn:
    def cell(pod: Object, _now: datetime) -> str:
        return str((pod.get(path[1]) or {}).get(path[2]) or "<none>")

    return TableColumn(path[0], cell, wide=True)


PODS = (
    NAME,
    TableColumn("Ready", _ready),
    TableColumn("Status", status_text),
    TableColumn("Restarts", _restarts),
    AGE,
    _or_none("IP", "status", "podIP"),
    _or_none("Node", "spec", "nodeName"),
    _or_none("Nominated Node", "status", "nominatedNodeName"),
    TableColumn("Readiness Gates", _gates, wide=True),
)
