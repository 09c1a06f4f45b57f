"""Tells the sink what happened, in typed events.

Used by `syncline.controller.deliver.act`, `syncline.controller.deliver.reconcile` and
`syncline.controller.deliver.teardown`. A wait that was told once is not told again until it changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.world import World
from syncline.core.assess import Assessment
from syncline.model import progress
from syncline.model.application import Application
from syncline.model.decision import Step
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase, OperationState
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult


class Reporter:
    """Emits progress of all Applications."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._last_wait: dict[str, str] = {}
        self._troubles: dict[str, str] = {}
        self._told: dict[str, tuple[str, str]] = {}

    def started(self, assessment: Assessment, reason: Reason, state: OperationState) -> None:
        """An operation began."""
        revision = _revision(state)
        self._emit(
            progress.SyncStarted(time=self._world.now(), app=_name(assessment.app), revision=revision, reason=reason)
        )

    def wave(self, assessment: Assessment, step: Step) -> None:
        """Tasks of one wave were begun."""
        tasks = (*step.prune, *step.apply)
        self._emit(
            progress.WaveStarted(
                time=self._world.now(),
                app=_name(assessment.app),
                phase=tasks[0].phase,
                wave=tasks[0].wave,
                keys=tuple(task.key for task in tasks),
            )
        )

    def changed(self, assessment: Assessment, result: TaskResult) -> None:
        """One object was written, or refused."""
        self._emit(
            progress.ObjectChanged(
                time=self._world.now(),
                app=_name(assessment.app),
                key=result.key,
                action="hook" if result.hook_type else "prune" if result.code is ResultCode.PRUNED else "apply",
                message=result.message,
                failed=result.hook_phase in (OperationPhase.FAILED, OperationPhase.ERROR),
            )
        )

    def waiting(self, assessment: Assessment, step: Step) -> None:
        """The operation waits for something."""
        app = _name(assessment.app)
        if self._last_wait.get(app) != step.message and step.waits:
            self._last_wait[app] = step.message
            self._emit(progress.Waiting(time=self._world.now(), app=app, waits=step.waits))

    def finished(self, assessment: Assessment, state: OperationState) -> None:
        """An operation ended."""
        app = _name(assessment.app)
        self._last_wait.pop(app, None)
        self._emit(
            progress.SyncFinished(
                time=self._world.now(),
                app=app,
                phase=state.phase.value,
                message=state.message,
                revision=_revision(state),
            )
        )

    def status(self, assessment: Assessment) -> None:
        """Sync status or health may have changed since it was last told."""
        app = _name(assessment.app)
        status = (assessment.comparison.verdict.value, assessment.health.status.value)
        before = self._told.get(app) or _recorded(assessment.app)
        self._told[app] = status
        if status == before:
            return
        self._emit(
            progress.StatusChanged(
                time=self._world.now(),
                app=app,
                sync=status[0],
                health=status[1],
                previous_sync=before[0],
                previous_health=before[1],
                message=_why(assessment),
                revision=assessment.revision,
            )
        )

    def forget(self, app: str) -> None:
        """Drop what was told of an Application that is gone."""
        for told in (self._last_wait, self._troubles, self._told):
            told.pop(app, None)

    def trouble(self, app: str, message: str) -> None:
        """Something needs a person, or (with an empty message) no longer does."""
        if self._troubles.get(app, "") == message:
            return
        resolved = not message
        text = message or self._troubles[app]
        if resolved:
            del self._troubles[app]
        else:
            self._troubles[app] = message
        self._emit(progress.TroubleReported(time=self._world.now(), app=app, message=text, resolved=resolved))

    def _emit(self, event: progress.Progress) -> None:
        self._world.sink.emit(event)


def _revision(state: OperationState) -> str:
    return next(iter(state.sync_result.all_revisions), "") if state.sync_result else ""


def _name(app: Application) -> str:
    return f"{app.metadata.namespace}/{app.metadata.name}"


def _recorded(app: Application) -> tuple[str, str]:
    sync, health = app.status.sync, app.status.health
    return (sync.status if sync else "", health.status if health else "")


def _why(assessment: Assessment) -> str:
    """Return what differs, or else what is not well, in a few words."""
    words = []
    for row in assessment.comparison.rows:
        if row.verdict.value == "OutOfSync":
            first = row.differences[0] if row.differences else None
            detail = first.path if first and first.path else (first.cause.value if first else row.reasons[0].value)
            words.append(f"{row.key.short}: {detail}")
    words = words or [f"{key.short}: {health.message}" for key, health in _causes(assessment)]
    more = f" and {len(words) - 3} more" if len(words) > 3 else ""
    return ", ".join(words[:3]) + more


def _causes(assessment: Assessment) -> Iterable[tuple[ObjectKey, Health]]:
    """Return the objects that make the app as unwell as it is."""
    worst = assessment.health.status
    if worst is HealthCode.HEALTHY:
        return ()
    return ((key, one) for key, one in assessment.healths.items() if one.status is worst and one.gating and one.message)
