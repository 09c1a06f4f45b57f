"""Brings one Application one step closer to its source: observe, decide, act, record.

Called by the workers of `syncline.controller.controller` with a key from the queue.
"""

from __future__ import annotations

import msgspec

from syncline.controller.act import Actor
from syncline.controller.failures import record_invalid
from syncline.controller.live import LiveCluster
from syncline.controller.observe import APPLICATION, Observer
from syncline.controller.outcome import Outcome, results_of
from syncline.controller.queue import AppKey
from syncline.controller.record import Recorder
from syncline.controller.report import Reporter
from syncline.controller.world import World
from syncline.core.assess import NO_AIDS, Aids, Assessment, assess_app, needed_scripts
from syncline.core.compare.memo import Memo
from syncline.core.compare.schemas import SchemaCache
from syncline.core.decide import decide
from syncline.model.errors import InvalidSpec
from syncline.model.snapshot import Snapshot
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_RETRY_AFTER_FAILURE = 1.0


class Requeue(msgspec.Struct, frozen=True):
    """When to look again: at once, after a while, or (None) when something changes."""

    after: float | None = None


class Reconciler:
    """Takes Applications one step further."""

    def __init__(self, world: World, live: LiveCluster, observer: Observer, reporter: Reporter) -> None:
        self._world = world
        self._live = live
        self._observer = observer
        self._reporter = reporter
        self._actor = Actor(world, live, reporter)
        self._memos: dict[AppKey, Memo] = {}
        self._schemas = SchemaCache()
        self._recorder = Recorder(world)

    async def reconcile(self, key: AppKey) -> Requeue:
        """Do one pass; a conflict or a lost answer means that the next pass looks again."""
        try:
            return await self._pass(key)
        except ApiError as error:
            if error.code in (404, 409):
                return Requeue(0.05)
            return Requeue(_RETRY_AFTER_FAILURE)
        except TransportError:
            return Requeue(_RETRY_AFTER_FAILURE)

    async def _pass(self, key: AppKey) -> Requeue:
        resource = self._live.resource(APPLICATION)
        if resource is None:
            return Requeue()
        try:
            snapshot = await self._observer.observe(key)
        except InvalidSpec as error:
            await record_invalid(self._world, self._live, resource, key, str(error))
            return Requeue()
        if snapshot is None:
            self._reporter.forget(str(key))
            self._memos.pop(key, None)
            return Requeue()
        assessment = await self._assess(key, snapshot)
        decision = decide(assessment, results_of(assessment.app.status.operation_state))
        self._reporter.status(assessment)
        self._reporter.trouble(str(key), _trouble(assessment))
        outcome = await self._actor.act(decision, assessment)
        for obj in outcome.written.values():
            self._live.note_write(obj)
        if outcome.written:
            assessment = await self._assess(key, _with_written(assessment, outcome))
        self._reporter.status(assessment)
        stored = await self._recorder.record(resource, assessment, decision, outcome)
        if stored is not None:
            self._live.note_write(stored)
        if outcome.again:
            return Requeue(0.0)
        return Requeue(decision.wake_after or None)

    async def _assess(self, key: AppKey, snapshot: Snapshot) -> Assessment:
        """Assess, after users' jq was run on whatever has to be compared anew."""
        return await assess_with(
            snapshot,
            self._world.evaluator,
            Aids(memo=self._memos.setdefault(key, Memo()), schemas=self._schemas),
        )


async def assess_with(snapshot: Snapshot, evaluator: Evaluator, aids: Aids = NO_AIDS) -> Assessment:
    """Assess an Application, running the jq that its ignore rules need."""
    while scripts := needed_scripts(snapshot, aids):
        results = await evaluator.evaluate(scripts)
        aids = msgspec.structs.replace(aids, answers=aids.answers.with_results(scripts, results))
    return assess_app(snapshot, aids)


def _with_written(assessment: Assessment, outcome: Outcome) -> Snapshot:
    """Return the snapshot with what was just written, so that the record tells how things are, not how they were."""
    live = {**assessment.live, **outcome.written}
    return msgspec.structs.replace(assessment.snapshot, live=tuple(live[key] for key in sorted(live)))


def _trouble(assessment: Assessment) -> str:
    errors = [item.message for item in assessment.comparison.conditions if item.type.endswith("Error")]
    return "; ".join(errors)
