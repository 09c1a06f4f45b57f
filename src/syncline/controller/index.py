"""Live objects of one cluster, findable by key, by owning app and by owning object.

Filled by `syncline.controller.live`, read by `syncline.controller.observe`. Plain data structures: no input, no output.
An older version of an object never replaces a newer one, and a deleted object does not come back by a late answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.compare import tracking
from syncline.core.settings import filters
from syncline.model import names
from syncline.model.settings import Settings

_KEPT_TOMBSTONES = 10_000


def version_of(obj: Object) -> int:
    """Return an object's resourceVersion as a number."""
    text = str((obj.get("metadata") or {}).get("resourceVersion") or "")
    return int(text) if text.isdigit() else 0


class LiveIndex:
    """The live objects of one cluster."""

    def __init__(self, settings: Settings, server: str = names.IN_CLUSTER_SERVER) -> None:
        self._settings = settings
        self._server = server
        self._objects: dict[ObjectKey, Object] = {}
        self._by_kind: dict[GroupKind, set[ObjectKey]] = defaultdict(set)
        self._by_instance: dict[str, set[ObjectKey]] = defaultdict(set)
        self._by_owner: dict[str, set[ObjectKey]] = defaultdict(set)
        self._by_uid: dict[str, ObjectKey] = {}
        self._tombstones: dict[ObjectKey, int] = {}

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, key: ObjectKey) -> Object | None:
        """Return one object."""
        return self._objects.get(key)

    def of_kind(self, kind: GroupKind) -> Iterator[Object]:
        """Yield all objects of a kind, sorted by key."""
        for key in sorted(self._by_kind.get(kind, ())):
            yield self._objects[key]

    def in_namespace(self, namespace: str) -> Iterator[Object]:
        """Yield every object of one namespace."""
        return (obj for key, obj in self._objects.items() if key.namespace == namespace)

    def put(self, obj: Object) -> bool:
        """Take an object over; False when something newer is known already."""
        key, version = key_of(obj), version_of(obj)
        known = self._objects.get(key)
        if (known is not None and version_of(known) >= version) or self._tombstones.get(key, -1) >= version > 0:
            return False
        if known is not None:
            self._forget(key, known)
        self._tombstones.pop(key, None)
        self._objects[key] = obj
        self._by_kind[key.group_kind].add(key)
        metadata = obj.get("metadata") or {}
        if uid := metadata.get("uid"):
            self._by_uid[uid] = key
        for owner in metadata.get("ownerReferences") or ():
            self._by_owner[str(owner.get("uid"))].add(key)
        if instance := self._instance(key, obj):
            self._by_instance[instance].add(key)
        return True

    def use(self, settings: Settings) -> None:
        """Read the marks of all objects under other settings."""
        self._settings = settings
        self._by_instance.clear()
        for key, obj in self._objects.items():
            if instance := self._instance(key, obj):
                self._by_instance[instance].add(key)

    def _instance(self, key: ObjectKey, obj: Object) -> str:
        """Return the app an object belongs to; one of a kind that settings leave out belongs to none."""
        if filters.excluded(key.group_kind, self._settings, self._server):
            return ""
        return tracking.owner_of(obj, self._settings)

    def remove(self, obj: Object) -> None:
        """Forget a deleted object."""
        key = key_of(obj)
        known = self._objects.get(key)
        if known is not None and version_of(known) <= version_of(obj):
            self._forget(key, known)
        if len(self._tombstones) > _KEPT_TOMBSTONES:
            self._tombstones.clear()
        self._tombstones[key] = version_of(obj)

    def replace_kind(self, kind: GroupKind, objects: Iterable[Object], namespace: str = "") -> list[Object]:
        """Swap all objects of a kind (in a namespace) for a complete list; return those that changed or went away."""
        fresh = {key_of(obj): obj for obj in objects}
        changed = []
        known = [key for key in sorted(self._by_kind.get(kind, ())) if namespace in ("", key.namespace)]
        for key in [key for key in known if key not in fresh]:
            changed.append(self._objects[key])
            self._forget(key, self._objects[key])
        changed += [obj for obj in fresh.values() if self.put(obj)]
        return changed

    def _forget(self, key: ObjectKey, obj: Object) -> None:
        del self._objects[key]
        self._by_kind[key.group_kind].discard(key)
        metadata = obj.get("metadata") or {}
        if self._by_uid.get(uid := str(metadata.get("uid"))) == key:
            del self._by_uid[uid]
        for owner in metadata.get("ownerReferences") or ():
            self._by_owner[str(owner.get("uid"))].discard(key)
        if instance := self._instance(key, obj):
            self._by_instance[instance].discard(key)

    def owned_by(self, instance: str) -> frozenset[ObjectKey]:
        """Return the objects that say they belong to an app."""
        return frozenset(self._by_instance.get(instance, ()))

    def with_descendants(self, keys: Iterable[ObjectKey]) -> tuple[Object, ...]:
        """Return the objects of the keys that are live, and everything they own, sorted by key."""
        found: dict[ObjectKey, Object] = {}
        queue = [key for key in keys if key in self._objects]
        while queue:
            key = queue.pop()
            if key in found:
                continue
            obj = found[key] = self._objects[key]
            queue += self._by_owner.get(str((obj.get("metadata") or {}).get("uid")), ())
        return tuple(found[key] for key in sorted(found))

    def instances_above(self, obj: Object) -> frozenset[str]:
        """Return the apps an object belongs to: its own, or those of the objects that own it."""
        seen: set[str] = set()
        found: set[str] = set()
        queue = [obj]
        while queue:
            current = queue.pop()
            if instance := self._instance(key_of(current), current):
                found.add(instance)
            for owner in (current.get("metadata") or {}).get("ownerReferences") or ():
                uid = str(owner.get("uid"))
                if uid not in seen and (key := self._by_uid.get(uid)):
                    seen.add(uid)
                    queue.append(self._objects[key])
        return frozenset(found)
