"""Live objects of one cluster, findable by key, by owning app, by owning object and by who names them.

Filled by `syncline.controller.live.intake`, read by `syncline.controller.deliver.observe` and everybody else who asks
what is live. Plain data structures: no input, no output. Objects are kept compact and decoded when somebody looks; what
every question about ownership needs stands beside the bytes. An older version of an object never replaces a newer one,
and a deleted object does not come back by a late answer.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.compact import Compact, Press
from syncline.controller.live.mentions import Mentions, Named
from syncline.controller.live.recent import Recent
from syncline.core import defined_kinds
from syncline.core.compare import tracking
from syncline.core.references import read
from syncline.core.references.pods import NODE
from syncline.core.settings import filters
from syncline.model import names
from syncline.model.reference import Reference
from syncline.model.settings.settings import Settings

CRD_KIND = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_KEPT_TOMBSTONES = 10_000
_Part = TypeVar("_Part")


class _Metadata(msgspec.Struct):
    labels: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None


class _Marked(msgspec.Struct):
    """As much of an object as says to whom it belongs."""

    metadata: _Metadata


_MARKED = msgspec.json.Decoder(_Marked)


class _Kept:
    """What is at hand about an object without decoding it."""

    __slots__ = ("api", "compact", "instance", "key", "owners", "uid", "version")

    def __init__(self, key: ObjectKey, obj: Object, instance: str, compact: Compact) -> None:
        metadata = meta.metadata(obj)
        self.key = key
        self.api = sys.intern(str(obj.get("apiVersion") or ""))
        self.version = version_of(obj)
        self.uid = str(metadata.get("uid") or "")
        self.owners = tuple(str(owner.get("uid")) for owner in metadata.get("ownerReferences") or ())
        self.instance = sys.intern(instance)
        self.compact = compact


def version_of(obj: Object) -> int:
    """Return an object's resourceVersion as a number."""
    text = meta.resource_version(obj)
    return int(text) if text.isdigit() else 0


