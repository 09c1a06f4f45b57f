"""What a running operation waits for before it may go on, and the sentence that says so.

Called by `syncline.core.sync.step`. Hooks are always waited for, other objects only between the stages of a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.sync import stuck
from syncline.core.sync.settling import Identity, Observed, disbelief_left, identity
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.health import HealthCode
from syncline.model.look_again import LookAgain
from syncline.model.plan import Phase, Plan, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult

_WORDS = {
    Reason.WAITING_FOR_HOOK: "waiting for completion of hook",
    Reason.WAITING_FOR_HEALTH: "waiting for healthy state of",
    Reason.WAITING_FOR_DELETION: "waiting for deletion of",
    Reason.WAITING_FOR_CONFIRMATION: "waiting for approval to prune",
    Reason.WAITING_FOR_OTHERS: "waiting for other apps to be checked before pruning",
    Reason.WAITING_FOR_KIND: "waiting until the cluster serves",
}

_ARGO_CDS = (Reason.WAITING_FOR_HOOK, Reason.WAITING_FOR_HEALTH, Reason.WAITING_FOR_DELETION)
_SOON = 1.0
"""Seconds until it is looked again whether other apps were looked at: nothing else tells."""


def running(
    plan: Plan, results: Mapping[Identity, TaskResult], observed: Observed, pending: Sequence[Task]
) -> tuple[Wait, ...]:
    """Return what is still running and holds up the rest.

    Hooks always do, others between the stages of a plan with several. A result whose task is no longer planned holds
    up what is to come.
    """
    planned = {identity(task) for task in plan.tasks}
    gated = plan.stages > 1 and (bool(pending) or ends_with_hooks(plan))
    waits = []
    for key, result in results.items():
        if result.completed or result.code is ResultCode.PRUNED:
            continue
        if result.hook_type or gated or (pending and key not in planned):
            reason = Reason.WAITING_FOR_HOOK if result.hook_type else Reason.WAITING_FOR_HEALTH
            waits.append(_labelled(result, reason, observed))
    return tuple(sorted(waits, key=lambda wait: (wait.reason is not Reason.WAITING_FOR_HOOK, wait.key)))


def _labelled(result: TaskResult, reason: Reason, observed: Observed) -> Wait:
    health = observed.health(result.key)
    plain = Wait(key=result.key, reason=reason, message=health.message if health else "")
    return label(plain, observed)


def label(wait: Wait, observed: Observed) -> Wait:
    """Return the wait with cause, begin and, where it lasts too long, the label."""
    if not observed.as_of:
        return wait
    return stuck.labelled(
        wait,
        observed.live.get(wait.key),
        observed.health(wait.key),
        started_at=observed.started_at,
        as_of=observed.as_of,
    )


def ends_with_hooks(plan: Plan) -> bool:
    """Whether hooks run in the last stage: the operation goes on until they are done, so the others are awaited too."""
    regular = [task for task in plan.tasks if task.phase is not Phase.SYNC_FAIL]
    last = (regular[-1].phase, regular[-1].wave) if regular else None
    return any(task.is_hook and (task.phase, task.wave) == last for task in regular)


def deleting(results: Mapping[Identity, TaskResult], observed: Observed, pending: Sequence[Task]) -> tuple[Wait, ...]:
    """Return pruned objects that are still on their way out while more is to come."""
    leaving = [result.key for result in results.values() if result.code is ResultCode.PRUNED and not result.completed]
    return tuple(
        label(Wait(key=key, reason=Reason.WAITING_FOR_DELETION, message=_finalizers(observed.live[key])), observed)
        for key in sorted(leaving)
        if pending and key in observed.live
    )


def _finalizers(live: Object) -> str:
    found = meta.finalizers(live)
    return f"held by {', '.join(found)}" if found else "terminating"


def wait(settled: tuple[TaskResult, ...], waits: tuple[Wait, ...], observed: Observed) -> Step:
    """Return the step that waits; one that is stuck is named first, and the next look is when a label falls due."""
    first = next((item for item in waits if item.stuck), waits[0])
    noun = "hooks" if first.reason is Reason.WAITING_FOR_HOOK else "resources"
    more = f" and {len(waits) - 1} more {noun}" if len(waits) > 1 else ""
    detail = f" ({first.message})" if first.message else ""
    label_text = f", stuck since {first.since}" + (f": {first.cause}" if first.cause else "") if first.stuck else ""
    return Step(
        kind=StepKind.WAIT,
        reason=first.reason,
        message=f"{_WORDS[first.reason]} {_named(first)}{more}{detail}{label_text}",
        settled=settled,
        waits=waits,
        look_again=_next_look(waits, observed),
    )


def _named(first: Wait) -> str:
    """Return the object as Argo CD names it, for which scripts look: core kinds begin with a slash, having no group."""
    key = f"{first.key.group}/{first.key.kind}/{first.key.name}"
    return key if first.reason in _ARGO_CDS else key.removeprefix("/")


def _next_look(waits: Iterable[Wait], observed: Observed) -> LookAgain:
    waits = tuple(waits)
    doubted = [
        left
        for item in waits
        if (health := observed.health(item.key)) is not None
        and health.status is HealthCode.DEGRADED
        and (left := disbelief_left(observed.live.get(item.key), observed)) > 0
    ]
    label_due = stuck.due(waits, observed.as_of)
    others = [_SOON] if any(item.reason is Reason.WAITING_FOR_OTHERS for item in waits) else []
    due = [*doubted, *others, *([label_due] if label_due else [])]
    return LookAgain.earliest(*map(LookAgain.after, due))
