"""What every object of a sandbox looked like at every moment, for judges who ask about a time span."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.store.store import ObjectStore, StoreEvent
from tests.support.clocks import LoopClock

Name = tuple[str, str, str]
"""Plural, namespace and name of an object."""


class Past:
    """All versions of all objects since it began."""

    def __init__(self, store: ObjectStore) -> None:
        self._clock = LoopClock()
        self._versions: dict[Name, list[tuple[float, Object | None]]] = defaultdict(list)
        self._moments: list[float] = []
        store.subscribe(self._note)

    def _note(self, event: StoreEvent) -> None:
        place = event.row.place
        now = self._clock.monotonic()
        obj = None if event.type == "DELETED" else event.row.decode()
        self._versions[place.bucket.plural, place.namespace, place.name].append((now, obj))
        self._moments.append(now)

    def now(self, name: Name) -> Object | None:
        """Return an object as it is."""
        versions = self._versions.get(name)
        return versions[-1][1] if versions else None

    def at(self, name: Name, moment: float) -> Object | None:
        """Return an object as it was at the end of a moment."""
        found = None
        for when, obj in self._versions.get(name, ()):
            if when > moment:
                break
            found = obj
        return found

    def ever(self, since: float, holds: Callable[[float], bool]) -> bool:
        """Whether something held at some moment since a time."""
        moments = {since, self._clock.monotonic(), *(moment for moment in self._moments if moment >= since)}
        return any(holds(moment) for moment in sorted(moments, reverse=True))

    def versions(self, name: Name) -> Iterable[tuple[float, Object | None]]:
        """Return every version of an object, with its time."""
        return tuple(self._versions.get(name, ()))
