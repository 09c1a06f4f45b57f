"""Goes on playing the pods that a sandbox finds when it starts, from what their status says.

Called by `syncline.sandbox.controllers.kubelet.kubelet` for every pod it meets for the first time: with a data folder,
pods that ran keep running, as those of a real cluster do while its control plane is away. Only what the status does not
hold starts again: how long a container has run, and how long it waits before it is tried again.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.kubelet import containers
from syncline.sandbox.controllers.kubelet.containers import ContainerStage, Play, Played, PlayedPod


def resume(run: PlayedPod, pod: Object, play: Play) -> None:
    """Bring a fresh run to where the status of its pod says it was."""
    status = pod.get("status") or {}
    known = {(init, one["name"]): one for init, one in _statuses(status)}
    if not known:
        return
    run.address = status.get("podIP") or ""
    run.mounted = bool(run.address)
    for played in run.containers:
        found = known.get((played.init, played.name))
        if found is not None and found.get("containerID"):
            _resume(played, found, play)


def _statuses(status: Object) -> Iterator[tuple[bool, Object]]:
    for field, init in (("initContainerStatuses", True), ("containerStatuses", False)):
        for one in status.get(field) or ():
            yield init, one


def _resume(played: Played, found: Object, play: Play) -> None:
    state = found.get("state") or {}
    played.container_id = found["containerID"]
    played.restarts = played.ends = int(found.get("restartCount") or 0)
    played.last = found.get("lastState") or None
    if "running" in state:
        play.present.add(played.image)
        played.started_at = state["running"].get("startedAt") or play.stamp
        containers.run_on(played, play)
        if found.get("ready"):
            played.ready_at = play.now
    elif "terminated" in state:
        ended = state["terminated"]
        played.started_at, played.last = ended.get("startedAt") or "", state
        played.exit_code, played.exit_reason = int(ended.get("exitCode") or 0), ended.get("reason") or ""
        played.ends += 1
        played.step, played.due = ContainerStage.ENDED, float("inf")
    elif played.last is not None:
        played.started_at = (played.last.get("terminated") or {}).get("startedAt") or ""
        played.ends += 1
        played.crashes = played.ends
        played.step, played.due = ContainerStage.CRASHED, play.now
