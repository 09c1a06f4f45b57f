"""Words and readings that several consequences share: how many pods, which workloads, what a name stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.model.preview import ObjectChange

WORKLOADS = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    GroupKind("apps", "ReplicaSet"),
    GroupKind("argoproj.io", "Rollout"),
)
"""Kinds that keep pods running after a template."""


def spec_of(obj: Object) -> Mapping[str, Any]:
    """Return the spec of an object; empty where it has none that can be read."""
    spec = obj.get("spec")
    return spec if isinstance(spec, dict) else {}


def template_of(obj: Object) -> Mapping[str, Any]:
    """Return the pod template of a workload."""
    template = spec_of(obj).get("template")
    return template if isinstance(template, dict) else {}


def pod_labels(obj: Object) -> Mapping[str, str]:
    """Return the labels of the pods of a workload, or of a pod."""
    metadata = (obj if obj.get("kind") == "Pod" else template_of(obj)).get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {}


def replicas(obj: Object) -> int:
    """Return how many pods a workload asks for."""
    number = spec_of(obj).get("replicas", 1)
    return number if isinstance(number, int) and not isinstance(number, bool) else 1


def many(count: int, word: str) -> str:
    """Return a number with its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def stopping(count: int) -> str:
    """Return how many pods stop."""
    return f"{many(count, 'pod')} {'stops' if count == 1 else 'stop'}"


def first_place(change: ObjectChange) -> Any:
    """Return the line that changes an object, else where it stands."""
    return next((one.place for one in change.fields if one.place is not None), None) or change.place


def below(path: str, above: str) -> bool:
    """Whether a field is another one, or inside it."""
    return path == above or path.startswith((f"{above}.", f"{above}["))


def named(key: ObjectKey) -> str:
    """Return kind and name, as people write it."""
    return f"{key.kind}/{key.name}"
