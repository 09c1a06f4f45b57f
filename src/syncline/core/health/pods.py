"""Health of Pods and Jobs, by Argo CD's rules.

Called through the table in `syncline.core.health.assess`; `blocked_container` is also what `why` descends to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.health import evidence
from syncline.core.health.evidence import by_condition, by_field
from syncline.model import names
from syncline.model.health import Health, HealthCode

_PHASE = "status.phase"
_JOB_ENDS = ("Failed", "Complete", "Suspended")


class ContainerTrouble(msgspec.Struct, frozen=True):
    """A container that does not get on, and what the kubelet says about it."""

    container: str
    reason: str
    message: str
    path: str
    waiting: bool = True


def is_hook(obj: Object) -> bool:
    """Whether the object is a hook by its annotations."""
    annotations = meta.annotations(obj)
    return names.HOOK in annotations or names.HELM_HOOK in annotations


def pod(obj: Object) -> Health:
    """Assess a Pod."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    # One that is marked so is assessed like a pod that runs for ever, whatever its restart policy is.
    for_ever = (spec.get("restartPolicy") or "Always") == "Always" or _restart_policy_ignored(obj)
    if for_ever and (failing := list(_failing(status))):
        message = ", ".join(item.message for item in failing if item.message)
        first = failing[0]
        return by_field(
            HealthCode.DEGRADED, message, first.reason, first.path, first.reason, _since_failing(obj, first)
        )
    message = str(status.get("message") or "")
    match phase := status.get("phase"):
        case "Pending":
            return by_field(HealthCode.PROGRESSING, message, "Pending", _PHASE, phase, _since_pending(obj))
        case "Succeeded":
            return by_field(HealthCode.HEALTHY, message, "Succeeded", _PHASE, phase, _ended(status))
        case "Failed":
            return _failed(status)
        case "Running" if for_ever:
            return _running(obj, status, message)
        case "Running":
            return by_field(HealthCode.PROGRESSING, message, "Running", _PHASE, phase, status.get("startTime"))
        case _:
            return by_field(HealthCode.UNKNOWN, message, "PhaseUnknown", _PHASE, phase)


def _since_failing(obj: Object, trouble: ContainerTrouble) -> str:
    """Return since when a container has been held back: its last end, or else since the pod is not ready."""
    for container in (obj.get("status") or {}).get("containerStatuses") or ():
        if container.get("name") == trouble.container:
            ended = (container.get("lastState") or {}).get("terminated") or {}
            if ended.get("finishedAt"):
                return str(ended["finishedAt"])
    not_ready = evidence.turned(evidence.condition(obj, "Ready", "False"))
    return not_ready or str((obj.get("status") or {}).get("startTime") or "")


def _since_pending(obj: Object) -> str:
    unscheduled = evidence.turned(evidence.condition(obj, "PodScheduled", "False"))
    return unscheduled or str((obj.get("status") or {}).get("startTime") or "") or evidence.created(obj)


def _ended(status: dict[str, Any]) -> str:
    """Return when the last container ended."""
    states = [one.get("state") or {} for one in status.get("containerStatuses") or ()]
    return max((str((state.get("terminated") or {}).get("finishedAt") or "") for state in states), default="")


def _restart_policy_ignored(obj: Object) -> bool:
    annotations = meta.annotations(obj)
    return annotations.get(names.IGNORE_RESTART_POLICY) == "true" and not is_hook(obj)


def _failing(status: dict[str, Any]) -> Iterator[ContainerTrouble]:
    for trouble in container_troubles(status, ("containerStatuses",)):
        if trouble.waiting and (trouble.reason.startswith("Err") or trouble.reason.endswith(("Error", "BackOff"))):
            yield trouble


