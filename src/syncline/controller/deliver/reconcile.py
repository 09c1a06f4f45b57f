"""Brings one Application one step closer to its source: observe, decide, act, record.

Called by `syncline.controller.deliver.applications` with a key from the queue.
"""

from __future__ import annotations

import dataclasses

import msgspec

from syncline import turns
from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.clusters.destinations import OpenDestination
from syncline.controller.coexistence import ownership as beside
from syncline.controller.coexistence.observing import Observations
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.controller.deliver.act import Actor
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.causes import KnownCauses
from syncline.controller.deliver.courtesy import Courtesy
from syncline.controller.deliver.events import Events
from syncline.controller.deliver.failures import record_invalid
from syncline.controller.deliver.hard_refresh import HardRefreshes
from syncline.controller.deliver.observe import Observer
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.deliver.record import Recorder
from syncline.controller.deliver.report import Reporter
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core import operating
from syncline.core.assess import NO_CACHE, Assessment, AssessmentCache, assess_app, needed_scripts
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.compare.schemas import SchemaCache
from syncline.core.decide import decide, released_without_cluster
from syncline.core.sync import task_results
from syncline.model import names
from syncline.model.decision import DecisionKind
from syncline.model.errors import InvalidSpec
from syncline.model.look_again import LookAgain
from syncline.model.snapshot import Snapshot
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

_RETRY_AFTER_CONFLICT = 0.05
_RETRY_AFTER_FAILURE = 1.0


