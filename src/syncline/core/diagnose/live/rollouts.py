"""What the rules on workloads share about the version before: what ran, and whether it still serves.

Read from the ReplicaSets of a Deployment (or Rollout), which the cluster keeps.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.live.pods import containers, image_of
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind

_REVISION = "deployment.kubernetes.io/revision"


class Former(msgspec.Struct, frozen=True):
    """The version of a workload before this one: the image of one container, and how many pods of it are ready."""

    image: str
    ready: int

    def evidence(self, root: ObjectKey) -> list[Evidence]:
        """That the old version still serves, where it does."""
        if not self.ready:
            return []
        words = f"old pods still serve: {self.ready} ready, with image {self.image}"
        return [Evidence(kind=EvidenceKind.FIELD, text=words, subject=root, path="status.readyReplicas")]


def former(app: App, root: ObjectKey, container: str) -> Former | None:
    """Return the newest version of a workload that is not the current one and had another image in a container."""
    owner = app.assessment.live.get(root)
    if owner is None:
        return None
    sets = [
        obj
        for key, obj in app.assessment.live.items()
        if key.kind == "ReplicaSet" and any(one.get("uid") == meta.uid(owner) for one in meta.owner_references(obj))
    ]
    sets.sort(key=_revision, reverse=True)
    current = next((_image(obj, container) for obj in sets[:1]), "")
    for obj in sets[1:]:
        image = _image(obj, container)
        if image not in ("", "?", current):
            return Former(image, int((obj.get("status") or {}).get("readyReplicas") or 0))
    return None


def _revision(obj: Object) -> int:
    text = meta.annotation(obj, _REVISION)
    return int(text) if text.isdigit() else 0


def _image(replica_set: Object, container: str) -> str:
    spec = ((replica_set.get("spec") or {}).get("template") or {}).get("spec") or {}
    return image_of({"spec": spec}, container) if any(containers(spec)) else ""
