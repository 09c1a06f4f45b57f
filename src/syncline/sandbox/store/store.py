"""Objects as encoded bytes, one version counter, and the log of what happened.

Written by `syncline.sandbox.api.writes` and `syncline.sandbox.api.deletes`; read by `syncline.sandbox.api.reads`, by
`syncline.sandbox.api.watches` and by the simulated controllers. All methods are synchronous and a caller never awaits
between reading and writing, which is what makes a compare-and-put atomic. Bodies leave out apiVersion and kind: the
served version puts them in front, so that one row serves several versions. Nobody may change an object after handing
it in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple, Protocol

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.store.history import History, HistoryLimits

EventType = Literal["ADDED", "MODIFIED", "DELETED"]
_NO_LABELS: Final[dict[str, str]] = {}


class Bucket(NamedTuple):
    """Where the objects of a resource are kept: all its versions share one."""

    group: str
    plural: str


class RowKey(NamedTuple):
    """Where one object is kept."""

    bucket: Bucket
    namespace: str
    name: str


class Row:
    """One stored object: its bytes, and what selectors and collectors ask for most. Never changed in place.

    Version 0 is for an object that is not stored yet (the answer to a dry run of a create).
    """

    __slots__ = ("body", "deleting", "labels", "owners", "place", "uid", "version", "view")

    def __init__(self, place: RowKey, obj: Object, version: int) -> None:
        metadata = obj["metadata"]
        if version:
            metadata["resourceVersion"] = str(version)
        else:
            metadata.pop("resourceVersion", None)
        self.place = place
        self.version = version
        self.uid: str = metadata.get("uid", "")
        self.labels: dict[str, str] = metadata.get("labels") or _NO_LABELS
        self.owners: tuple[str, ...] = tuple(ref.get("uid", "") for ref in metadata.get("ownerReferences") or ())
        self.deleting = "deletionTimestamp" in metadata
        self.body = orjson.dumps(obj)
        self.view: Any = None
        """Facts that readers worked out of the body and want to keep with it."""

    def decode(self) -> Object:
        """Return the object, without apiVersion and kind; the caller owns it."""
        decoded: Object = orjson.loads(self.body)
        return decoded


class StoreEvent:
    """One change: the row after it (for DELETED the last one) and the row before it."""

    __slots__ = ("encoded", "previous", "row", "type")

    def __init__(self, type: EventType, row: Row, previous: Row | None) -> None:  # noqa: A002 - Kubernetes' word
        self.type = type
        self.row = row
        self.previous = previous
        self.encoded: dict[Any, bytes] = {}
        """Bytes written for the watchers that are told of it now, by what they asked for."""

    @property
    def version(self) -> int:
        """The resourceVersion of the change."""
        return self.row.version


class Journal(Protocol):
    """What keeps rows beyond the process; a change is safe once a call returns."""

    def version(self) -> int:
        """Return the newest resourceVersion."""
        ...

    def rows(self) -> Iterator[Row]:
        """Yield what is kept."""
        ...

    def put(self, row: Row) -> None:
        """Keep a row."""
        ...

    def remove(self, row: Row) -> None:
        """Forget a row that ended."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


Listener = Callable[[StoreEvent], None]


