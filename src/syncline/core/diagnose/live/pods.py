"""What the rules on workloads share: the pods of an app, each with the managed object that it stems from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.assess import Assessment
from syncline.core.diagnose.live.written import line
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind

IMAGE_REASONS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
"""What the kubelet says of a container whose image it cannot pull."""
CONFIG_REASON = "CreateContainerConfigError"
NOT_RUN = ("CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun")
_KILLED_BY = (137, 143)
_PROBED = re.compile(r"(?:Liveness|Startup) probe (?:failed|errored)|failed (?:liveness|startup) probe", re.IGNORECASE)
"""What the kubelet says of a container that names something which is not there."""
_STARTING = ("ContainerCreating", "PodInitializing")
_STATUSES = ("initContainerStatuses", "containerStatuses")
_DEEPEST = 10
_SHOWN_LINES = 4


class PodOf(msgspec.Struct, frozen=True):
    """A pod, and the managed object at the top of its chain of owners."""

    key: ObjectKey
    pod: Object
    root: ObjectKey


class FailingContainer(msgspec.Struct, frozen=True):
    """A container that does not run, with what the kubelet says, and the line in Git that names its image."""

    of: PodOf
    trouble: ContainerTrouble
    image: str
    line: tuple[Evidence, ...]
    status: dict[str, Any]
    pods: int = 1
    """How many pods of the same workload fail with it."""

    @property
    def evidence(self) -> list[Evidence]:
        """What the kubelet says, and the line in Git."""
        said = self.trouble.message or self.trouble.reason
        return [
            Evidence(kind=EvidenceKind.FIELD, text=said, subject=self.of.key, path=self.trouble.path),
            *self.image_line,
        ]

    @property
    def image_line(self) -> list[Evidence]:
        """The line in Git that names the image."""
        return list(self.line)

    @property
    def place(self) -> Place | None:
        """Where that line is."""
        return next((one.place for one in self.line), None)

    @property
    def ended(self) -> dict[str, Any]:
        """How the container last ended; empty where it never did."""
        return _ended(self.status)

    @property
    def log_command(self) -> str:
        """The command that prints what the container printed before it ended; empty where it never ran."""
        if not self.ended:
            return ""
        pod, previous = self.of.key, " --previous" if _is_previous(self.status) else ""
        return f"kubectl logs -n {pod.namespace} {pod.name} -c {self.trouble.container}{previous}"

    @property
    def log_evidence(self) -> list[Evidence]:
        """The command for the whole log, as evidence; nothing where there is no log."""
        command = self.log_command
        return [Evidence(kind=EvidenceKind.COMMAND, text=command, subject=self.of.key)] if command else []


def never_ran(one: FailingContainer) -> bool:
    """Whether the runtime could not start a container: there is no log then, and its words are all there is."""
    return one.ended.get("reason") in NOT_RUN or (not one.ended and one.trouble.reason in NOT_RUN)


def killed_by_probe(app: App, one: FailingContainer) -> bool:
    """Whether a container was ended from outside, because its liveness or startup probe failed."""
    if one.ended.get("exitCode") not in _KILLED_BY:
        return False
    return any(
        events.subject(event) == one.of.key and _PROBED.search(events.message(event))
        for event in app.assessment.snapshot.events
    )


def pods(app: App) -> Iterator[PodOf]:
    """Yield the pods of an app, in the order of their keys."""
    return _pods(app.assessment)


def _pods(assessment: Assessment) -> Iterator[PodOf]:
    live = assessment.live
    found = [key for key in live if key.kind == "Pod" and not key.group]
    by_uid = {meta.uid(obj): obj for obj in live.values()} if found else {}
    for key in sorted(found):
        yield PodOf(key, live[key], key_of(top_of(live[key], by_uid)))


def failing_containers(app: App) -> Iterator[FailingContainer]:
    """Yield the containers that do not run, whatever the reason.

    Of the pods of one workload the newest stands for all: they fail alike.
    """
    found: dict[tuple[ObjectKey, str, str], list[tuple[PodOf, ContainerTrouble]]] = {}
    for pod in pods(app):
        for trouble in container_troubles(pod.pod.get("status") or {}):
            if trouble.reason not in _STARTING:
                found.setdefault((pod.root, trouble.container, _sort(trouble)), []).append((pod, trouble))
    for same in found.values():
        pod, trouble = max(same, key=lambda one: (meta.creation_timestamp(one[0].pod), one[0].key))
        yield FailingContainer(
            pod,
            trouble,
            image_of(pod.pod, trouble.container),
            tuple(image_line(app, pod.root, trouble.container)),
            _status(pod.pod, trouble.container),
            len({one.key for one, _ in same}),
        )


def _sort(trouble: ContainerTrouble) -> str:
    return (
        "image" if trouble.reason in IMAGE_REASONS else trouble.reason if trouble.reason == CONFIG_REASON else "crash"
    )


def failed_containers(assessment: Assessment) -> Iterator[tuple[ObjectKey, str, bool]]:
    """Yield the containers that ended badly, one for each workload: pod, name, whether a newer one waits already."""
    told: set[tuple[ObjectKey, str]] = set()
    ordered = sorted(_pods(assessment), key=lambda one: meta.creation_timestamp(one.pod), reverse=True)
    for pod in ordered:
        for trouble in container_troubles(pod.pod.get("status") or {}):
            status = _status(pod.pod, trouble.container)
            if (pod.root, trouble.container) not in told and _ended(status):
                told.add((pod.root, trouble.container))
                yield pod.key, trouble.container, _is_previous(status)


def log_lines(app: App, pod: ObjectKey, container: str) -> list[Evidence]:
    """Return the last lines that a container printed, as evidence."""
    for log in app.assessment.snapshot.logs:
        if (log.pod, log.container) == (pod, container):
            return [Evidence(kind=EvidenceKind.LOG, text=text, subject=pod) for text in log.lines[-_SHOWN_LINES:]]
    return []


def _status(pod: Object, container: str) -> dict[str, Any]:
    status = pod.get("status") or {}
    everything: list[dict[str, Any]] = [one for name in _STATUSES for one in status.get(name) or ()]
    return next((one for one in everything if one.get("name") == container), {})


def _ended(status: dict[str, Any]) -> dict[str, Any]:
    now = (status.get("state") or {}).get("terminated")
    before = (status.get("lastState") or {}).get("terminated")
    return dict(now or before or {})


def _is_previous(status: dict[str, Any]) -> bool:
    return not (status.get("state") or {}).get("terminated") and bool((status.get("lastState") or {}).get("terminated"))


def top_of(obj: Object, by_uid: dict[str, Object]) -> Object:
    """Return the object at the top of a chain of owners; one that owns itself ends it."""
    for _ in range(_DEEPEST):
        owners = meta.owner_references(obj)
        above = next((by_uid[uid] for owner in owners if (uid := str(owner.get("uid"))) in by_uid), None)
        if above is None:
            break
        obj = above
    return obj


def containers(spec: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the containers of a pod's spec, each with its place in it: `containers[0]`."""
    for name in ("initContainers", "containers"):
        for index, entry in enumerate(spec.get(name) or ()):
            if isinstance(entry, dict):
                yield f"{name}[{index}]", entry


