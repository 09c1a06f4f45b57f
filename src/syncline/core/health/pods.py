"""Health of Pods and Jobs, by Argo CD's rules.

Called through the table in `syncline.core.health.assess`; `blocked_container` is also what `why` descends to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.health import Health, HealthCode


class ContainerTrouble(msgspec.Struct, frozen=True):
    """A container that does not get on, and what the kubelet says about it."""

    container: str
    reason: str
    message: str
    path: str
    waiting: bool = True


def is_hook(obj: Object) -> bool:
    """Whether the object is a hook by its annotations."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return names.HOOK in annotations or names.HELM_HOOK in annotations


def pod(obj: Object) -> Health:
    """Assess a Pod."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    always = (spec.get("restartPolicy") or "Always") == "Always"
    if (always or _restart_policy_ignored(obj)) and (failing := list(_failing(status))):
        return Health(
            HealthCode.DEGRADED, ", ".join(item.message for item in failing if item.message), failing[0].reason
        )
    match status.get("phase"):
        case "Pending":
            return Health(HealthCode.PROGRESSING, str(status.get("message") or ""), "Pending")
        case "Succeeded":
            return Health(HealthCode.HEALTHY, str(status.get("message") or ""))
        case "Failed":
            return Health(HealthCode.DEGRADED, _failure(status), "Failed")
        case "Running" if always:
            return _running(status)
        case "Running":
            return Health(HealthCode.PROGRESSING, str(status.get("message") or ""), "Running")
        case _:
            return Health(HealthCode.UNKNOWN, str(status.get("message") or ""), "PhaseUnknown")


def _restart_policy_ignored(obj: Object) -> bool:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
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


def _failure(status: dict[str, Any]) -> str:
    if message := status.get("message"):
        return str(message)
    for name in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(name) or ():
            ended = (container.get("state") or {}).get("terminated") or {}
            if ended.get("message"):
                return str(ended["message"])
            if ended.get("reason") == "OOMKilled":
                return "OOMKilled"
            if ended.get("exitCode"):
                return f'container "{container.get("name")}" failed with exit code {ended["exitCode"]}'
    return ""


def _running(status: dict[str, Any]) -> Health:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") == "True":
            return Health(HealthCode.HEALTHY, str(status.get("message") or ""))
    for container in status.get("containerStatuses") or ():
        if (container.get("lastState") or {}).get("terminated"):
            return Health(HealthCode.DEGRADED, str(status.get("message") or ""), "Restarted")
    return Health(HealthCode.PROGRESSING, str(status.get("message") or ""), "NotReady")


def job(obj: Object) -> Health:
    """Assess a Job."""
    status = obj.get("status") or {}
    failed, complete, suspended, message = False, False, False, ""
    for condition in status.get("conditions") or ():
        kind = condition.get("type")
        failed = failed or kind == "Failed"
        complete = complete or kind in ("Failed", "Complete")
        if kind in ("Failed", "Complete"):
            message = str(condition.get("message") or "")
        if kind == "Suspended":
            complete = True
            suspended = condition.get("status") == "True"
            message = str(condition.get("message") or "") if suspended else message
    if not complete:
        return Health(HealthCode.PROGRESSING, "", "Running")
    if failed:
        return Health(HealthCode.DEGRADED, message, "Failed")
    return Health(HealthCode.SUSPENDED if suspended else HealthCode.HEALTHY, message)
