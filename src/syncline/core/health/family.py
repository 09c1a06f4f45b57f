"""Joins objects with those they own, over any number of generations.

Built once for a set of objects and asked by `syncline.core.health.descend`. Owners are found by uid; where the objects
carry no uid (manifests written by hand) by kind and name.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from syncline.apimachinery.keys import Object, split_api_version

_Name = tuple[str, str, str]


class OwnedObjects:
    """Children by owner."""

    __slots__ = ("_by_name", "_by_uid")

    def __init__(self, objects: Iterable[Object]) -> None:
        self._by_uid: dict[str, list[Object]] = {}
        self._by_name: dict[_Name, list[Object]] = {}
        for obj in objects:
            for owner in _owners(obj):
                if uid := owner.get("uid"):
                    self._by_uid.setdefault(str(uid), []).append(obj)
                self._by_name.setdefault(_name(owner, str(owner.get("name"))), []).append(obj)

    def children(self, obj: Object) -> list[Object]:
        """Return the objects that name this one as an owner."""
        metadata = _metadata(obj)
        if uid := metadata.get("uid"):
            return self._by_uid.get(str(uid), [])
        namespace = metadata.get("namespace")
        found = self._by_name.get(_name(obj, str(metadata.get("name"))), [])
        return [child for child in found if not namespace or _metadata(child).get("namespace") == namespace]

    def below(self, obj: Object) -> Iterator[Object]:
        """Yield everything that the object owns, nearest first, each once."""
        waiting, seen = deque(self.children(obj)), {id(obj)}
        while waiting:
            current = waiting.popleft()
            if id(current) not in seen:
                seen.add(id(current))
                yield current
                waiting.extend(self.children(current))


def _metadata(obj: Object) -> dict[str, Any]:
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}


def _owners(obj: Object) -> Iterator[dict[str, Any]]:
    found = _metadata(obj).get("ownerReferences")
    yield from (owner for owner in (found if isinstance(found, list) else ()) if isinstance(owner, dict))


def _name(obj: Object, name: str) -> _Name:
    group, _ = split_api_version(str(obj.get("apiVersion") or ""))
    return group, str(obj.get("kind")), name
