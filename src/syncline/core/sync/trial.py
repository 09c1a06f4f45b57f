"""Argo CD's trial run: before anything is done, every object is held against the schema of its kind.

Called by `syncline.core.operating` under `compat: argocd`, on the first pass of an attempt. Argo CD lets kubectl do
this without asking the server, so nothing is sent here either. One object that fails stops the whole sync, and SyncFail
hooks do not run. Syncline's own behaviour has no such stage: there the API server's word on each object counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from syncline.apimachinery.keys import GroupVersionKind, Object, ObjectKey, gvk_of
from syncline.apimachinery.schema import builtin, validate
from syncline.apimachinery.schema.node import ANY, Node
from syncline.core.sync import task_results
from syncline.model.decision import Step, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Plan, Task, TaskAction
from syncline.model.reason import Reason

NodeFor = Callable[[GroupVersionKind], Node]


def failed_trial(plan: Plan, objects: Mapping[ObjectKey, Object], node_for: NodeFor) -> Step | None:
    """Return the end of an operation whose trial run fails; None when it may begin."""
    failures = []
    for task in plan.tasks:
        obj = objects.get(task.source_key or task.key)
        if task.action is TaskAction.PRUNE or task.phase is Phase.SYNC_FAIL or obj is None:
            continue
        if message := _problem(task, obj, node_for):
            failures.append(task_results.failed(task, message))
    if not failures:
        return None
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.TASK_FAILED,
        message="one or more objects failed to apply (dry run)",
        settled=tuple(failures),
        phase=OperationPhase.FAILED,
    )


def _problem(task: Task, obj: Object, node_for: NodeFor) -> str:
    if not task.how.validate or task.how.dry_run_skipped:
        return ""
    gvk = gvk_of(obj)
    node = node_for(gvk)
    if node is ANY:
        return ""
    schema = gvk if builtin.for_kind(gvk) is not None else node
    return "; ".join(str(problem) for problem in validate.validate(obj, schema))