class LiveIndex:
    """The live objects of one cluster."""

    def __init__(self, settings: Settings, server: str = names.IN_CLUSTER_SERVER) -> None:
        self._settings = settings
        self._server = server
        self._kept: dict[ObjectKey, _Kept] = {}
        self._by_kind: dict[GroupKind, set[ObjectKey]] = defaultdict(set)
        self._by_instance: dict[str, set[ObjectKey]] = defaultdict(set)
        self._by_owner: dict[str, set[ObjectKey]] = defaultdict(set)
        self._strays: dict[str, set[ObjectKey]] = defaultdict(set)
        self._by_uid: dict[str, ObjectKey] = {}
        self._defined: dict[GroupKind, ObjectKey] = {}
        self._tombstones: dict[ObjectKey, int] = {}
        self._mentions = Mentions()
        # Pods of one workload name the same objects but run on different nodes: kept apart, most can be shared.
        self._placements = Mentions()
        self._press = Press()
        self._recent = Recent()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: ObjectKey) -> bool:
        return key in self._kept

    def get(self, key: ObjectKey) -> Object | None:
        """Return one object."""
        found = self._recent.get(key)
        if found is None and (kept := self._kept.get(key)) is not None:
            found = kept.compact.whole()
            self._recent.add(key, found, kept.compact.length)
        return found

    def part(self, key: ObjectKey, decoder: msgspec.json.Decoder[_Part]) -> _Part | None:
        """Return some fields of one object as a typed value, cheaper than the whole."""
        kept = self._kept.get(key)
        return None if kept is None else kept.compact.part(decoder)

    def keys(self, kind: GroupKind, namespace: str = "") -> list[ObjectKey]:
        """Return the keys of all objects of a kind (in a namespace), sorted."""
        found: Iterable[ObjectKey] = self._by_kind.get(kind, ())
        return sorted(key for key in found if namespace in ("", key.namespace))

    def has_kind(self, kind: GroupKind) -> bool:
        """Whether there is any object of a kind."""
        return bool(self._by_kind.get(kind))

    def kinds(self) -> list[GroupKind]:
        """Return the kinds of which there is an object, sorted."""
        return sorted(kind for kind, keys in self._by_kind.items() if keys)

    def seen(self, key: ObjectKey) -> Object | None:
        """Return one of very many objects, for somebody who looks at them all once."""
        return self._seen(key) if key in self._kept else None

    def of_kind(self, kind: GroupKind, namespace: str = "") -> Iterator[Object]:
        """Yield all objects of a kind (in a namespace), sorted by key."""
        return (self._seen(key) for key in self.keys(kind, namespace))

    def _seen(self, key: ObjectKey) -> Object:
        """Return an object that many others are looked at with, which does not make it a recent one."""
        return self._recent.get(key) or self._kept[key].compact.whole()

    def definition(self, kind: GroupKind) -> Object | None:
        """Return the CRD of a custom kind."""
        key = self._defined.get(kind)
        return self.get(key) if key is not None else None

    def newer(self, obj: Object) -> bool:
        """Whether an object is newer than what is known of it, or the same in another API version."""
        key, version = key_of(obj), version_of(obj)
        kept = self._kept.get(key)
        if kept is None:
            return not self._tombstones.get(key, -1) >= version > 0
        return version > kept.version or (version == kept.version and obj.get("apiVersion") != kept.api)

    def version(self, key: ObjectKey) -> int:
        """Return the version of an object; 0 when it is not there."""
        kept = self._kept.get(key)
        return kept.version if kept is not None else 0

    def put(self, obj: Object, *, awaited: bool = True) -> bool:
        """Take an object over; False when something newer is known already.

        One that is not `awaited` (an item of a list) is not looked at soon, so nobody keeps it decoded.
        """
        if not self.newer(obj):
            return False
        before = self._kept.get(key_of(obj))
        key = before.key if before is not None else _interned(key_of(obj))
        if before is not None:
            self._unlink(before)
        self._tombstones.pop(key, None)
        kept = _Kept(key, obj, self._instance(key, obj), self._press.compact(key.group_kind, obj))
        self._link(kept)
        if key.group_kind == CRD_KIND and (defined := defined_kinds.defined_kind(obj)) is not None:
            self._defined[defined] = key
        named = read.named(obj)
        self._mentions.put(key, _others(named))
        self._placements.put(key, _nodes(named))
        if awaited and (kept.instance or kept.owners or key in self._recent):
            self._recent.add(key, obj, kept.compact.length)
        else:
            self._recent.drop(key)
        return True

    def _link(self, kept: _Kept) -> None:
        key = kept.key
        self._kept[key] = kept
        self._by_kind[key.group_kind].add(key)
        if kept.uid:
            self._by_uid[kept.uid] = key
        for owner in kept.owners:
            self._by_owner[owner].add(key)
        self._claim(kept)

    def _claim(self, kept: _Kept) -> None:
        """Note to whom an object belongs: an app, another object, or nobody."""
        if kept.instance:
            self._by_instance[kept.instance].add(kept.key)
        elif not kept.owners:
            self._strays[kept.key.namespace].add(kept.key)

    def _unlink(self, kept: _Kept) -> None:
        """Take an object out of all but the references, which the next version of it may share."""
        key = kept.key
        del self._kept[key]
        self._by_kind[key.group_kind].discard(key)
        if self._by_uid.get(kept.uid) == key:
            del self._by_uid[kept.uid]
        for owner in kept.owners:
            _discard(self._by_owner, owner, key)
        _discard(self._by_instance, kept.instance, key)
        _discard(self._strays, key.namespace, key)
        if key.group_kind == CRD_KIND:
            for kind in [kind for kind, defining in self._defined.items() if defining == key]:
                del self._defined[kind]

    def use(self, settings: Settings) -> None:
        """Read the marks of all objects under other settings."""
        self._settings = settings
        self._by_instance.clear()
        self._strays.clear()
        for key, kept in self._kept.items():
            metadata = msgspec.structs.asdict(kept.compact.part(_MARKED).metadata)
            metadata |= {"namespace": key.namespace, "name": key.name}
            shown = {"apiVersion": kept.api, "kind": key.kind, "metadata": metadata}
            kept.instance = sys.intern(self._instance(key, shown))
            self._claim(kept)

    def excluded(self, kind: GroupKind) -> bool:
        """Whether settings leave a kind out, which is followed for other reasons all the same."""
        return filters.excluded(kind, self._settings, self._server)

    def _instance(self, key: ObjectKey, obj: Object) -> str:
        """Return the app an object belongs to; one of a kind that settings leave out belongs to none."""
        if self.excluded(key.group_kind):
            return ""
        return tracking.owner_of(obj, self._settings)

    def instance_of(self, key: ObjectKey) -> str:
        """Return the app that an object says it belongs to; empty where it names none or is not there."""
        kept = self._kept.get(key)
        return kept.instance if kept is not None else ""

    def tracked(self, key: ObjectKey) -> bool:
        """Whether an object says that it belongs to an app."""
        kept = self._kept.get(key)
        return kept is not None and bool(kept.instance)

    def remove(self, obj: Object) -> None:
        """Forget a deleted object."""
        key, version = key_of(obj), version_of(obj)
        kept = self._kept.get(key)
        if kept is not None and kept.version <= version:
            self._drop(kept)
        if len(self._tombstones) > _KEPT_TOMBSTONES:
            self._tombstones.clear()
        self._tombstones[key] = version

    def drop_unseen(
        self, kind: GroupKind, seen: AbstractSet[ObjectKey] = frozenset(), namespace: str = ""
    ) -> Iterator[Object]:
        """Forget the objects of a kind (in a namespace) that a complete list does not have; yields each as it goes."""
        for key in self.keys(kind, namespace):
            if key not in seen:
                gone = self._seen(key)
                self._drop(self._kept[key])
                yield gone

    def _drop(self, kept: _Kept) -> None:
        self._unlink(kept)
        self._mentions.drop(kept.key)
        self._placements.drop(kept.key)
        self._recent.drop(kept.key)

    def owned_by(self, instance: str) -> frozenset[ObjectKey]:
        """Return the objects that say they belong to an app."""
        return frozenset(self._by_instance.get(instance, ()))

    def strays(self, namespace: str) -> frozenset[ObjectKey]:
        """Return the objects of a namespace that belong to no app and that no other object owns."""
        return frozenset(self._strays.get(namespace, ()))

    def referrers(self, key: ObjectKey) -> frozenset[ObjectKey]:
        """Return the objects that name an object, which need not be there itself."""
        mentions = self._placements if key.group_kind == NODE else self._mentions
        return mentions.referrers(key)

    def references(self, key: ObjectKey) -> tuple[Reference, ...]:
        """Return what an object names, and in which fields."""
        if not self._mentions.named_by(key) and not self._placements.named_by(key):
            return ()
        obj = self.get(key)
        return read.references(obj) if obj is not None else ()

    def with_descendants(
        self, keys: Iterable[ObjectKey], permits: Callable[[ObjectKey], bool] = lambda _key: True
    ) -> tuple[Object, ...]:
        """Return the objects of the keys that are live, and everything they own that is permitted, sorted by key.

        Whoever writes an object can name any owner in it, so a child that is not permitted is left out with all that
        it owns.
        """
        found: set[ObjectKey] = set()
        queue = [key for key in keys if key in self._kept]
        while queue:
            key = queue.pop()
            if key not in found:
                found.add(key)
                queue += filter(permits, self._by_owner.get(self._kept[key].uid, ()))
        return tuple(obj for key in sorted(found) if (obj := self.get(key)) is not None)

    def instances_above(self, obj: Object) -> frozenset[str]:
        """Return the apps an object belongs to: its own, or those of the objects that own it."""
        kept = self._kept.get(key_of(obj))
        if kept is not None and kept.version == version_of(obj):
            found, queue = {kept.instance}, list(kept.owners)
        else:
            owners = meta.owner_references(obj)
            found, queue = {self._instance(key_of(obj), obj)}, [str(owner.get("uid")) for owner in owners]
        seen: set[str] = set()
        while queue:
            uid = queue.pop()
            key = self._by_uid.get(uid)
            if uid not in seen and key is not None:
                seen.add(uid)
                found.add(self._kept[key].instance)
                queue += self._kept[key].owners
        return frozenset(found - {""})


def _interned(key: ObjectKey) -> ObjectKey:
    """Return the same key, of which only the name is a text of its own."""
    return ObjectKey(sys.intern(key.group), sys.intern(key.kind), sys.intern(key.namespace), key.name)


def _discard(sets: dict[str, set[ObjectKey]], name: str, key: ObjectKey) -> None:
    members = sets.get(name)
    if members is not None:
        members.discard(key)
        if not members:
            del sets[name]


def _nodes(named: Named) -> Named:
    return tuple(key for key in named if key.kind == NODE.kind and not key.group)


def _others(named: Named) -> Named:
    return tuple(key for key in named if key.kind != NODE.kind or key.group)
