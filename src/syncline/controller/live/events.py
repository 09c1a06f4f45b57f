"""Warning Events about objects that are not Healthy: why no volume can be made, why a pod is not scheduled.

Filled by `syncline.controller.live.following` from one watch per cluster (one per namespace where only some are seen),
which the server filters; kept by `syncline.controller.live.cluster`, which gives an app the Events of its objects.
Thousands of Events a minute are about objects that get on: those are dropped as they come, of the others a short form
is kept, and both their number and what an app is given of them have bounds. The odd fact: an Event may come before the
object it is about, so a few about strangers wait for theirs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.index import LiveIndex
from syncline.controller.live.scope import WatchTarget
from syncline.core.health import events
from syncline.core.health.assess import APPLICATION, assess
from syncline.core.health.events import Brief
from syncline.model.health import HealthCode
from syncline.model.settings.settings import Settings

EVENT = GroupKind("", "Event")
WARNINGS = "type=Warning"
"""What the server is asked for: four of five Events are Normal, and tell that all goes well."""
PER_APP = 50
PER_APP_BYTES = 32 * 1024
_PER_OBJECT = 4
_OBJECTS = 4096
_STRANGERS = 512

_Name = tuple[str, str]


class ObjectEvents:
    """The Warning Events of one cluster that are worth a look. `on_news` gets the object of which something is new."""

    def __init__(self, index: LiveIndex, settings: Settings, on_news: Callable[[Object], None]) -> None:
        self.settings = settings
        self._index = index
        self._on_news = on_news
        self._kept: OrderedDict[ObjectKey, list[Brief]] = OrderedDict()
        self._strangers: OrderedDict[ObjectKey, list[Brief]] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(found) for kept in (self._kept, self._strangers) for found in kept.values())

    @contextmanager
    def listing(self, watched: WatchTarget) -> Iterator[EventListing]:
        """Take over a list for as long as the block lasts."""
        yield EventListing(self, watched)

    def updated(self, event: Object) -> None:
        """Take over an Event, unless its object gets on without; an Event that only counts on is no news."""
        key = events.subject(event)
        # What is wrong with an Application its status tells; the Events about it are our own.
        if key is None or key.group_kind == APPLICATION:
            return
        obj = self._index.get(key)
        if obj is not None and not _ails(obj):
            self._drop(key)
            return
        short = events.brief(event)
        before = self._drop(key)
        known = obj is not None and bool(self._index.instances_above(obj))
        _put(self._kept if known else self._strangers, key, _joined(before, short), _OBJECTS if known else _STRANGERS)
        news = not any((one.reason, one.message) == (short.reason, short.message) for one in before)
        if news and obj is not None:
            self._on_news(obj)

    def deleted(self, event: Object) -> None:
        """Forget an Event that is gone."""
        key, name = events.subject(event), _name(event)
        if key is not None:
            self._keep_only(key, lambda one: (one.namespace, one.name) != name)

    def drop_unseen(self, namespace: str, seen: set[_Name]) -> None:
        """Forget what a complete list (of a namespace) does not have."""
        for key in [*self._kept, *self._strangers]:
            self._keep_only(key, lambda one: namespace not in ("", one.namespace) or (one.namespace, one.name) in seen)

    def every(self) -> tuple[Object, ...]:
        """Return all that is kept, newest first."""
        kept = [(key, one) for found in (self._kept, self._strangers) for key, some in found.items() for one in some]
        kept.sort(key=lambda one: one[1].time, reverse=True)
        return tuple(events.whole(short, key) for key, short in kept)

    def about(self, live: Iterable[Object]) -> tuple[Object, ...]:
        """Return the Events about the objects of one app that are not Healthy, newest first, within bounds.

        What is kept about objects that are Healthy by now is forgotten.
        """
        if not self._kept and not self._strangers:
            return ()
        found: list[tuple[ObjectKey, Brief]] = []
        for obj in live:
            key = key_of(obj)
            kept = self._kept.get(key) or self._strangers.get(key)
            if kept and _ails(obj):
                uid = meta.uid(obj)
                found += [(key, one) for one in kept if not one.uid or one.uid == uid]
            elif kept:
                self._drop(key)
        found.sort(key=lambda one: one[1].time, reverse=True)
        return tuple(_within_bounds(found))

    def _drop(self, key: ObjectKey) -> list[Brief]:
        return self._kept.pop(key, None) or self._strangers.pop(key, None) or []

    def _keep_only(self, key: ObjectKey, wanted: Callable[[Brief], bool]) -> None:
        for kept in (self._kept, self._strangers):
            if key not in kept:
                continue
            left = [one for one in kept[key] if wanted(one)]
            gone = len(left) < len(kept[key])
            if left:
                kept[key] = left
            else:
                del kept[key]
            if gone and (obj := self._index.get(key)) is not None:
                self._on_news(obj)


class EventListing:
    """One list of Events that is being taken over."""

    def __init__(self, kept: ObjectEvents, watched: WatchTarget) -> None:
        self._kept = kept
        self._watched = watched
        self._seen: set[_Name] = set()

    def restart(self) -> None:
        """Start again: the pages so far were of a list that has expired."""
        self._seen.clear()

    def take(self, event: Object) -> None:
        """Take over one Event."""
        self._seen.add(_name(event))
        self._kept.updated(event)

    def finish(self, _resource_version: str) -> None:
        """Drop what the list does not have."""
        self._kept.drop_unseen(self._watched.namespace, self._seen)


def _ails(obj: Object) -> bool:
    """Whether an object is not Healthy by its own status; what has no check has nothing an Event could explain."""
    health = assess(obj)
    return health is not None and health.status is not HealthCode.HEALTHY


def _name(event: Object) -> _Name:
    metadata = meta.metadata(event)
    return str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def _joined(before: list[Brief], new: Brief) -> list[Brief]:
    """Return the Events about one object, one for each reason, the newest of them."""
    others = [one for one in before if one.reason != new.reason and one.uid == new.uid]
    same = [one for one in before if one.reason == new.reason and one.uid == new.uid and one.time > new.time]
    found = [*others, same[0] if same else new]
    return sorted(found, key=lambda one: one.time, reverse=True)[:_PER_OBJECT]


def _put(kept: OrderedDict[ObjectKey, list[Brief]], key: ObjectKey, found: list[Brief], most: int) -> None:
    kept[key] = found
    if len(kept) > most:
        kept.popitem(last=False)


def _within_bounds(found: list[tuple[ObjectKey, Brief]]) -> Iterator[Object]:
    left = PER_APP_BYTES
    for key, short in found[:PER_APP]:
        event = events.whole(short, key)
        left -= len(orjson.dumps(event))
        if left < 0:
            return
        yield event
