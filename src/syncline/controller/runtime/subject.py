"""One kind of thing that is reconciled: what it watches, how a change maps to keys, and how one key is worked on.

Written once per kind, such as `syncline.controller.deliver.applications`, and handed to
`syncline.controller.runtime.runtime`, which gives it a queue with lanes and workers of its own.
"""

from __future__ import annotations

import abc
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.controller.runtime.keys import K
from syncline.controller.runtime.queue import WorkQueue
from syncline.model import names
from syncline.model.look_again import LookAgain


class LiveChange(NamedTuple):
    """An object that changed, came or went on the cluster with this server."""

    server: str
    key: ObjectKey
    obj: Object

    @property
    def at_home(self) -> bool:
        """Whether it is on the cluster that holds the Applications."""
        return self.server == names.IN_CLUSTER_SERVER


class Where(StrEnum):
    """On which clusters a change is heard of."""

    HOME = "home"
    ANYWHERE = "anywhere"
    """At every destination; the home cluster is one of them."""


class News(StrEnum):
    """What is heard of an object."""

    CHANGED = "changed"
    """A watch of its cluster brought it."""
    WRITTEN = "written"
    """This process just wrote it: its watch will bring nothing new."""
    WARNED = "warned"
    """It is not Healthy, and a new Event is about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Generic[K]):
    """Changes that a subject wants to hear of, and the keys that are looked at because of one."""

    keys: Callable[[LiveChange], Iterable[K]]
    kinds: frozenset[GroupKind] | None = None
    """None: every kind there is."""
    where: Where = Where.HOME
    news: News = News.CHANGED
    gather: float = 0.0
    """Changes within so many seconds are looked at together."""

    def hears(self, kind: GroupKind, news: News) -> bool:
        """Whether a change of a kind is one of these, if it is on the right cluster."""
        return news is self.news and (self.kinds is None or kind in self.kinds)


class Subject(abc.ABC, Generic[K]):
    """What the runtime has to know about one kind of thing. All but `reconcile` is asked often and must be quick."""

    name: str
    """What one of them is called, for people."""
    width: int
    """How many keys of one lane are worked on at a time."""

    waits_for_strangers: bool = False
    """Whether passes wait for servers of others: keys that wait for those are not work that is left to do."""

    @abc.abstractmethod
    def watches(self) -> Sequence[Watch[K]]:
        """Return what wakes keys; asked once."""

    @abc.abstractmethod
    def keys(self) -> Iterable[K]:
        """Return every key there is."""

    @abc.abstractmethod
    async def reconcile(self, key: K) -> LookAgain:
        """Bring one key closer to where it should be. What is raised is a bug: it is told, and the key retried."""

    def lane_of(self, _key: K) -> str:
        """Return which keys this one shares its workers with: a lane that hangs holds up no other."""
        return ""

    def tenant_of(self, _key: K) -> str:
        """Return whose a key is: keys of one tenant hold up those of no other."""
        return ""

    def keys_at(self, server: str) -> Iterable[K]:
        """Return the keys to look at when a cluster is away or back; none unless it is the home cluster."""
        return self.keys() if server == names.IN_CLUSTER_SERVER else ()

    def is_ours(self, _key: K) -> bool:
        """Whether a key is of a shard that this process holds; asked before every pass."""
        return True

    def is_awaited(self, _key: K) -> bool:
        """Whether somebody waits for a key, so that it comes before others; asked whenever it is enqueued."""
        return False

    def pass_over(self, _key: K) -> None:
        """Take note that a key had its turn and was not ours."""

    def beside(self, _queue: WorkQueue[K]) -> Sequence[Callable[[], Awaitable[None]]]:
        """Return what runs beside the passes for as long as the runtime does."""
        return ()
