"""The diagnosis of the fleet, kept fresh while somebody looks: read, reasoned, and shown to each what they may see.

Asked by the routes of the fleet. A diagnosis is made when the one there is has grown old, one at a time, beside
everything else; whoever asks gets the last one at once. It reads the clusters as `syncline diagnose` does, with the
access that the installation has.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property

import msgspec

from syncline import tasks
from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.controller.world import World
from syncline.core import glance
from syncline.core.diagnose.findings.foreign import Seen, sightings, texts_of_diagnosis
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.graph.repairs import repairs
from syncline.model.cluster import KnownCluster
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.errors import NeedsUser, SynclineError
from syncline.model.fleet import FleetSnapshot
from syncline.model.script import Evaluated, Script
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import ApiError, ClusterReader
from syncline.ports.transport import TransportError
from syncline.server.requests.failures import UNAVAILABLE, Failure
from syncline.verbs.clusters import known_clusters
from syncline.verbs.fleet import rendering
from syncline.verbs.fleet.hub import Contexts, FleetWish, read_fleet

_FRESH_FOR = 15.0
_SHARE = 10.0
"""A diagnosis that took long is made again after so many times as long."""
_PATIENT = 4.0
_MOST_PATIENT = 320.0
"""Where apps were not rendered in time, another one follows at once that waits so many times as long, up to this."""

Aside = Callable[[Callable[[], Diagnosis]], Awaitable[Diagnosis]]
"""Runs something that takes a while beside everything else."""


async def at_once(work: Callable[[], Diagnosis]) -> Diagnosis:
    """Run something right here."""
    return work()


class Diagnosed(msgspec.Struct, frozen=True, dict=True):
    """A diagnosis, what it was made of, and how long that took."""

    diagnosis: Diagnosis
    snapshot: FleetSnapshot
    seconds: float
    made_at: float
    late: int = 0
    """How many Applications were not rendered in time: causes in their files are not told, and may show as several."""
    good: frozenset[str] = frozenset()
    """The Applications that were Synced and Healthy in it: one that became so later has left its causes behind."""

    def seen_where(self) -> tuple[Mapping[str, str], Mapping[str, frozenset[Seen]]]:
        """Return the addresses of clusters by name, and on which objects the words of the diagnosis were seen."""
        return {one.name: one.server for one in self.snapshot.clusters}, self._sightings

    @cached_property
    def _sightings(self) -> Mapping[str, frozenset[Seen]]:
        # Worked out once somebody reads it who may not see everything.
        return sightings(texts_of_diagnosis(self.diagnosis), self.snapshot)


class Diagnoses:
    """The newest diagnosis, and the one that is being made."""

    def __init__(self, world: World, aside: Aside = at_once) -> None:
        self._world = world
        self._aside = aside
        self._last: Diagnosed | None = None
        self._making: asyncio.Task[Diagnosed] | None = None
        self._within = rendering.WITHIN
        self._hurried = False
        self.failed = ""
        """Why the last attempt came to nothing; empty where it did not."""

    @property
    def state(self) -> str:
        """How it stands: none, running, ready or failed."""
        if self._last is not None:
            return "ready"
        if self._making is not None and not self._making.done():
            return "running"
        return "failed" if self.failed else "none"

    @property
    def last(self) -> Diagnosed | None:
        """The newest diagnosis."""
        return self._last

    def wanted(self, *, now: bool = False) -> None:
        """Notice that somebody looks: one that has grown old is made again."""
        if self._making is not None and not self._making.done():
            return
        last, clock = self._last, self._world.clock
        due = last is None or clock.monotonic() - last.made_at > max(_FRESH_FOR, _SHARE * last.seconds)
        if due or now or self._hurried:
            self._making = tasks.start(self._make(), name="diagnosis")

    async def current(self, *, now: bool = False) -> Diagnosed:
        """Return the newest diagnosis, waiting for the first one, or with `now` for another."""
        self.wanted(now=now)
        if (self._last is None or now) and self._making is not None:
            return await asyncio.shield(self._making)
        if self._last is None:
            raise Failure(UNAVAILABLE, self.failed or "there is no diagnosis yet")
        return self._last

    async def stop(self) -> None:
        """Give up what is being made."""
        if self._making is not None:
            self._making.cancel()
            await asyncio.gather(self._making, return_exceptions=True)

    async def _make(self) -> Diagnosed:
        clock = self._world.clock
        begun = clock.monotonic()
        try:
            snapshot = await self._read()
            found = await self._aside(lambda: diagnose(snapshot))
        except (ApiError, TransportError, SynclineError) as error:
            self.failed = str(error)
            raise Failure(UNAVAILABLE, f"the fleet could not be read: {error}") from None
        self.failed = ""
        late = sum(one.problem == rendering.LATE for one in snapshot.rendered)
        self._hurried = bool(late) and self._within < _MOST_PATIENT
        self._within = min(_PATIENT * self._within, _MOST_PATIENT) if late else rendering.WITHIN
        self._last = Diagnosed(found, snapshot, clock.monotonic() - begun, clock.monotonic(), late, _good(snapshot))
        return self._last

    async def _read(self) -> FleetSnapshot:
        world, namespace = self._world, self._world.settings.namespace
        known, _ = await known_clusters(world.home, namespace)
        wish = FleetWish(name="in-cluster", server="", as_of=world.now(), namespaces=(namespace,))
        read = await read_fleet(world.home, wish, self._contexts(known))
        snapshot = msgspec.structs.replace(read.snapshot, origin="the clusters of this installation")
        lent = dataclasses.replace(world, evaluator=_Lent(world.evaluator))
        return await rendering.with_rendered(snapshot, lent, lambda _url: True, within=self._within, fetching=True)

    def _contexts(self, known: Sequence[KnownCluster]) -> Contexts:
        by_name = {one.name: one for one in known}

        @asynccontextmanager
        async def reach(name: str) -> AsyncIterator[ClusterReader]:
            connector = self._world.connector
            if connector is None:
                raise NeedsUser(f"the cluster {name} is not reached from here")
            cluster = connector.connect(by_name[name])
            try:
                yield cluster
            finally:
                await cluster.close()

        return Contexts({one.server: one.name for one in known}, reach)


def _good(snapshot: FleetSnapshot) -> frozenset[str]:
    apps = (obj for one in snapshot.clusters[:1] for obj in one.objects if key_of(obj).group_kind == APPLICATION)
    well = (obj for obj in apps if glance.sync_and_health(obj) == ("Synced", "Healthy"))
    return frozenset(f"{meta.namespace(obj)}/{meta.name(obj)}" for obj in well)


class _Lent:
    """The evaluator of the world, which its borrower does not close."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        """Run scripts."""
        return await self._evaluator.evaluate(batch)

    async def close(self) -> None:
        """Leave it open for its owner."""


def hides_sets(cause: RootCause, sets: Collection[ObjectKey]) -> bool:
    """Whether a cause tells of an ApplicationSet that is not among those which may be seen."""
    told = (cause.thing.key, *(one.subject for one in cause.finding.evidence))
    return any(key is not None and key.group_kind == APPLICATION_SET and key not in sets for key in told)


def seen_by(
    found: Diagnosis,
    visible: frozenset[str],
    sets: Collection[ObjectKey],
    *,
    total: int,
    good: int,
    counts: dict[str, int],
) -> Diagnosis:
    """Return a diagnosis as far as it is about Applications and ApplicationSets that somebody may see.

    Causes that concern none of theirs are left out, and so are names of other Applications, wherever they stand, and
    what could not be read.
    A cause without Applications is that of sets which fail.
    """
    causes = [
        _of(cause, visible)
        for cause in found.causes
        if (visible & set(cause.affected) or not cause.affected) and not hides_sets(cause, sets)
    ]
    known = {cause.id for cause in causes}
    needs = {name: {one.id for one in causes if name in one.affected} for one in causes for name in one.affected}
    order = [step.cause for step in found.repairs if step.cause in known]
    return msgspec.structs.replace(
        found,
        total=total,
        good=good,
        counts=counts,
        causes=tuple(causes),
        repairs=repairs(order, needs, good, {one.id: one.removes for one in causes}),
        ruled_out=(),
        ways={},
        unexplained=tuple(one for one in found.unexplained if one.subject in visible),
        untold=tuple(name for name in found.untold if name in visible),
        starting=tuple(name for name in found.starting if name in visible),
        unread=(),
    )


def _of(cause: RootCause, visible: frozenset[str]) -> RootCause:
    known = tuple(name for name in cause.affected if name in visible)
    chain = tuple(msgspec.structs.replace(link, examples=()) for link in cause.chain)
    removes = tuple(name for name in cause.removes if name in visible)
    later = tuple(name for name in cause.later if name in visible)
    return msgspec.structs.replace(cause, affected=known, later=later, removes=removes, chain=chain)