def container_troubles(
    status: dict[str, Any], lists: tuple[str, ...] = ("initContainerStatuses", "containerStatuses")
) -> Iterator[ContainerTrouble]:
    """Yield every container that waits for a reason or ended badly, init containers first."""
    for name in lists:
        for index, container in enumerate(status.get(name) or ()):
            current = container.get("state") or {}
            path = f"status.{name}[{index}].state"
            if waiting := current.get("waiting"):
                yield ContainerTrouble(
                    str(container.get("name") or ""),
                    str(waiting.get("reason") or ""),
                    str(waiting.get("message") or ""),
                    f"{path}.waiting",
                )
            elif (ended := current.get("terminated")) and ended.get("exitCode"):
                text = ended.get("message") or ended.get("reason") or f"exit code {ended.get('exitCode')}"
                yield ContainerTrouble(
                    str(container.get("name") or ""),
                    str(ended.get("reason") or "Error"),
                    str(text),
                    f"{path}.terminated",
                    waiting=False,
                )


def _failed(status: dict[str, Any]) -> Health:
    """Assess a failed Pod: its own words, or those of the first container that says something."""
    if message := status.get("message"):
        reason = str(status.get("reason") or "Failed")
        return by_field(HealthCode.DEGRADED, str(message), reason, _PHASE, "Failed", _ended(status))
    for name in ("initContainerStatuses", "containerStatuses"):
        for index, container in enumerate(status.get(name) or ()):
            ended = (container.get("state") or {}).get("terminated") or {}
            if text := _last_words(str(container.get("name")), ended):
                path, reason = f"status.{name}[{index}].state.terminated", str(ended.get("reason") or "Failed")
                return by_field(HealthCode.DEGRADED, text, reason, path, reason, ended.get("finishedAt"))
    return by_field(HealthCode.DEGRADED, "", "Failed", _PHASE, "Failed", _ended(status))


def _last_words(name: str, ended: dict[str, Any]) -> str:
    if ended.get("message"):
        return str(ended["message"])
    if ended.get("reason") == "OOMKilled":
        return "OOMKilled"
    return f'container "{name}" failed with exit code {ended["exitCode"]}' if ended.get("exitCode") else ""


def _running(obj: Object, status: dict[str, Any], message: str) -> Health:
    if ready := evidence.condition(obj, "Ready", "True"):
        return by_condition(HealthCode.HEALTHY, message, "Ready", ready)
    for index, container in enumerate(status.get("containerStatuses") or ()):
        if ended := (container.get("lastState") or {}).get("terminated"):
            path = f"status.containerStatuses[{index}].lastState.terminated"
            text = ended.get("reason") or f"exit code {ended.get('exitCode')}"
            return by_field(HealthCode.DEGRADED, message, "Restarted", path, text, ended.get("finishedAt"))
    if not_ready := evidence.condition(obj, "Ready"):
        return by_condition(HealthCode.PROGRESSING, message, "NotReady", not_ready)
    return by_field(HealthCode.PROGRESSING, message, "NotReady", _PHASE, "Running", status.get("startTime"))


def job(obj: Object) -> Health:
    """Assess a Job by the types of its conditions; a failure outweighs the others, wherever it stands."""
    status = obj.get("status") or {}
    found: dict[str, evidence.Numbered] = {}
    for index, condition in enumerate(status.get("conditions") or ()):
        if condition.get("type") in _JOB_ENDS:
            found[condition["type"]] = index, condition
    if failed := found.get("Failed"):
        reason = str(failed[1].get("reason") or "Failed")
        return by_condition(HealthCode.DEGRADED, _said(failed), reason, failed)
    suspended = found.get("Suspended")
    if suspended and suspended[1].get("status") == "True":
        return by_condition(HealthCode.SUSPENDED, _said(suspended), "Suspended", suspended)
    if ended := found.get("Complete"):
        return by_condition(HealthCode.HEALTHY, _said(ended), "Complete", ended)
    if suspended:
        return by_condition(HealthCode.HEALTHY, "", "Resumed", suspended)
    started = status.get("startTime") or evidence.created(obj)
    return by_field(HealthCode.PROGRESSING, "", "Running", "status.conditions", None, started)


def _said(found: evidence.Numbered) -> str:
    return str(found[1].get("message") or "")
