"""Refresh, sync, wait or leave alone: the next thing to do with an Application, and why.

`decide` is called by `syncline.controller.reconcile` with an assessment; the same assessment always gives the same
decision. Every reason not to sync is a value that ends up where people can see it.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.keys import ObjectKey
from syncline.core.assess import Assessment
from syncline.core.autosync import auto_sync
from syncline.core.sync import hooks, retry
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.core.sync.step import Observed, dry_run, end_early, next_step
from syncline.core.sync.teardown import teardown
from syncline.model import names, project
from syncline.model.application import Application
from syncline.model.decision import Decision, DecisionKind, Step, StepKind
from syncline.model.errors import InvalidSpec
from syncline.model.operation import (
    Operation,
    OperationPhase,
    OperationState,
    SyncOperation,
)
from syncline.model.plan import Plan
from syncline.model.project import AppProject
from syncline.model.reason import Reason
from syncline.model.result import TaskResult
from syncline.model.settings import Compat
from syncline.model.snapshot import Snapshot


def decide(assessment: Assessment, results: tuple[TaskResult, ...]) -> Decision:
    """Return what to do next; `results` are those recorded for the running operation."""
    app, snapshot = assessment.app, assessment.snapshot
    if app.metadata.annotations.get(names.SKIP_RECONCILE) == "true":
        return _rest(Reason.PAUSED)
    if app.metadata.deletion_timestamp:
        return _tear_down(assessment)
    state = app.status.operation_state
    if state is not None and not state.phase.completed:
        return _proceed(assessment, state, results)
    if app.operation is not None:
        return Decision(kind=DecisionKind.START, reason=Reason.REQUESTED, operation=_with_retry(app.operation, app))
    if trouble := next(iter(snapshot.troubles), None):
        return _rest(trouble.reason, trouble.message)
    return auto_sync(assessment)


def _tear_down(assessment: Assessment) -> Decision:
    app = assessment.app
    if not any(finalizer.startswith(names.RESOURCES_FINALIZER) for finalizer in app.metadata.finalizers):
        return _rest(Reason.DELETING)
    if trouble := next((item for item in assessment.snapshot.troubles if item.reason in _BLINDING), None):
        return _rest(trouble.reason, trouble.message)
    if not assessment.snapshot.complete:
        unread = ", ".join(assessment.snapshot.incomplete_groups)
        return _rest(Reason.PRUNE_UNSAFE, f"nothing is deleted while these cannot be read: {unread}")
    policy = app.spec.sync_policy
    step = teardown(
        assessment.owned,
        assessment.live,
        assessment.myself,
        app_options=policy.sync_options if policy else (),
        approved=_approved_since(app, app.metadata.deletion_timestamp),
    )
    return Decision(kind=DecisionKind.TEAR_DOWN, reason=Reason.DELETING, detail=step.message, step=step)


_BLINDING = (Reason.CLUSTER_UNREACHABLE, Reason.PRUNE_UNSAFE)


def _approved_since(app: Application, since: str) -> bool:
    """Whether somebody approved deletions at or after a time."""
    text = app.metadata.annotations.get(names.DELETION_APPROVED, "")
    try:
        return _seconds(text) >= _seconds(since)
    except times.InvalidTime:
        return False


def plan_of(assessment: Assessment, state: OperationState) -> Plan:
    """Return the plan of an operation, as it looks from here."""
    app = assessment.app
    sync = state.operation.sync or SyncOperation()
    policy = app.spec.sync_policy
    attempt_over = state.finished_at is not None
    rows = state.sync_result.resources if state.sync_result and not attempt_over else ()
    context = PlanContext(
        sync=sync,
        app_options=_options(assessment, state),
        destination_namespace=app.spec.destination.namespace,
        revision=assessment.revision,
        started_unix=int(_seconds(state.started_at)),
        known_kinds=assessment.kinds,
        namespace_metadata=policy.managed_namespace_metadata if policy else None,
        begun=frozenset(ObjectKey(row.group, row.kind, row.namespace, row.name) for row in rows),
        approved=_approved_since(app, state.started_at),
        project=_project(assessment.snapshot),
        destination=app.spec.destination,
    )
    return make_plan(assessment.prepared, assessment.comparison, assessment.live, context)


def _project(snapshot: Snapshot) -> AppProject | None:
    """Return the typed project; one that is missing or cannot be read is a trouble of the snapshot already."""
    try:
        return project.parse(snapshot.project) if snapshot.project else None
    except InvalidSpec:
        return None


def _options(assessment: Assessment, state: OperationState) -> tuple[str, ...]:
    """Return the app-level sync options in force: those of the request, else those of the app."""
    policy, sync = assessment.app.spec.sync_policy, state.operation.sync
    return (sync.sync_options if sync else ()) or (policy.sync_options if policy else ())


def operation_id(state: OperationState) -> str:
    """Return the id under which hooks of an operation are stamped."""
    for info in state.operation.info:
        if info.name == names.OPERATION_ID_INFO:
            return info.value
    return str(int(_seconds(state.started_at)))


def step_of(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step:
    """Return the next move of an operation."""
    plan, observed = plan_of(assessment, state), _observed(assessment, state, results)
    if state.operation.sync is not None and state.operation.sync.dry_run and not observed.terminating:
        return dry_run(plan, observed)
    return next_step(plan, observed)


def _observed(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Observed:
    return Observed(
        results=results,
        live=assessment.live,
        stamp=hooks.stamp(operation_id(state), state.retry_count),
        terminating=state.phase is OperationPhase.TERMINATING,
    )


def _proceed(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Decision:
    if state.finished_at is not None and state.phase is OperationPhase.RUNNING:
        pause = _retry_pause(assessment, state)
        step = Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_RETRY, message=state.message)
        if pause or _newer(assessment, state):
            return _running(_superseded(step, assessment, state, results), pause)
    if state.phase is not OperationPhase.TERMINATING and (refused := _refused(assessment, state, results)):
        return _running(refused)
    return _running(_superseded(step_of(assessment, state, results), assessment, state, results))


def _superseded(step: Step, assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step:
    """Return the end of an automated operation that only waits while Git has something newer.

    A running hook is never cut short. Differs from Argo CD on purpose, where a stuck sync locks out its own fix.
    """
    hook = any(wait.reason is Reason.WAITING_FOR_HOOK for wait in step.waits)
    if step.kind is not StepKind.WAIT or hook or not _newer(assessment, state):
        return step
    message = f"superseded by {assessment.snapshot.newest_revisions[0]}: {step.message}"
    plan, observed = plan_of(assessment, state), _observed(assessment, state, results)
    return end_early(plan, observed, OperationPhase.FAILED, Reason.NEW_REVISION, message)


def _newer(assessment: Assessment, state: OperationState) -> bool:
    if assessment.snapshot.settings.compat is Compat.ARGOCD:
        return False
    newest = assessment.snapshot.newest_revisions
    pinned = state.sync_result.revision if state.sync_result else ""
    return _is_automated(state) and bool(newest and pinned) and newest[0] != pinned


def _running(step: Step, wake_after: float = 0.0) -> Decision:
    return Decision(
        kind=DecisionKind.PROCEED,
        reason=Reason.OPERATION_RUNNING,
        detail=step.message,
        step=step,
        wake_after=wake_after,
    )


def _is_automated(state: OperationState) -> bool:
    by = state.operation.initiated_by
    return by is not None and by.automated


def _retry_pause(assessment: Assessment, state: OperationState) -> float:
    """Return the seconds left before a failed attempt is tried again."""
    due = _seconds(state.finished_at or state.started_at) + retry.pause(state.operation, state.retry_count)
    return max(0.0, due - _seconds(assessment.snapshot.as_of))


def _refused(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step | None:
    """Return the end of an operation that cannot be carried out, or a pause while a cluster is away."""
    for trouble in assessment.snapshot.troubles:
        if trouble.reason is Reason.CLUSTER_UNREACHABLE:
            return Step(kind=StepKind.WAIT, reason=trouble.reason, message=trouble.message)
    conditions = assessment.comparison.conditions

    def end(phase: OperationPhase, reason: Reason, message: str) -> Step:
        plan, observed = plan_of(assessment, state), _observed(assessment, state, results)
        return end_early(plan, observed, phase, reason, message)

    if errors := [condition for condition in conditions if condition.type.endswith("Error")]:
        message = "; ".join(f"{condition.type}: {condition.message}" for condition in errors)
        return end(OperationPhase.ERROR, Reason.CANNOT_COMPARE, message)
    shared = [condition.message for condition in conditions if condition.type == "SharedResourceWarning"]
    if shared and "FailOnSharedResource=true" in _options(assessment, state):
        message = f"Shared resource found: {'; '.join(shared)}"
        return end(OperationPhase.FAILED, Reason.TASK_FAILED, message)
    return None


def _with_retry(operation: Operation, app: Application) -> Operation:
    policy = app.spec.sync_policy
    if operation.retry is not None or policy is None or policy.retry is None:
        return operation
    return msgspec.structs.replace(operation, retry=policy.retry)


def _rest(reason: Reason, detail: str = "") -> Decision:
    return Decision(kind=DecisionKind.REST, reason=reason, detail=detail)


def _seconds(time: str) -> float:
    """Return a Kubernetes time as seconds since 1970."""
    return times.parse(time).timestamp()
