"""Says whether the claims of a pod allow it to run, and where.

Asked by `syncline.sandbox.controllers.scheduling.scheduler`. A claim that binds with its first consumer never stands in
the way; a bound one may be tied to some nodes by its volume, and a node takes only so many volumes.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.scheduling import affinity
from syncline.sandbox.controllers.scheduling.placement import Refusal
from syncline.sandbox.controllers.views import NodeView
from syncline.sandbox.store.store import Bucket

_CLAIMS = Bucket("", "persistentvolumeclaims")
_VOLUMES = Bucket("", "persistentvolumes")
_CLASSES = Bucket("storage.k8s.io", "storageclasses")
_LIMITS = Bucket("storage.k8s.io", "csinodes")
_PODS = Bucket("", "pods")
_IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


class Claims:
    """Reads claims, volumes and limits of one sandbox."""

    def __init__(self, backend: Backend) -> None:
        self._store = backend.store

    def problem(self, pod: Object) -> str:
        """Return what keeps a pod from any node, or nothing."""
        for name in _claims(pod):
            row = self._store.get(_CLAIMS, pod["metadata"]["namespace"], name)
            if row is None:
                return f'persistentvolumeclaim "{name}" not found'
            claim = row.decode()
            if "deletionTimestamp" in claim["metadata"]:
                return f'persistentvolumeclaim "{name}" is being deleted'
            if (claim.get("status") or {}).get("phase") != "Bound" and not self._binds_later(claim):
                return "pod has unbound immediate PersistentVolumeClaims"
        return ""

    def refusal(self, pod: Object, node: NodeView) -> Refusal | None:
        """Return why the claims of a pod cannot be used on a node, None when they can."""
        names = list(_claims(pod))
        if not names:
            return None
        limit = self._limit(node.name)
        if limit is not None and len(self._attached(node.name) | {(_namespace(pod), one) for one in names}) > limit:
            return Refusal("node(s) exceed max volume count", helpful=True)
        for name in names:
            row = self._store.get(_CLAIMS, _namespace(pod), name)
            claim = row.decode() if row is not None else {}
            if "ReadWriteOncePod" in ((claim.get("spec") or {}).get("accessModes") or ()) and self._in_use(pod, name):
                return Refusal(_IN_USE, helpful=True)
            bound = self._store.get(_VOLUMES, "", (claim.get("spec") or {}).get("volumeName") or "")
            if bound is None:
                continue
            required = ((bound.decode().get("spec") or {}).get("nodeAffinity") or {}).get("required")
            if required and not affinity.in_terms(required.get("nodeSelectorTerms") or (), node.labels, node.name):
                return Refusal("node(s) had volume node affinity conflict")
        return None

    def _in_use(self, pod: Object, name: str) -> bool:
        """Tell whether another pod that has a node uses a claim."""
        rows = self._store.rows(_PODS, _namespace(pod))
        return any(name in (view := views.pod(row)).claims and view.node and not view.ended for row in rows)

    def _limit(self, node: str) -> int | None:
        row = self._store.get(_LIMITS, "", node)
        drivers = (row.decode().get("spec") or {}).get("drivers") or () if row is not None else ()
        counts = [(one.get("allocatable") or {}).get("count") for one in drivers]
        return min((int(count) for count in counts if count is not None), default=None)

    def _attached(self, node: str) -> set[tuple[str, str]]:
        found = set()
        for row in self._store.rows(_PODS):
            view = views.pod(row)
            if view.node == node and not view.ended:
                found |= {(row.place.namespace, name) for name in view.claims}
        return found

    def _binds_later(self, claim: Object) -> bool:
        row = self._store.get(_CLASSES, "", (claim.get("spec") or {}).get("storageClassName") or "")
        return row is not None and row.decode().get("volumeBindingMode") == "WaitForFirstConsumer"


def _claims(pod: Object) -> Iterator[str]:
    for volume in pod["spec"].get("volumes") or ():
        name = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if name:
            yield str(name)
        elif volume.get("ephemeral"):
            yield f"{pod['metadata']['name']}-{volume['name']}"


def _namespace(pod: Object) -> str:
    return str(pod["metadata"].get("namespace") or "")
