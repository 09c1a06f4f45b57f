"""Argo CD's trial run: before anything is done, it lets kubectl try every object without asking the server.

Called by `syncline.core.operating` under `compat: argocd`, on the first pass of an attempt. One object that fails stops
the whole sync, and SyncFail hooks do not run. The odd fact: kubectl leaves fields to the server, so that all it refuses
is an object without a name; a field that is wrong shows when the object is applied.
"""

from __future__ import annotations

from syncline.core.sync import task_results
from syncline.model.decision import Step, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Plan
from syncline.model.reason import Reason


def failed_trial(plan: Plan) -> Step | None:
    """Return the end of an operation whose trial run fails; None when it may begin."""
    nameless = (task for task in plan.tasks if task.reason is Reason.NAME_MISSING and task.phase is not Phase.SYNC_FAIL)
    failures = tuple(task_results.failed(task, task.refusal) for task in nameless)
    if not failures:
        return None
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.TASK_FAILED,
        message="one or more objects failed to apply (dry run)",
        settled=failures,
        phase=OperationPhase.FAILED,
    )
