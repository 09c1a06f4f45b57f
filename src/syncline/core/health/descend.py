"""Follows an unhealthy object down to the pod and container that hold it up: the message changes, the status does not.

Called with a managed object, its health and the `OwnedObjects` of everything live, by `syncline.core.health.checkup`. A
pod that is merely starting is no cause. Of a Deployment the newest ReplicaSet is asked first: old pods may fail without
holding anything up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of, key_of
from syncline.core.health.family import OwnedObjects
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

_STARTING = ("ContainerCreating", "PodInitializing")
_POD, _JOB = GroupKind("", "Pod"), GroupKind("batch", "Job")
_REPLICA_SET, _DEPLOYMENT = GroupKind("apps", "ReplicaSet"), GroupKind("apps", "Deployment")
_REVISION = "deployment.kubernetes.io/revision"
_FAILING, _REFUSED, _ENDED, _NOT_READY = range(4)


class _Trouble(msgspec.Struct, frozen=True):
    """One thing below that does not get on; `rank` is lower for what explains more."""

    rank: int
    subject: ObjectKey
    part: str
    reason: str
    message: str
    path: str
    kind: EvidenceKind = EvidenceKind.FIELD
    since: str = ""

    def text(self, *, own: bool) -> str:
        """Return what is wrong, after the name of the object unless it is the one that was asked about."""
        name = "" if own else self.subject.name
        words = [name, self.part, self.reason, "" if self.message == self.reason else self.message]
        return ": ".join(word for word in words if word)


def descend(obj: Object, health: Health, family: OwnedObjects) -> Health:
    """Return the health with the deepest known cause as its message, reason and first evidence."""
    if health.status in (HealthCode.HEALTHY, HealthCode.SUSPENDED):
        return health
    troubles = _troubles(obj, family)
    if not troubles:
        return health
    worst = min(troubles, key=lambda one: (one.rank, one.subject))
    same = {one.subject for one in troubles if (one.part, one.reason) == (worst.part, worst.reason)}
    more = len(same) - 1
    own = worst.subject == key_of(obj)
    message = worst.text(own=own) + (f" (and {more} more {'pods' if more > 1 else 'pod'})" if more else "")
    subject = None if own else worst.subject
    evidence = [Evidence(kind=worst.kind, text=worst.reason, subject=subject, path=worst.path), *health.evidence]
    if health.message:
        evidence.append(Evidence(kind=EvidenceKind.MESSAGE, text=health.message))
    return Health(health.status, message, worst.reason, tuple(evidence), health.since or worst.since, health.gating)


def _troubles(obj: Object, family: OwnedObjects) -> list[_Trouble]:
    """Return the troubles of the newest generation that has any."""
    for group in _generations(obj, family):
        if found := [trouble for one in group for trouble in _told(one)]:
            return found
    return []


def _told(obj: Object) -> list[_Trouble]:
    """Return the troubles of one object; one that has not the form of its kind tells nothing."""
    try:
        return list(_of(obj))
    except (AttributeError, TypeError, ValueError, KeyError):
        return []


def _generations(obj: Object, family: OwnedObjects) -> Iterator[list[Object]]:
    if _is(obj, _DEPLOYMENT):
        sets = [child for child in family.children(obj) if _is(child, _REPLICA_SET)]
        for replica_set in sorted(sets, key=_revision, reverse=True):
            yield [replica_set, *family.below(replica_set)]
        return
    yield [*([obj] if _is(obj, _POD) else []), *family.below(obj)]


def _is(obj: Object, kind: GroupKind) -> bool:
    """Whether an object is of a kind; its name is compared first, since most objects differ in that already."""
    return obj.get("kind") == kind.kind and gvk_of(obj).group_kind == kind


def _revision(replica_set: Object) -> int:
    annotations = meta.metadata(replica_set).get("annotations")
    text = str(annotations.get(_REVISION) or "") if isinstance(annotations, dict) else ""
    return int(text) if text.isdecimal() else 0


def _of(obj: Object) -> Iterator[_Trouble]:
    if _is(obj, _POD):
        yield from _of_pod(obj)
    elif _is(obj, _REPLICA_SET):
        yield from _of_condition(obj, "ReplicaFailure", _REFUSED)
    elif _is(obj, _JOB):
        yield from _of_condition(obj, "Failed", _ENDED)


def _of_pod(pod: Object) -> Iterator[_Trouble]:
    key, status = key_of(pod), pod.get("status") or {}
    for trouble in container_troubles(status):
        if trouble.reason not in _STARTING:
            last = _last_end(status, trouble)
            message, part = trouble.message + _last_words(trouble, last), _part(trouble.path, trouble.container)
            since = str(last.get("finishedAt") or status.get("startTime") or "")
            yield _Trouble(_FAILING, key, part, trouble.reason, message, trouble.path, since=since)
    if status.get("phase") == "Failed" and status.get("reason"):
        yield _Trouble(_FAILING, key, "", str(status["reason"]), str(status.get("message") or ""), "status.reason")
    yield from _of_condition(pod, "PodScheduled", _REFUSED, when="False")
    for index, container in enumerate(status.get("containerStatuses") or ()):
        if "running" in (container.get("state") or {}) and container.get("ready") is False:
            restarts = int(container.get("restartCount") or 0)
            message = "running but not ready" + (f", restarted {restarts} times" if restarts else "")
            path = f"status.containerStatuses[{index}].ready"
            yield _Trouble(_NOT_READY, key, f"container {container.get('name')}", "NotReady", message, path)


def _part(path: str, container: str) -> str:
    return f"{'init container' if path.startswith('status.init') else 'container'} {container}"


def _last_end(status: dict[str, Any], trouble: ContainerTrouble) -> dict[str, Any]:
    """Return how a container ended last: now, or before it was started again."""
    for name in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(name) or ():
            if container.get("name") == trouble.container:
                now, before = container.get("state") or {}, container.get("lastState") or {}
                return now.get("terminated") or before.get("terminated") or {}
    return {}


def _last_words(trouble: ContainerTrouble, ended: dict[str, Any]) -> str:
    """Return how a container that is being restarted ended last."""
    if trouble.reason != "CrashLoopBackOff" or not ended:
        return ""
    return f" (last exit code {ended.get('exitCode')}, {ended.get('reason') or 'no reason given'})"


def _of_condition(obj: Object, name: str, rank: int, *, when: str = "True") -> Iterator[_Trouble]:
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        if condition.get("type") == name and condition.get("status") == when:
            reason, message = str(condition.get("reason") or name), str(condition.get("message") or "")
            path = f"status.conditions[{index}]"
            since = str(condition.get("lastTransitionTime") or "")
            yield _Trouble(rank, key_of(obj), "", reason, message, path, EvidenceKind.CONDITION, since)
