"""The live objects that were looked at last, decoded, so that one pass does not decode the same object again and again.

Kept by `syncline.controller.live.index`. Bounded by the length of the objects as JSON, because one CRD may be as long
as a thousand ConfigMaps; decoded they take some six times as much.
"""

from __future__ import annotations

from collections import OrderedDict

from syncline.apimachinery.keys import Object, ObjectKey

KEPT_BYTES = 4 * 1024 * 1024


class Recent:
    """A bounded number of decoded objects; whoever was not asked for longest goes first."""

    __slots__ = ("_limit", "_objects", "_used")

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        self._limit = limit
        self._objects: OrderedDict[ObjectKey, tuple[Object, int]] = OrderedDict()
        self._used = 0

    def __contains__(self, key: ObjectKey) -> bool:
        return key in self._objects

    def get(self, key: ObjectKey) -> Object | None:
        """Return an object that is still here."""
        found = self._objects.get(key)
        if found is None:
            return None
        self._objects.move_to_end(key)
        return found[0]

    def add(self, key: ObjectKey, obj: Object, length: int) -> None:
        """Keep an object that has so many bytes of JSON; one that would displace everything else is not kept."""
        self.drop(key)
        if length > self._limit:
            return
        self._objects[key] = (obj, length)
        self._used += length
        while self._used > self._limit:
            _, (_, freed) = self._objects.popitem(last=False)
            self._used -= freed

    def drop(self, key: ObjectKey) -> None:
        """Forget an object that changed or is gone."""
        found = self._objects.pop(key, None)
        if found is not None:
            self._used -= found[1]
