"""What a sync of an Application would do, as JSON with a digest: whoever agrees to a plan sends the digest along.

Used by the route of plans and by the one that starts a sync.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import orjson

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.assess import Assessment
from syncline.core.compare import adoption
from syncline.core.decide import decide
from syncline.core.operating import plan_of
from syncline.core.sync import task_results
from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperation
from syncline.model.plan import Task, TaskAction
from syncline.server.backend import Backend
from syncline.verbs.look import Overrides

_WITHOUT_TIME = "1970-01-01T00:00:00Z"


async def planned(
    backend: Backend, app: Object, *, revision: str = "", prune: bool | None = None, back: SyncOperation | None = None
) -> dict[str, Any]:
    """Return the plan of a sync that would be asked for now; `back` is that of a rollback."""
    if revision or back is not None:
        overrides = Overrides(sync=back or SyncOperation(revision=revision))
        assessment = await backend.view.assess(app, overrides)
    else:
        assessment = (await backend.looks.see(app)).assessment
    return plan_json(assessment, prune=prune)


def plan_json(assessment: Assessment, *, prune: bool | None = None) -> dict[str, Any]:
    """Return the plan of a sync of what was looked at."""
    policy = assessment.app.spec.sync_policy
    automated = policy.automated if policy else None
    pruning = bool(automated and automated.prune) if prune is None else prune
    # Names of hooks hold the time of their operation, which is not known yet: the plan is told without it.
    state = OperationState(Operation(sync=SyncOperation(prune=pruning)), OperationPhase.RUNNING, _WITHOUT_TIME)
    plan = plan_of(assessment, state)
    tasks = [_task(task, assessment) for task in plan.in_execution]
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    digest = hashlib.sha256(orjson.dumps([assessment.revisions, tasks, plan.problems])).hexdigest()
    return {
        "schemaVersion": 1,
        "app": f"{assessment.app.metadata.namespace}/{assessment.app.metadata.name}",
        "asOf": assessment.snapshot.as_of,
        "revision": assessment.revision,
        "revisions": list(assessment.revisions),
        "digest": digest[:32],
        "prune": pruning,
        "partial": plan.partial,
        "counts": dict.fromkeys(("apply", "hook", "prune", "keep"), 0) | dict(Counter(one["action"] for one in tasks)),
        "tasks": tasks,
        "problems": list(plan.problems),
        "adoption": _adoption(assessment),
        "notes": [condition.message for condition in assessment.comparison.conditions if condition.is_warning],
        "decision": {"kind": decision.kind.value, "reason": decision.reason.value, "message": decision.detail},
    }


def _adoption(assessment: Assessment) -> dict[str, Any]:
    """Return the objects whose take-over has to be approved, with the digest of the list."""
    waiting = assessment.unapproved
    rows = [{"key": str(one.key), "object": object_json(one.key), "app": one.app} for one in waiting]
    return {"digest": adoption.digest(waiting) if waiting else "", "objects": rows}


def _task(task: Task, assessment: Assessment) -> dict[str, Any]:
    row = assessment.comparison.row(task.source_key or task.key)
    kept = task.action is TaskAction.PRUNE and not task.prune_allowed
    return {
        "key": str(task.key),
        "object": object_json(task.key),
        "phase": task.phase.value,
        "wave": task.wave,
        "action": "keep" if kept else task.action.value,
        "method": task.how.method.value if task.action is TaskAction.APPLY else "",
        "reason": task.reason.value,
        "detail": task.detail,
        "refusal": task.refusal,
        "hookDeletePolicy": ",".join(policy.value for policy in task.delete_policies),
        "changed": row is None or bool(row.differences) or not row.live,
        "place": str(row.place) if row is not None and row.place else "",
    }


def object_json(key: ObjectKey) -> dict[str, str]:
    """Return the key of an object as clients take it."""
    return {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}