class ObjectStore:
    """All objects of one sandbox, in memory; a journal may keep them beyond the process."""

    def __init__(
        self,
        *,
        monotonic: Callable[[], float],
        history: HistoryLimits = HistoryLimits(),  # noqa: B008 - frozen
        journal: Journal | None = None,
    ) -> None:
        self._rows: dict[Bucket, dict[tuple[str, str], Row]] = {}
        self._sorted: dict[Bucket, list[tuple[str, str]]] = {}
        self._owned: dict[str, dict[RowKey, None]] = {}
        self._places: dict[str, RowKey] = {}
        self._history = History(history)
        self._monotonic = monotonic
        self._listeners: list[Listener] = []
        self.version = 1
        """The resourceVersion of the newest change."""
        self._journal = journal
        if journal is not None:
            self._load(journal)

    def _load(self, journal: Journal) -> None:
        for row in journal.rows():
            self._rows.setdefault(row.place.bucket, {})[row.place.namespace, row.place.name] = row
            self._index(None, row)
        self.version = journal.version()
        if self.version > 1:
            self._history.compact(self.version)

    def close(self) -> None:
        """Give back what keeps the objects; nothing may be written afterwards."""
        if self._journal is not None:
            self._journal.close()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every change from now on; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def get(self, bucket: Bucket, namespace: str, name: str) -> Row | None:
        """Return one row, or None."""
        return self._rows.get(bucket, {}).get((namespace, name))

    def at(self, place: RowKey) -> Row | None:
        """Return the row of a place, or None."""
        return self.get(*place)

    def rows(self, bucket: Bucket, namespace: str = "", *, after: tuple[str, str] | None = None) -> Iterator[Row]:
        """Yield rows by namespace and name; `after` leaves out all up to and with that key."""
        rows = self._rows.get(bucket)
        if not rows:
            return
        keys = self._sorted.get(bucket)
        if keys is None:
            keys = self._sorted[bucket] = sorted(rows)
        start = bisect_right(keys, after) if after is not None else 0
        if namespace:
            start = max(start, bisect_left(keys, (namespace, "")))
        for key in keys[start:]:
            if namespace and key[0] != namespace:
                return
            row = rows.get(key)
            if row is not None:
                yield row

    def owned_by(self, uid: str) -> list[Row]:
        """Return the rows that name `uid` as an owner, in order of their places."""
        found = (self.at(place) for place in sorted(self._owned.get(uid, ())))
        return [row for row in found if row is not None]

    def by_uid(self, uid: str) -> Row | None:
        """Return the row of a uid, or None."""
        place = self._places.get(uid)
        return None if place is None else self.at(place)

    def buckets(self) -> list[Bucket]:
        """Return where anything is kept, sorted."""
        return sorted(bucket for bucket, rows in self._rows.items() if rows)

    def count(self, bucket: Bucket) -> int:
        """Return how many objects a bucket holds."""
        return len(self._rows.get(bucket, ()))

    def put(self, place: RowKey, obj: Object, *, expected: Row | None) -> Row:
        """Write an object if the row there is still `expected` (None: nothing there)."""
        previous = self.at(place)
        if previous is not expected:
            if expected is None:
                deleting = previous is not None and previous.deleting
                raise errors.already_exists(place.bucket.plural, place.bucket.group, place.name, deleting=deleting)
            raise errors.conflict(place.bucket.plural, place.bucket.group, place.name)
        row = Row(place, obj, self.version + 1)
        if self._journal is not None:
            self._journal.put(row)
        self.version = row.version
        rows = self._rows.setdefault(place.bucket, {})
        rows[place.namespace, place.name] = row
        if previous is None:
            self._sorted.pop(place.bucket, None)
        self._index(previous, row)
        self._append(StoreEvent("ADDED" if previous is None else "MODIFIED", row, previous))
        return row

    def remove(self, row: Row, *, last: Object | None = None) -> Row:
        """Delete a row that is still the current one; returns it as of its end, which `last` may describe."""
        place = row.place
        if self.at(place) is not row:
            raise errors.conflict(place.bucket.plural, place.bucket.group, place.name)
        ended = Row(place, last or row.decode(), self.version + 1)
        if self._journal is not None:
            self._journal.remove(ended)
        self.version = ended.version
        del self._rows[place.bucket][place.namespace, place.name]
        self._sorted.pop(place.bucket, None)
        self._index(row, None)
        self._append(StoreEvent("DELETED", ended, row))
        return ended

    def since(self, version: int, bucket: Bucket) -> list[StoreEvent]:
        """Return the changes of a bucket after `version`; raises Expired when they are compacted away."""
        if version < self.oldest:
            raise errors.too_old(version, self.oldest)
        return [event for event in self._history if event.version > version and event.row.place.bucket == bucket]

    def rows_at(self, version: int, bucket: Bucket, namespace: str = "") -> list[Row]:
        """Return a bucket as it was at an earlier version, by undoing what came after."""
        rows = {(row.place.namespace, row.place.name): row for row in self.rows(bucket, namespace)}
        for event in reversed(self.since(version, bucket)):
            place = event.row.place
            if namespace and place.namespace != namespace:
                continue
            if event.previous is None:
                rows.pop((place.namespace, place.name), None)
            else:
                rows[place.namespace, place.name] = event.previous
        return [rows[key] for key in sorted(rows)]

    @property
    def oldest(self) -> int:
        """The oldest version from which changes can be watched."""
        return self._history.compacted

    def compact(self, version: int | None = None) -> None:
        """Forget the changes up to `version` (all of them when None)."""
        self._history.compact(self.version if version is None else min(version, self.version))

    def _index(self, old: Row | None, new: Row | None) -> None:
        if old is None and new is not None:
            self._places[new.uid] = new.place
        elif new is None and old is not None:
            self._places.pop(old.uid, None)
        gone, come = (old.owners if old else ()), (new.owners if new else ())
        if gone == come:
            return
        for uid in gone:
            places = self._owned.get(uid)
            if places is not None and old is not None:
                places.pop(old.place, None)
                if not places:
                    del self._owned[uid]
        for uid in come:
            if new is not None:
                self._owned.setdefault(uid, {})[new.place] = None

    def _append(self, event: StoreEvent) -> None:
        self._history.append(event, self._monotonic())
        for listener in tuple(self._listeners):
            listener(event)
        # History keeps the bodies alone: what was worked out of them is worked out again for the few that ask later.
        event.encoded = {}
        if event.previous is not None:
            event.previous.view = None
