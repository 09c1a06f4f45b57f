"""What the rules on workloads share: the pods of an app, each with the managed object that it stems from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.subjects import App
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind

IMAGE_REASONS = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
"""What the kubelet says of a container whose image it cannot pull."""
_STARTING = ("ContainerCreating", "PodInitializing")
_DEEPEST = 10


class PodOf(msgspec.Struct, frozen=True):
    """A pod, and the managed object at the top of its chain of owners."""

    key: ObjectKey
    pod: Object
    root: ObjectKey


class FailingContainer(msgspec.Struct, frozen=True):
    """A container that does not run, with its image and the line in Git that names the image."""

    of: PodOf
    trouble: ContainerTrouble
    image: str
    place: Place | None

    @property
    def evidence(self) -> list[Evidence]:
        """What the kubelet says, and the line in Git."""
        said = self.trouble.message or self.trouble.reason
        found = [Evidence(kind=EvidenceKind.FIELD, text=said, subject=self.of.key, path=self.trouble.path)]
        if self.place:
            found.append(Evidence(kind=EvidenceKind.FILE, text=f"image: {self.image}", place=self.place))
        return found


def pods(app: App) -> Iterator[PodOf]:
    """Yield the pods of an app, in the order of their keys."""
    live = app.assessment.live
    found = [key for key in live if key.kind == "Pod" and not key.group]
    by_uid = {_uid(obj): obj for obj in live.values()} if found else {}
    for key in sorted(found):
        yield PodOf(key, live[key], key_of(_top(live[key], by_uid)))


def failing_containers(app: App, *, image: bool) -> Iterator[FailingContainer]:
    """Yield the containers that do not run, because of their image or for another reason.

    Of the pods of one workload the first stands for all: they fail alike.
    """
    told: set[tuple[ObjectKey, str]] = set()
    for pod in pods(app):
        for trouble in container_troubles(pod.pod.get("status") or {}):
            is_image = trouble.reason in IMAGE_REASONS
            if trouble.reason in _STARTING or is_image is not image or (pod.root, trouble.container) in told:
                continue
            told.add((pod.root, trouble.container))
            named = _image(pod.pod, trouble.container)
            yield FailingContainer(pod, trouble, named, _image_place(app, pod.root, trouble.container))


def _uid(obj: Object) -> str:
    return meta.uid(obj)


def _top(obj: Object, by_uid: dict[str, Object]) -> Object:
    """Return the object at the top of a chain of owners; one that owns itself ends it."""
    for _ in range(_DEEPEST):
        owners = meta.owner_references(obj)
        above = next((by_uid[uid] for owner in owners if (uid := str(owner.get("uid"))) in by_uid), None)
        if above is None:
            break
        obj = above
    return obj


def _image(pod: Object, container: str) -> str:
    spec = pod.get("spec") or {}
    everything: list[dict[str, Any]] = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return next((str(item.get("image")) for item in everything if item.get("name") == container), "?")


def _image_place(app: App, root: ObjectKey, container: str) -> Place | None:
    prepared = app.assessment.prepared
    for item in (*prepared.objects, *prepared.hooks):
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
