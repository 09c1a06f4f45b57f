"""Which objects name which others, both ways round, without a decoded object at hand.

Kept by `syncline.controller.live.index` from what `syncline.core.references` reads. Pods of one workload name the same
objects, so objects are grouped by what they name: fifty thousand pods make some hundred groups, and each is a member of
one.
"""

from __future__ import annotations

from syncline.apimachinery.keys import ObjectKey

Named = tuple[ObjectKey, ...]


class Mentions:
    """Referrers by what they name."""

    __slots__ = ("_groups_of", "_members", "_named")

    def __init__(self) -> None:
        self._named: dict[ObjectKey, Named] = {}
        self._members: dict[Named, set[ObjectKey]] = {}
        self._groups_of: dict[ObjectKey, dict[Named, Named]] = {}

    def named_by(self, key: ObjectKey) -> Named:
        """Return what an object names."""
        return self._named.get(key, ())

    def referrers(self, key: ObjectKey) -> frozenset[ObjectKey]:
        """Return the objects that name this one, which need not exist itself."""
        return frozenset().union(*(self._members[named] for named in self._groups_of.get(key, ())))

    def put(self, key: ObjectKey, named: Named) -> None:
        """Note what an object names now."""
        if self._named.get(key, ()) == named:
            return
        self.drop(key)
        if not named:
            return
        if named not in self._members:
            self._members[named] = set()
            for other in named:
                self._groups_of.setdefault(other, {})[named] = named
        # The first tuple of a group stands for all that are equal to it, so that only one is kept.
        self._named[key] = self._groups_of[named[0]][named]
        self._members[named].add(key)

    def drop(self, key: ObjectKey) -> None:
        """Forget an object."""
        named = self._named.pop(key, None)
        if named is None:
            return
        members = self._members[named]
        members.discard(key)
        if members:
            return
        del self._members[named]
        for other in named:
            groups = self._groups_of[other]
            del groups[named]
            if not groups:
                del self._groups_of[other]
