"""Takes objects that lists, watches and our own writes bring into the index, and tells who has to know.

Used by `syncline.controller.live.cluster`, which does the listing and watching. The odd fact: a list takes its time,
page by page, and what we write meanwhile is not in it; such an object is not taken for deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.index import CRD_KIND, LiveIndex, version_of
from syncline.controller.live.scope import WatchTarget
from syncline.controller.live.updates import matters
from syncline.model.settings.settings import Settings

_API_SERVICE = GroupKind("apiregistration.k8s.io", "APIService")
_DEFINING = frozenset({CRD_KIND, _API_SERVICE})


class Intake:
    """The one way into the index of a cluster."""

    def __init__(
        self,
        index: LiveIndex,
        settings: Settings,
        *,
        on_change: Callable[[Object], None],
        on_write: Callable[[Object], None],
        on_definition: Callable[[], None],
    ) -> None:
        self.settings = settings
        self.listeners: list[Callable[[Object], None]] = []
        self._index = index
        self._on_change = on_change
        self._on_write = on_write
        self._on_definition = on_definition
        self._listings: set[ListIntake] = set()

    @contextmanager
    def listing(self, watched: WatchTarget) -> Iterator[ListIntake]:
        """Take over a list for as long as the block lasts."""
        begun = ListIntake(self, self._index, watched)
        self._listings.add(begun)
        try:
            yield begun
        finally:
            self._listings.discard(begun)

    def written(self, obj: Object) -> None:
        """Take over an object the API server just answered our write with."""
        if version_of(obj) and self._index.put(obj):
            self._not_in_lists(obj)
            self._on_write(obj)
            self.tell(obj)

    def written_meanwhile(self, obj: Object) -> None:
        """Take over an object that a sync wrote while its app was not looking: that is an update like any other."""
        if version_of(obj):
            self._not_in_lists(obj)
            self.updated(obj)

    def _not_in_lists(self, obj: Object) -> None:
        for listing in self._listings:
            listing.written.add(key_of(obj))

    def listed(self, obj: Object) -> None:
        """Take over an item of a list."""
        if self._index.put(obj, awaited=False):
            self.changed(obj)

    def updated(self, obj: Object) -> None:
        """Take over what a watch brought; an update of nothing that counts wakes nobody."""
        if not self._index.newer(obj):
            return
        key = key_of(obj)
        counts = key not in self._index or matters(
            lambda: self._index.get(key) or {}, obj, self.settings, tracked=self._index.tracked(key)
        )
        self._index.put(obj)
        if counts or key.group_kind in _DEFINING:
            self.changed(obj)
        else:
            self.tell(obj)

    def deleted(self, obj: Object) -> None:
        """Forget what a watch says is gone."""
        self._index.remove(obj)
        self.changed(obj)

    def changed(self, obj: Object) -> None:
        """Say that an object has changed or is gone."""
        if obj.get("kind") in (CRD_KIND.kind, _API_SERVICE.kind):
            self._on_definition()
        self._on_change(obj)
        self.tell(obj)

    def tell(self, obj: Object) -> None:
        """Let those know who want to hear of everything."""
        for listener in self.listeners:
            listener(obj)


class ListIntake:
    """One list that is being taken over."""

    def __init__(self, intake: Intake, index: LiveIndex, watched: WatchTarget) -> None:
        self.written: set[ObjectKey] = set()
        self._intake = intake
        self._index = index
        self._watched = watched
        self._seen: set[ObjectKey] = set()

    def restart(self) -> None:
        """Start again: the pages so far were of a list that has expired."""
        self._seen.clear()

    def take(self, obj: Object) -> None:
        """Take over one item."""
        self._seen.add(key_of(obj))
        self._intake.listed(obj)

    def finish(self, resource_version: str) -> None:
        """Drop what the list does not have; it is complete, as of a version."""
        as_of = int(resource_version) if resource_version.isdigit() else 0
        since = {key for key in self.written if self._index.version(key) > as_of}
        for obj in self._index.drop_unseen(self._watched.kind, self._seen | since, self._watched.namespace):
            self._intake.changed(obj)