def template(obj: Object) -> tuple[str, dict[str, Any]]:
    """Return where an object has the spec of its pods, and that spec; nothing where it has none."""
    spec = obj.get("spec") or {}
    if obj.get("kind") == "Pod":
        return "spec", spec
    if obj.get("kind") == "CronJob":
        inner = ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template") or {}
        return "spec.jobTemplate.spec.template.spec", inner.get("spec") or {}
    found = (spec.get("template") or {}).get("spec") if isinstance(spec.get("template"), dict) else None
    return "spec.template.spec", found if isinstance(found, dict) else {}


def container_path(app: App, root: ObjectKey, container: str) -> str:
    """Return where Git has a container of a workload; empty where it has not."""
    prepared = app.assessment.prepared
    for item in (*prepared.objects, *prepared.hooks):
        if item.key == root:
            base, spec = template(item.obj)
            return next((f"{base}.{at}" for at, one in containers(spec) if one.get("name") == container), "")
    return ""


def image_of(pod: Object, container: str) -> str:
    """Return the image of a container."""
    found = (one for _at, one in containers(pod.get("spec") or {}) if one.get("name") == container)
    return next((str(one.get("image")) for one in found), "?")


def image_line(app: App, root: ObjectKey, container: str) -> list[Evidence]:
    """Return the line in Git that says the image of a container."""
    path = container_path(app, root, container)
    return line(app, root, f"{path}.image") if path else []