class Reconciler:
    """Takes Applications one step further."""

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        observer: Observer,
        reporter: Reporter,
        events: Events | None = None,
        mode: OwnershipMode = OwnershipMode.ACT,
        attention: Attention | None = None,
        causes: KnownCauses | None = None,
        courtesy: Courtesy | None = None,
    ) -> None:
        self._world = world
        self._live = live
        self._observer = observer
        self._reporter = reporter
        self._actors: dict[tuple[str, str], tuple[OpenDestination, Actor]] = {}
        self._memos: dict[AppKey, ComparisonMemo] = {}
        self._schemas = SchemaCache()
        self._recorder = Recorder(world, events, causes)
        self._mode = mode
        self._attention = attention or Attention()
        self._courtesy = courtesy or Courtesy(world.clock)
        self._hard = HardRefreshes(world)
        self.observations = Observations(world.now)

    async def reconcile(self, key: AppKey) -> LookAgain:
        """Take the next step; a conflict or a lost answer means that the next pass looks again."""
        try:
            look_again = await self._pass(key)
            if look_again is None:
                # Not behind the others: by the time it is their turn, all that was worked out is worked out again.
                look_again = await self._pass(key) or LookAgain.now()
            if self._live.index.get(application_key(key)) is None:
                return look_again
            return LookAgain.earliest(look_again, self._hard.next_look(key))
        except ApiError as error:
            return LookAgain.after(_RETRY_AFTER_CONFLICT if error.code in (404, 409) else _RETRY_AFTER_FAILURE)
        except TransportError:
            return LookAgain.after(_RETRY_AFTER_FAILURE)

    async def _pass(self, key: AppKey) -> LookAgain | None:
        """Do one pass; None where an operation was only written down and another pass has to take its first step."""
        resource = self._live.resource(APPLICATION)
        obj = self._live.index.get(application_key(key))
        if resource is None:
            return LookAgain.on_change()
        if obj is None:
            self._forget(key)
            return LookAgain.on_change()
        if beside.is_paused(obj):
            return LookAgain.on_change()
        project = _project(obj)
        awaited = self._attention.is_on(key)
        with self._courtesy.present(project), turns.working_for(project, awaited=awaited, subject=str(key)):
            return await self._look(key, resource, obj)

    async def _look(self, key: AppKey, resource: ApiResource, obj: Object) -> LookAgain | None:
        """Look at an Application that is there, and do what is next; None as in `_pass`."""
        acting = beside.acts_on(obj, self._mode)
        hard = self._hard.due(key) or meta.annotations(obj).get(names.REFRESH) == "hard"
        if hard:
            self._forget_comparisons(key)
        try:
            snapshot = await self._observer.observe(obj, hard=hard)
        except InvalidSpec as error:
            if acting:
                await record_invalid(self._world, self._live, resource, key, str(error))
            return LookAgain.on_change()
        place = self._observer.place_of(key)
        if place is not None and place.known.paused:
            return LookAgain.on_change()
        if hard:
            self._hard.done(key)
        if not acting:
            return await self._look_on(key, snapshot)
        if self._mode is OwnershipMode.OBSERVE:
            self.observations.note_taken_over(str(key))
        return await self._deliver(key, resource, place, snapshot)

    async def _deliver(
        self, key: AppKey, resource: ApiResource, place: OpenDestination | None, snapshot: Snapshot
    ) -> LookAgain | None:
        """Judge an Application, do what is next, and write down what came of it; None as in `_pass`."""
        assessment = await self._assess(key, snapshot)
        decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
        self._reporter.status(assessment)
        self._reporter.trouble(str(key), _trouble(assessment))
        if place is None:
            released = released_without_cluster(assessment)
            next_look = LookAgain.now() if released else LookAgain.on_change()
            outcome = Outcome(state=assessment.app.status.operation_state, released=released, look_again=next_look)
        else:
            outcome = await self._actor(place, assessment).act(decision, assessment, self._memos.get(key))
            for obj in outcome.written.values():
                place.live.note_change(obj)
            # Not where an answer was lost: until the next pass nobody knows what was written.
            place.interest.release(key)
        if outcome.written:
            assessment = await self._assess(key, _with_written(assessment, outcome))
        self._reporter.status(assessment)
        async with self._courtesy.computing(_size(assessment.snapshot)):
            stored = await self._recorder.record(resource, assessment, decision, outcome)
        if stored is not None:
            self._live.note_write(stored)
        if decision.kind is DecisionKind.START and outcome.look_again == LookAgain.now():
            return None
        return LookAgain.earliest(outcome.look_again, decision.look_again)

    async def _look_on(self, key: AppKey, snapshot: Snapshot) -> LookAgain:
        """Judge an Application that is not ours: nothing is written, not even as a dry run."""
        assessment = await assess_with(snapshot, self._world.evaluator, self._cache(key))
        decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
        self.observations.note(str(key), assessment, decision)
        # What time alone brings about (a window that opens) would change the decision though nothing else does.
        return decision.look_again if decision.kind is DecisionKind.REST else LookAgain.on_change()

    def _forget(self, key: AppKey) -> None:
        self._observer.forget(key)
        self._reporter.forget(str(key))
        self.observations.forget(str(key))
        self._hard.forget(key)
        self._forget_comparisons(key)

    def _forget_comparisons(self, key: AppKey) -> None:
        """Compare every object of an app again the next time, and ask the server again where its word counts."""
        self._memos.pop(key, None)
        for _, actor in self._actors.values():
            actor.forget(application_key(key))

    def settings_changed(self) -> None:
        """Go on under the settings the world has now."""
        self._actors.clear()

    def cluster_closed(self, server: str) -> None:
        """Let go of a destination: whoever acted on it holds all that was seen there."""
        for key in [key for key in self._actors if key[0] == server]:
            del self._actors[key]

    def _actor(self, place: OpenDestination, assessment: Assessment) -> Actor:
        """Return who acts on a destination: ourselves, or the service account that the project names."""
        user = operating.acting_as(assessment).user
        key = (place.known.server, user)
        known = self._actors.get(key)
        if known is None or known[0].live is not place.live:
            world = dataclasses.replace(self._world, home=place.cluster.acting_as(user) if user else place.cluster)
            actor = Actor(world, place.live, place.interest, self._reporter, self._attention.is_on)
            known = self._actors[key] = (place, actor)
        return known[1]

    def _cache(self, key: AppKey) -> AssessmentCache:
        """Return what is kept for looks at one Application."""
        memo = self._memos.setdefault(key, ComparisonMemo())
        return AssessmentCache(memo=memo, schemas=self._schemas, prepared=self._observer.prepared)

    async def _assess(self, key: AppKey, snapshot: Snapshot) -> Assessment:
        """Assess, with users' jq run on what has to be compared again, and the server asked where its word counts."""
        cache = self._cache(key)
        fresh = msgspec.structs.replace(snapshot, dry_runs=()) if snapshot.dry_runs else snapshot
        async with self._courtesy.computing(_size(snapshot)):
            assessment = await assess_with(fresh, self._world.evaluator, cache)
        place = self._observer.place_of(key)
        dry_runs = await self._actor(place, assessment).predict(assessment) if place is not None else ()
        if not dry_runs:
            return assessment
        return await assess_with(msgspec.structs.replace(fresh, dry_runs=dry_runs), self._world.evaluator, cache)


async def assess_with(snapshot: Snapshot, evaluator: Evaluator, cache: AssessmentCache = NO_CACHE) -> Assessment:
    """Assess an Application, running the jq that its ignore rules need."""
    while scripts := needed_scripts(snapshot, cache):
        results = await evaluator.evaluate(scripts)
        cache = msgspec.structs.replace(cache, answers=cache.answers.with_results(scripts, results))
    return assess_app(snapshot, cache)


def _with_written(assessment: Assessment, outcome: Outcome) -> Snapshot:
    """Return the snapshot with what was just written, so that the record tells how things are, not how they were."""
    live = {**assessment.live, **outcome.written}
    return msgspec.structs.replace(assessment.snapshot, live=tuple(live[key] for key in sorted(live)))


def _size(snapshot: Snapshot) -> int:
    return len(snapshot.live) + (len(snapshot.desired.objects) if snapshot.desired is not None else 0)


def _project(obj: Object) -> str:
    return str((obj.get("spec") or {}).get("project") or "")


def _trouble(assessment: Assessment) -> str:
    errors = [item.message for item in assessment.comparison.conditions if item.is_error]
    return "; ".join(errors)
