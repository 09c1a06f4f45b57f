"""Health of a pending PersistentVolumeClaim by its class: one that waits for its first pod is not held up.

Called by `syncline.core.health.checkup` with the StorageClasses and Events that are at hand. Differs from Argo CD on
purpose, where every pending claim is Progressing and a wave of claims waits for pods of a later wave for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.health import events
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

CLAIM = GroupKind("", "PersistentVolumeClaim")
_CLASS = GroupKind("storage.k8s.io", "StorageClass")
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_FAILED = "ProvisioningFailed"


class Storage:
    """What is known about storage: classes by name, the default class, the last failure per claim."""

    __slots__ = ("_classes", "_default", "_failures")

    def __init__(self, objects: Iterable[Object]) -> None:
        self._classes: dict[str, Object] = {}
        self._default = ""
        self._failures: dict[tuple[str, str], list[Object]] = {}
        for obj in objects:
            if obj.get("kind") not in ("StorageClass", "Event"):
                continue
            kind = gvk_of(obj).group_kind
            if kind == _CLASS:
                self._add_class(obj)
            elif kind in events.KINDS and obj.get("reason") == _FAILED:
                self._add_failure(obj)

    def _add_class(self, obj: Object) -> None:
        metadata = meta.metadata(obj)
        name = str(metadata.get("name"))
        self._classes[name] = obj
        if (metadata.get("annotations") or {}).get(_DEFAULT) == "true":
            self._default = name

    def _add_failure(self, event: Object) -> None:
        about = events.subject(event)
        if about is not None and about.kind == CLAIM.kind:
            claim = (about.namespace, about.name)
            self._failures.setdefault(claim, []).append(event)

    def failure(self, claim: Object) -> Object | None:
        """Return the last event that tells why no volume could be provisioned for a claim."""
        metadata = meta.metadata(claim)
        found = self._failures.get((str(metadata.get("namespace") or ""), str(metadata.get("name") or "")), ())
        uid = metadata.get("uid")
        # An Event outlives its object: one about a claim that had the same name before tells nothing.
        own = [event for event in found if not uid or events.subject_uid(event) in ("", uid)]
        return max(own, key=events.time, default=None)

    def waits_for_consumer(self, claim: Object) -> bool:
        """Whether the claim's class makes a volume only for a pod that was scheduled."""
        spec = claim.get("spec")
        name = spec.get("storageClassName") if isinstance(spec, dict) else None
        found = self._classes.get(self._default if name is None else str(name))
        return found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"


def refine(claim: Object, health: Health, storage: Storage) -> Health:
    """Return the health of a claim in the light of its class and events; only pending claims change."""
    if health.status is not HealthCode.PROGRESSING or (claim.get("status") or {}).get("phase") != "Pending":
        return health
    if failure := storage.failure(claim):
        message, time = events.message(failure) or "no volume could be provisioned", events.time(failure)
        evidence = Evidence(kind=EvidenceKind.EVENT, text=message, path="status.phase", time=time)
        return Health(HealthCode.DEGRADED, message, _FAILED, (evidence,), time or health.since)
    if not storage.waits_for_consumer(claim):
        return health
    annotations = meta.annotations(claim)
    if node := annotations.get(_SELECTED_NODE):
        evidence = Evidence(kind=EvidenceKind.FIELD, text=str(node), path=f'metadata.annotations["{_SELECTED_NODE}"]')
        message = f"waiting for a volume to be provisioned for node {node}"
        return Health(HealthCode.PROGRESSING, message, "Provisioning", (evidence,), health.since)
    evidence = Evidence(kind=EvidenceKind.FIELD, text="WaitForFirstConsumer", path="spec.storageClassName")
    return Health(HealthCode.HEALTHY, "awaiting first consumer", "WaitForFirstConsumer", (evidence,), health.since)
