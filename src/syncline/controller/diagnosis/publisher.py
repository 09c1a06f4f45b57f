"""Publishes the diagnosis of all Applications as one resource, after deliveries, and only when it says something new.

A subject of the runtime beside Applications, registered by `syncline.controller.controller`. Woken by Applications, and
by everything else while one of them is not in order; changes of a few seconds are looked at together, it waits while
keys of others wait, and rests many times as long as it has taken. It keeps nothing that matters: when a cause was first
seen is read from the resource itself. Where the kind is not installed, or may not be written, that is said once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import APPLICATION
from syncline.controller.clusters.destinations import Destinations
from syncline.controller.deliver.report import Reporter
from syncline.controller.diagnosis import views
from syncline.controller.diagnosis.telling import Telling
from syncline.controller.live.cluster import CRD_KIND, LiveCluster
from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.shards import Shards
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch, Where
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.world import World
from syncline.core.diagnose.findings.publish import published
from syncline.model import codec, names
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import FleetSnapshot
from syncline.model.look_again import LookAgain
from syncline.model.published import DIAGNOSIS, KIND, NAME, PublishedStatus, key
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

TROUBLE = "/diagnosis"
"""Stands for the diagnosis where progress names an Application."""
GATHER = 5.0
"""Changes within so many seconds are looked at together."""
_BUSY = 1.0
_RESTS = 20.0
"""Rests so many times as long as a look took: five hundredths of the time at most are spent here."""
_UNEXPLAINED = 30.0
_LONGEST_PAUSE = 600.0

Think = Callable[[FleetSnapshot], Awaitable[Diagnosis]]
"""Reasons over a fleet; beside the loop where that can be."""


class DiagnosisKey(Key):
    """Namespace and name of the one Diagnosis of an installation."""

    __slots__ = ()


class Publisher(Subject[DiagnosisKey]):
    """Keeps the Diagnosis of an installation as its Applications are."""

    name = "Diagnosis"
    width = 1

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        destinations: Destinations,
        sources: DesiredSources,
        *,
        reporter: Reporter,
        is_busy: Callable[[], bool],
        think: Think,
        shards: Shards | None = None,
    ) -> None:
        self._world = world
        self._live = live
        self._destinations = destinations
        self._sources = sources
        self._reporter = reporter
        self._is_busy = is_busy
        self._think = think
        self._shards = shards
        self._telling = Telling(world)
        self._any_bad = False
        self._not_before = 0.0
        self._pause = _UNEXPLAINED

    def watches(self) -> Sequence[Watch[DiagnosisKey]]:
        """Return what wakes it."""
        apps, kinds = frozenset({APPLICATION}), frozenset[GroupKind]({CRD_KIND})
        return (
            Watch(kinds=apps, keys=lambda _change: self.keys(), gather=GATHER),
            Watch(kinds=apps, keys=lambda _change: self.keys(), news=News.WRITTEN, gather=GATHER),
            Watch(kinds=kinds, keys=lambda _change: self.keys(), gather=GATHER),
            Watch(keys=self._while_bad, where=Where.ANYWHERE, gather=GATHER),
            Watch(keys=self._while_bad, where=Where.ANYWHERE, news=News.WARNED, gather=GATHER),
        )

    def keys(self) -> list[DiagnosisKey]:
        """Return the one there is."""
        return [DiagnosisKey(self._world.settings.namespace, NAME)]

    def is_ours(self, _key: DiagnosisKey) -> bool:
        """Whether this process is the one of several that publishes."""
        return self._shards is None or 0 in self._shards.held

    def _while_bad(self, change: LiveChange) -> Iterable[DiagnosisKey]:
        return self.keys() if self._any_bad and change.key.group_kind != KIND else ()

    async def reconcile(self, _key: DiagnosisKey) -> LookAgain:
        """Look at everything, and publish what came of it if that is new."""
        resource = self._live.resource(KIND)
        if resource is None:
            self._say(f"{KIND} is not installed, so no diagnosis is published: syncline admin crds prints it")
            return LookAgain.on_change()
        clock = self._world.clock
        if self._is_busy():
            return LookAgain.after(_BUSY)
        if (left := self._not_before - clock.monotonic()) > 0:
            return LookAgain.after(left)
        begun = clock.monotonic()
        found = await self._think(await views.fleet(self._destinations, self._sources, self._world.now()))
        self._not_before = clock.monotonic() + _RESTS * (clock.monotonic() - begun)
        self._any_bad = found.good < found.total or bool(found.causes)
        try:
            await self._publish(resource, found)
        except (ApiError, TransportError) as error:
            self._say(f"the diagnosis cannot be published: {error}")
            return LookAgain.after(_LONGEST_PAUSE)
        self._say("")
        return self._again(found)

    def _again(self, found: Diagnosis) -> LookAgain:
        """Return when to look again though nothing changes: what merely starts is a symptom only after a while."""
        if not found.unexplained and not (self._any_bad and not found.causes):
            self._pause = _UNEXPLAINED
            return LookAgain.on_change()
        pause, self._pause = self._pause, min(self._pause * 2, _LONGEST_PAUSE)
        return LookAgain.after(pause)

    async def _publish(self, resource: ApiResource, found: Diagnosis) -> None:
        namespace = self._world.settings.namespace
        stored = self._live.index.get(key(namespace))
        before = _status(stored)
        status = published(found, before, self._world.now())
        if stored is not None and status == before:
            return
        obj = {
            "apiVersion": f"{DIAGNOSIS.group}/{DIAGNOSIS.version}",
            "kind": DIAGNOSIS.kind,
            "metadata": {"name": NAME, "namespace": namespace},
            # Numbers that people look for stand there also when they are zero.
            "status": {"applications": 0, "ok": 0, "found": 0, **codec.to_object(status)},
        }
        written = await self._world.home.apply(resource, obj, manager=names.STATUS_MANAGER)
        self._live.note_write(written)
        await self._telling.tell(written, before, status)

    def _say(self, words: str) -> None:
        self._reporter.trouble(TROUBLE, words)


def _status(stored: object) -> PublishedStatus:
    """Return what is published; nothing where somebody wrote something else there."""
    found = stored.get("status") if isinstance(stored, dict) else None
    try:
        return msgspec.convert(found or {}, PublishedStatus)
    except msgspec.ValidationError:
        return PublishedStatus()
