"""What became of a task that was carried out, as its live object now shows: done, failed, gone, or still at work.

Called by `syncline.core.sync.step` for what was recorded, and by `syncline.controller.deliver.apply` for what the
server just answered. The odd fact: a kind without a health check passes at once, a Degraded hook fails at once, but a
Degraded object fails its wave only if something comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.health import scripts
from syncline.core.health.assess import assess
from syncline.core.sync import stuck
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Plan, Task
from syncline.model.result import ResultCode, TaskResult

Identity = tuple[ObjectKey, Phase]
HealthOf = Callable[[Object], Health | None]

DISBELIEF = 5.0
"""Seconds after a write during which Degraded is not believed: the object's controller may not have looked yet."""


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What a step looks at: recorded results, live objects, the stamp of this attempt, and the time."""

    results: tuple[TaskResult, ...]
    live: Mapping[ObjectKey, Object]
    stamp: str
    terminating: bool = False
    as_of: str = ""
    started_at: str = ""
    health_of: HealthOf = assess
    trusting: bool = True
    """Whether Degraded is believed right after a write, as Argo CD does."""

    def health(self, key: ObjectKey) -> Health | None:
        """Return the health of a live object; None where it is not there or has none."""
        live = self.live.get(key)
        return gating(self.health_of(live)) if live is not None else None


def gating(health: Health | None) -> Health | None:
    """Return a health by which syncs are held up; a mere reading of a kind nobody described is none."""
    return health if health is not None and health.gating else None


def identity(task: Task) -> Identity:
    """Return what tells one task from another."""
    return (task.key, task.phase)


def settle(plan: Plan, observed: Observed) -> tuple[TaskResult, ...]:
    """Return the recorded results that look different now: healthy, failed or gone."""
    tasks = {identity(task): task for task in plan.tasks}
    found = []
    for result in observed.results:
        if result.completed:
            continue
        live = observed.live.get(result.key)
        now = settled(result, tasks.get(result.identity), live, health_of=observed.health_of)
        if now is not None and not _too_early(now, live, observed):
            found.append(now)
    return tuple(found)


def settled(
    result: TaskResult, task: Task | None, live: Object | None, *, health_of: HealthOf = assess
) -> TaskResult | None:
    """Return a running result as the live object now shows it; None while it is still running."""
    if result.code is ResultCode.PRUNED:
        return with_phase(result, OperationPhase.SUCCEEDED) if live is None else None
    if live is None:
        message = f"Resource {result.key} is missing, it might have been deleted"
        lost = msgspec.structs.replace(result, code=ResultCode.SYNC_FAILED)
        return with_phase(lost, OperationPhase.ERROR, message)
    health = gating(health_of(live))
    if result.hook_type or (task is not None and task.is_hook):
        return _settled_hook(result, health)
    if health is None or health.status is HealthCode.HEALTHY:
        return with_phase(result, OperationPhase.SUCCEEDED)
    if health.status is HealthCode.DEGRADED:
        return with_phase(result, OperationPhase.FAILED, health.message or "the object is Degraded")
    return None


def _settled_hook(result: TaskResult, health: Health | None) -> TaskResult | None:
    if health is None or health is scripts.NO_STATUS:
        return with_phase(result, OperationPhase.SUCCEEDED)
    if health.status is HealthCode.HEALTHY:
        return with_phase(result, OperationPhase.SUCCEEDED, health.message or result.message)
    if health.status in (HealthCode.DEGRADED, HealthCode.UNKNOWN):
        return with_phase(result, OperationPhase.FAILED, health.message or "the hook failed")
    return None


def with_phase(result: TaskResult, phase: OperationPhase, message: str | None = None) -> TaskResult:
    """Return a result that ended in a phase."""
    return msgspec.structs.replace(result, hook_phase=phase, message=result.message if message is None else message)


def _too_early(now: TaskResult, live: Object | None, observed: Observed) -> bool:
    if observed.trusting or now.hook_type or now.hook_phase is not OperationPhase.FAILED:
        return False
    return disbelief_left(live, observed) > 0


def disbelief_left(live: Object | None, observed: Observed) -> float:
    """Return the seconds for which a Degraded object that was just written is not believed yet."""
    written = stuck.written_at(live)
    if observed.trusting or not observed.as_of or not written:
        return 0.0
    return max(0.0, DISBELIEF - stuck.age(written, observed.as_of))
