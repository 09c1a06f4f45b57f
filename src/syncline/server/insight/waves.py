"""The waves of an operation: what each has done of how much, what is waited for, and since when.

Used by the route of waves with one look at an Application. While an operation runs it is planned again from what is
recorded, as the controller does; of one that is over the record is shown; without any it is the plan of a sync.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.core.operating import plan_of
from syncline.core.sync import task_results
from syncline.model.decision import Wait
from syncline.model.operation import Operation, OperationPhase, OperationState, ResourceResult, SyncOperation
from syncline.model.plan import Phase, Plan, TaskAction
from syncline.server.insight.planning import object_json

_NEVER = "1970-01-01T00:00:00Z"
_FAILED = (OperationPhase.FAILED.value, OperationPhase.ERROR.value)


class _Row(msgspec.Struct, frozen=True):
    """One object in one phase, and how far it is."""

    key: ObjectKey
    phase: Phase
    wave: int
    action: str
    result: ResourceResult | None
    wait: Wait | None
    over: bool = False
    """Whether the operation is: then nothing runs any more, whatever was last recorded of it."""

    @property
    def state(self) -> str:
        """How far: done, running, waiting or failed."""
        found = self.result
        if self.wait is not None:
            return "running"
        if found is None:
            return "waiting"
        if found.hook_phase in _FAILED or found.status == "SyncFailed":
            return "failed"
        return "running" if found.hook_phase == OperationPhase.RUNNING.value and not self.over else "done"


def waves_json(assessment: Assessment) -> dict[str, Any]:
    """Return the waves of an Application as clients take them."""
    state = assessment.app.status.operation_state
    running = state is not None and not state.phase.completed
    waits: tuple[Wait, ...] = ()
    if state is None:
        rows = _planned(_plan(assessment, None), {}, ())
    elif running:
        decision = decide(assessment, task_results.recorded(state))
        waits = decision.step.waits if decision.step else ()
        rows = _planned(_plan(assessment, state), _results(state), waits)
    else:
        rows = _recorded(assessment, state)
    waves = [
        _wave(phase, wave, list(group)) for (phase, wave), group in groupby(rows, lambda one: (one.phase, one.wave))
    ]
    current = next((place for place, one in enumerate(waves) if one["state"] != "done"), None)
    return {
        "schemaVersion": 1,
        "operation": _operation(state),
        "planned": state is None,
        "current": current if running else None,
        "waves": waves,
        "waiting": [
            {"key": str(one.key), "text": without_secrets(one.message), "since": one.since, "stuck": one.stuck}
            for one in waits
        ],
    }


def _plan(assessment: Assessment, state: OperationState | None) -> Plan:
    unasked = OperationState(Operation(sync=SyncOperation()), OperationPhase.RUNNING, _NEVER)
    return plan_of(assessment, state or unasked)


def _results(state: OperationState) -> dict[tuple[ObjectKey, str], ResourceResult]:
    found = state.sync_result.resources if state.sync_result else ()
    return {(_key(one), one.sync_phase or Phase.SYNC.value): one for one in found}


def _key(one: ResourceResult) -> ObjectKey:
    return ObjectKey(one.group, one.kind, one.namespace, one.name)


def _planned(plan: Plan, results: dict[tuple[ObjectKey, str], ResourceResult], waits: Iterable[Wait]) -> list[_Row]:
    waited = {one.key: one for one in waits}
    return [
        _Row(
            task.key,
            task.phase,
            task.wave,
            "keep" if task.action is TaskAction.PRUNE and not task.prune_allowed else task.action.value,
            results.get((task.key, task.phase.value)),
            waited.get(task.key),
        )
        for task in plan.in_execution
        if task.phase is not Phase.SYNC_FAIL or (task.key, task.phase.value) in results
    ]


def _recorded(assessment: Assessment, state: OperationState) -> list[_Row]:
    """Return what an operation that is over has done, by phase and wave as far as these are known still."""
    known = {row.key: row.wave for row in assessment.comparison.rows}
    rows = [
        _Row(
            _key(one),
            Phase(one.sync_phase or Phase.SYNC.value),
            known.get(_key(one), 0),
            _action(one),
            one,
            None,
            over=True,
        )
        for one in (state.sync_result.resources if state.sync_result else ())
    ]
    return sorted([*rows, *_not_begun(assessment, state)], key=lambda one: (one.phase.rank, one.wave))


def _not_begun(assessment: Assessment, state: OperationState) -> list[_Row]:
    """Return what an operation that failed has left, where it is still to be done: phases before and of the sync."""
    result = state.sync_result
    if result is None or state.phase.value not in _FAILED or result.revision != assessment.revision:
        return []
    done = _results(state)
    rows = _planned(_plan(assessment, state), {}, ())
    return [one for one in rows if one.phase.rank <= Phase.SYNC.rank and (one.key, one.phase.value) not in done]


def _action(one: ResourceResult) -> str:
    if one.hook_type:
        return TaskAction.HOOK.value
    return TaskAction.PRUNE.value if one.status.startswith("Prune") else TaskAction.APPLY.value


def _wave(phase: Phase, wave: int, rows: list[_Row]) -> dict[str, Any]:
    states = [row.state for row in rows]
    state = next((one for one in ("failed", "running") if one in states), "")
    if not state:
        done = states.count("done")
        state = "done" if done == len(states) else "running" if done else "waiting"
    return {
        "phase": phase.value,
        "wave": wave,
        "state": state,
        "done": states.count("done"),
        "total": len(states),
        "tasks": [_task(row) for row in rows],
    }


def _task(row: _Row) -> dict[str, Any]:
    found = row.result
    message = row.wait.message if row.wait is not None else found.message if found else ""
    return {
        "key": str(row.key),
        **object_json(row.key),
        "action": row.action,
        "state": row.state,
        "status": found.status if found else "",
        "message": without_secrets(message),
        "hookPhase": found.hook_phase if found else "",
    }


def _operation(state: OperationState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    by = state.operation.initiated_by
    return {
        "phase": state.phase.value,
        "message": without_secrets(state.message),
        "startedAt": state.started_at,
        "finishedAt": state.finished_at or "",
        "revision": state.sync_result.revision if state.sync_result else "",
        "by": ("auto-sync" if by.automated else by.username) if by else "",
        "retryCount": state.retry_count,
    }
