"""What was read of one cluster, found by key, kind, owner, label and by what makes it.

Built once for each cluster of a `syncline.model.fleet.FleetSnapshot` and asked by checks through
`syncline.core.diagnose.graph.fault.Node`. An index is made when it is first needed: a healthy cluster costs little.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TypeVar, cast

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.health import events
from syncline.core.health.claims import Storage
from syncline.core.health.family import OwnedObjects
from syncline.core.references import read
from syncline.core.references.pods import SECRET
from syncline.model.fleet import ClusterSnapshot

T = TypeVar("T")
_DEEPEST = 10
_POD = GroupKind("", "Pod")


class ClusterIndex:
    """One cluster."""

    def __init__(self, snapshot: ClusterSnapshot, as_of: str) -> None:
        self.snapshot = snapshot
        self.name = snapshot.name
        self.as_of = as_of
        self.objects: dict[ObjectKey, Object] = {key_of(obj): obj for obj in snapshot.objects}
        self._unreadable = frozenset(snapshot.unreadable)
        self._remembered: dict[object, object] = {}
        self._sorted: dict[tuple[GroupKind, str | None], list[tuple[ObjectKey, Object]]] = {}
        self._namers: dict[str, dict[ObjectKey, list[ObjectKey]]] = {}

    def get(self, key: ObjectKey) -> Object | None:
        """Return an object; None where it was not read."""
        return self.objects.get(key)

    @functools.cached_property
    def _by_kind(self) -> Mapping[GroupKind, Mapping[str, list[ObjectKey]]]:
        kinds: dict[tuple[str, str], GroupKind] = {}
        found: dict[GroupKind, dict[str, list[ObjectKey]]] = {}
        for key in self.objects:
            kind = kinds.get((key.group, key.kind))
            if kind is None:
                kind = kinds[key.group, key.kind] = key.group_kind
                found[kind] = {}
            found[kind].setdefault(key.namespace, []).append(key)
        return found

    @property
    def kinds(self) -> Iterator[GroupKind]:
        """The kinds of which an object was read."""
        return iter(self._by_kind)

    def of_kind(self, kind: GroupKind, namespace: str | None = None) -> list[tuple[ObjectKey, Object]]:
        """Return the objects of a kind, of one namespace or of all, in the order of their keys."""
        found = self._sorted.get((kind, namespace))
        if found is None:
            spaces = self._by_kind.get(kind) or {}
            keys = [key for one in spaces.values() for key in one] if namespace is None else spaces.get(namespace, [])
            found = self._sorted[kind, namespace] = [(key, self.objects[key]) for key in sorted(keys)]
        return found

    def was_read(self, kind: GroupKind) -> bool:
        """Whether objects of a kind would be here if they existed: only then is one that is not here absent."""
        if str(kind) in self._unreadable or self.snapshot.problem or self.snapshot.partial:
            return False
        if kind == SECRET:
            return self.snapshot.secrets_listed
        return kind in self._by_kind

    def is_absent(self, key: ObjectKey) -> bool:
        """Whether an object is known not to exist."""
        return key not in self.objects and self.was_read(key.group_kind)

    @functools.cached_property
    def _family(self) -> OwnedObjects:
        return OwnedObjects(self.objects.values())

    @functools.cached_property
    def _by_uid(self) -> Mapping[str, Object]:
        return {uid: obj for obj in self.objects.values() if (uid := meta.uid(obj))}

    def children(self, obj: Object) -> list[Object]:
        """Return what names an object as its owner."""
        return self._family.children(obj)

    def below(self, obj: Object) -> Iterator[Object]:
        """Yield what an object owns, over all generations."""
        return self._family.below(obj)

    def owner(self, obj: Object) -> Object | None:
        """Return what owns an object; None where nothing that was read does."""
        space = meta.namespace(obj)
        for one in meta.owner_references(obj):
            if found := self._by_uid.get(str(one.get("uid") or "")):
                return found
            group = str(one.get("apiVersion") or "").rpartition("/")[0]
            kind, name = str(one.get("kind") or ""), str(one.get("name") or "")
            for namespace in {space, ""}:
                if found := self.objects.get(ObjectKey(group, kind, namespace, name)):
                    return found
            if kind == "ReplicaSet":
                # One that may not be read is named after its Deployment.
                found = self.objects.get(ObjectKey("apps", "Deployment", space, name.rpartition("-")[0]))
                if found is not None:
                    return found
        return None

    def top(self, obj: Object) -> Object:
        """Return the object at the top of a chain of owners."""
        for _ in range(_DEEPEST):
            above = self.owner(obj)
            if above is None or above is obj:
                break
            obj = above
        return obj

    @functools.cached_property
    def _events(self) -> Mapping[ObjectKey, list[Object]]:
        found: dict[ObjectKey, list[Object]] = {}
        for event in self.snapshot.events:
            about = events.subject(event)
            if about is not None:
                found.setdefault(about, []).append(event)
        return {key: sorted(same, key=events.time, reverse=True) for key, same in found.items()}

    def events(self, key: ObjectKey, *reasons: str) -> list[Object]:
        """Return the Events about an object, newest first; those of an object that had its name before are left out."""
        uid = meta.uid(self.objects.get(key))
        return [
            event
            for event in self._events.get(key, ())
            if (not reasons or event.get("reason") in reasons) and (not uid or events.subject_uid(event) in ("", uid))
        ]

    def warned(self) -> Iterator[tuple[ObjectKey, list[Object]]]:
        """Yield what Events are about, with the Events."""
        yield from self._events.items()

    @functools.cached_property
    def _logs(self) -> Mapping[tuple[ObjectKey, str], tuple[str, ...]]:
        return {(log.pod, log.container): log.lines for log in self.snapshot.logs}

    def log(self, pod: ObjectKey, container: str) -> tuple[str, ...]:
        """Return the last lines that a container printed."""
        return self._logs.get((pod, container), ())

    @functools.cached_property
    def storage(self) -> Storage:
        """StorageClasses and what failed of claims."""
        classes = [obj for _key, obj in self.of_kind(GroupKind("storage.k8s.io", "StorageClass"))]
        return Storage([*classes, *self.snapshot.events])

    def lacks_class(self, claim: Object) -> bool:
        """Whether the class of a claim is known not to exist: others were read, or the cluster says so of it."""
        name = str((claim.get("spec") or {}).get("storageClassName") or "")
        key = ObjectKey("storage.k8s.io", "StorageClass", "", name)
        if not name or key in self.objects:
            return False
        failed = self.storage.failure(claim)
        return self.is_absent(key) or (failed is not None and f'"{name}" not found' in events.message(failed))

    @functools.cached_property
    def _makers(self) -> Mapping[ObjectKey, list[ObjectKey]]:
        found: dict[ObjectKey, list[ObjectKey]] = {}
        for kind in self._by_kind:
            if not read.may_make(kind):
                continue
            for key, obj in self.of_kind(kind):
                for reference in read.references(obj):
                    if reference.makes:
                        found.setdefault(reference.key, []).append(key)
        return found

    def makers(self, key: ObjectKey) -> list[ObjectKey]:
        """Return what should make an object: an ExternalSecret, a Certificate, a SealedSecret."""
        return self._makers.get(key, [])

    def pods_naming(self, key: ObjectKey) -> list[ObjectKey]:
        """Return the pods of an object's namespace that name it."""
        space = self._namers.get(key.namespace)
        if space is None:
            space = self._namers[key.namespace] = {}
            for pod, obj in self.of_kind(_POD, key.namespace):
                for one in read.named(obj):
                    space.setdefault(one, []).append(pod)
        return space.get(key, [])

    @functools.cached_property
    def _pods_by_label(self) -> Mapping[tuple[str, str, str], list[ObjectKey]]:
        found: dict[tuple[str, str, str], list[ObjectKey]] = {}
        for key, pod in self.of_kind(_POD):
            for name, value in meta.labels(pod).items():
                found.setdefault((key.namespace, name, value), []).append(key)
        return found

    def selected(self, namespace: str, labels: Mapping[str, str]) -> list[tuple[ObjectKey, Object]]:
        """Return the pods of a namespace that have all of some labels."""
        wanted = [self._pods_by_label.get((namespace, str(name), str(value)), []) for name, value in labels.items()]
        if not wanted:
            return []
        common = set(wanted[0]).intersection(*wanted[1:])
        return [(key, self.objects[key]) for key in sorted(common)]

    def remembered(self, worked_out: Callable[[ClusterIndex], T]) -> T:
        """Return what a function makes of this cluster, which is worked out once."""
        if worked_out not in self._remembered:
            self._remembered[worked_out] = worked_out(self)
        return cast("T", self._remembered[worked_out])

    @functools.cached_property
    def now(self) -> datetime | None:
        """When all of this was so; None where nobody knows."""
        return moment(self.as_of)

    def age(self, since: str) -> float | None:
        """Return for how many seconds something has been so; None where that cannot be told."""
        then = moment(since)
        return (self.now - then).total_seconds() if self.now is not None and then is not None else None


def moment(text: str) -> datetime | None:
    """Return a time; None for a text that is not one."""
    try:
        return times.parse(text) if text else None
    except times.InvalidTime:
        return None
