"""Pods that do not get on: the container, the reason the kubelet gives, and the line in Git that asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.assess import Assessment
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.model.decision import Decision
from syncline.model.errors import Place
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

_IMAGE_REASONS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
_NEVER_RAN = ("CreateContainerConfigError", "CreateContainerError")
_SETTLING = ("ContainerCreating", "PodInitializing")


def look(assessment: Assessment, _decision: Decision) -> Iterator[Finding]:
    """Yield one finding per workload whose pods have a container in trouble, or that cannot be scheduled."""
    owners = _owners(assessment)
    told: set[tuple[ObjectKey, str, str]] = set()
    for key, obj in sorted(assessment.live.items()):
        if key.kind != "Pod" or key.group:
            continue
        root = owners.get(str((obj.get("metadata") or {}).get("uid")), key)
        for finding, sort in _of_pod(assessment, key, obj, root):
            if (root, sort, finding.code) not in told:
                told.add((root, sort, finding.code))
                yield finding


def _of_pod(assessment: Assessment, key: ObjectKey, pod: Object, root: ObjectKey) -> Iterator[tuple[Finding, str]]:
    status = pod.get("status") or {}
    for trouble in container_troubles(status):
        if trouble.reason not in _SETTLING:
            yield _container(assessment, key, pod, root, trouble), trouble.container
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            message = str(condition.get("message") or condition.get("reason") or "")
            yield _unschedulable(key, root, message), "unschedulable"


def _container(
    assessment: Assessment, key: ObjectKey, pod: Object, root: ObjectKey, trouble: ContainerTrouble
) -> Finding:
    image = _image(pod, trouble.container)
    place = _image_place(assessment, root, trouble.container)
    evidence = [
        Evidence(kind=EvidenceKind.FIELD, text=trouble.message or trouble.reason, subject=key, path=trouble.path)
    ]
    if place:
        evidence.append(Evidence(kind=EvidenceKind.FILE, text=f"image: {image}", place=place))
    if trouble.reason in _IMAGE_REASONS:
        return Finding(
            code="WKL-002",
            name="image-not-found",
            severity=Severity.ERROR,
            subject=root.short,
            message=f"{root.short}: image {image} of container {trouble.container} cannot be pulled ({trouble.reason})",
            evidence=tuple(evidence),
            confidence=Confidence.OWNED,
            fix=Fix(text=f"push the image, or name one that exists{f' in {place}' if place else ''}"),
        )
    return Finding(
        code="WKL-008",
        name="container-failing",
        severity=Severity.ERROR,
        subject=root.short,
        message=f"{root.short}: container {trouble.container} does not run: {trouble.reason}"
        + (f", {trouble.message}" if trouble.message and trouble.message != trouble.reason else ""),
        evidence=tuple(evidence),
        confidence=Confidence.OWNED,
        fix=_fix(key, trouble, place),
    )


def _fix(pod: ObjectKey, trouble: ContainerTrouble, place: Place | None) -> Fix:
    """Return what to do about a container that does not run; one that never ran has no last words."""
    if trouble.reason in _NEVER_RAN:
        where = f"; the container is described at {place}" if place else ""
        return Fix(text=f"create what it names, or mend the reference{where}")
    command = f"kubectl logs -n {pod.namespace} {pod.name} -c {trouble.container} --previous"
    return Fix(text="read its last words", command=command)


def _unschedulable(key: ObjectKey, root: ObjectKey, message: str) -> Finding:
    return Finding(
        code="WKL-001",
        name="unschedulable",
        severity=Severity.ERROR,
        subject=root.short,
        message=f"{root.short}: no node takes its pods: {message}",
        evidence=(
            Evidence(kind=EvidenceKind.CONDITION, text=message, subject=key, path="status.conditions[PodScheduled]"),
        ),
        confidence=Confidence.OWNED,
        fix=Fix(text="change requests, node selector or tolerations, or add a node that fits"),
    )


def _owners(assessment: Assessment) -> dict[str, ObjectKey]:
    """Return, by uid, the managed object at the top of each object's chain of owners."""
    by_uid = {str((obj.get("metadata") or {}).get("uid")): obj for obj in assessment.live.values()}

    def top(obj: Object, depth: int = 0) -> Object:
        for owner in (obj.get("metadata") or {}).get("ownerReferences") or ():
            above = by_uid.get(str(owner.get("uid")))
            if above is not None and depth < 10:
                return top(above, depth + 1)
        return obj

    return {uid: key_of(top(obj)) for uid, obj in by_uid.items()}


def _image(pod: Object, container: str) -> str:
    spec = pod.get("spec") or {}
    everything: list[dict[str, Any]] = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return next((str(item.get("image")) for item in everything if item.get("name") == container), "?")


def _image_place(assessment: Assessment, root: ObjectKey, container: str) -> Place | None:
    for item in (*assessment.prepared.objects, *assessment.prepared.hooks):
        if item.key != root:
            continue
        spec = item.obj.get("spec") or {}
        base = "spec" if item.key.kind == "Pod" else "spec.template.spec"
        pod = spec if item.key.kind == "Pod" else (spec.get("template") or {}).get("spec") or {}
        for name in ("initContainers", "containers"):
            for index, entry in enumerate(pod.get(name) or ()):
                if entry.get("name") == container:
                    return item.origin.place(f"{base}.{name}[{index}].image")
    return None
