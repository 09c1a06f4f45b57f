"""Refresh, sync, wait or leave alone: the next thing to do with an Application, and why.

`decide` is called by `syncline.controller.deliver.reconcile` with an assessment; the same assessment always gives the
same decision. Every reason not to sync is a value that ends up where people can see it. The operation itself is planned
and stepped by `syncline.core.operating`.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core import holding
from syncline.core.assess import Assessment, stopping
from syncline.core.autosync import auto_sync
from syncline.core.compare import adoption
from syncline.core.compare.adoption import Adoption
from syncline.core.operating import (
    acting_as,
    approved_since,
    gate,
    observed_of,
    operation_id,
    options_of,
    plan_of,
    seconds,
    step_of,
)
from syncline.core.policy import projects
from syncline.core.sync import deletion_hooks, retry
from syncline.core.sync.selection import covers
from syncline.core.sync.step import end_early
from syncline.core.sync.teardown import teardown
from syncline.model import names
from syncline.model.application import Application
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind, Step, StepKind
from syncline.model.look_again import LookAgain
from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperation
from syncline.model.reason import Reason
from syncline.model.result import TaskResult
from syncline.model.settings.settings import Compat

__all__ = ["decide", "operation_id", "plan_of", "released_without_cluster", "step_of"]


def decide(assessment: Assessment, results: tuple[TaskResult, ...]) -> Decision:
    """Return what to do next; `results` are those recorded for the running operation."""
    return holding.unless_frozen(_decide(assessment, results), assessment)


def _decide(assessment: Assessment, results: tuple[TaskResult, ...]) -> Decision:
    app, snapshot = assessment.app, assessment.snapshot
    if names.is_true(app.metadata.annotations.get(names.SKIP_RECONCILE)):
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
    app, snapshot = assessment.app, assessment.snapshot
    held = _stages_left(app)
    if not held:
        return _rest(Reason.DELETING)
    if trouble := next((item for item in snapshot.troubles if item.reason in _BLINDING), None):
        return _rest(trouble.reason, trouble.message)
    if lawless := _without_project(assessment):
        # Argo CD deletes nothing without knowing what the project permits.
        return Decision(kind=DecisionKind.TEAR_DOWN, reason=Reason.TASK_FAILED, detail=lawless)
    if nobody := acting_as(assessment).refusal:
        return Decision(kind=DecisionKind.TEAR_DOWN, reason=Reason.TASK_FAILED, detail=nobody)
    if not snapshot.complete:
        unread = ", ".join(snapshot.incomplete_groups)
        return _rest(Reason.PRUNE_UNSAFE, f"nothing is deleted while these cannot be read: {unread}")
    if held[0] != names.RESOURCES_FINALIZER:
        return _deletion_hooks(assessment, held[0])
    if unseen := _may_be_desired(assessment):
        return unseen
    step = teardown(
        _permitted(assessment) - {key for key, one in assessment.owners.items() if not one.mine},
        assessment.live,
        assessment.myself,
        app_options=app.spec.options,
        approved=approved_since(app, app.metadata.deletion_timestamp),
        propagation=_propagation(app),
    )
    return Decision(kind=DecisionKind.TEAR_DOWN, reason=Reason.DELETING, detail=step.message, step=step)


def _may_be_desired(assessment: Assessment) -> Decision | None:
    """Return a pause while apps have yet to be looked at that may desire what is about to be deleted."""
    snapshot = assessment.snapshot
    if not snapshot.unseen or not _permitted(assessment) or snapshot.settings.compat is Compat.ARGOCD:
        return None
    detail, look_again = "another app may desire what is to be deleted", LookAgain.after(_SOON)
    return Decision(kind=DecisionKind.REST, reason=Reason.WAITING_FOR_OTHERS, detail=detail, look_again=look_again)


def released_without_cluster(assessment: Assessment) -> str:
    """Return the finalizer that an app gives up whose cluster nobody knows: deleted, it goes without its objects."""
    app = assessment.app
    held_back = names.is_true(app.metadata.annotations.get(names.SKIP_RECONCILE)) or holding.frozen(assessment)
    if not app.metadata.deletion_timestamp or held_back:
        return ""
    return next(iter(_stages_left(app)), "")


def _stages_left(app: Application) -> list[str]:
    """Return the stages of deletion for which finalizers still stand, in the order of execution."""
    stages = (names.PRE_DELETE_FINALIZER, names.RESOURCES_FINALIZER, names.POST_DELETE_FINALIZER)
    return [stage for stage in stages if any(name.startswith(stage) for name in app.metadata.finalizers)]


def _without_project(assessment: Assessment) -> str:
    """Return why the rules of the project cannot be read, or do not hold for the app; empty where they do."""
    snapshot = assessment.snapshot
    unknown = assessment.project is None
    invalid = (item for item in snapshot.troubles if item.reason is Reason.SPEC_INVALID)
    return next((item.message for item in invalid if unknown or item.condition == ConditionType.UNKNOWN_ERROR), "")


def _permitted(assessment: Assessment) -> frozenset[ObjectKey]:
    """Return the app's objects that its project lets it touch; others are left behind."""
    project, destination = assessment.project, assessment.snapshot.destination
    if project is None:
        return assessment.owned
    where = destination or assessment.app.spec.destination
    return assessment.owned - projects.denied_keys(assessment.owned, where, project)


def _deletion_hooks(assessment: Assessment, finalizer: str) -> Decision:
    """Return the next move of the hooks for which a finalizer stands; they are rendered from the source."""
    ran = finalizer not in assessment.app.metadata.finalizers
    if assessment.snapshot.desired is None and not ran:
        why = "; ".join(item.message for item in assessment.snapshot.troubles)
        return _rest(Reason.SOURCE_FAILED, f"the deletion hooks cannot be rendered: {why}")
    kind = next(name for name, stage in deletion_hooks.STAGES.items() if stage == finalizer)
    if not ran and (denied := _denied_hook(assessment, kind)):
        # Neither run nor skipped: what it was to save may be about to be deleted.
        return Decision(kind=DecisionKind.TEAR_DOWN, reason=Reason.TASK_FAILED, detail=denied)
    step = deletion_hooks.next_move(
        kind,
        assessment.prepared.hooks,
        assessment.live,
        revision=assessment.revision,
        deleted_unix=int(seconds(assessment.app.metadata.deletion_timestamp)),
        present=assessment.app.metadata.finalizers,
        health_of=gate(assessment),
    )
    reason = step.reason if step.reason is Reason.TASK_FAILED else Reason.DELETING
    return Decision(kind=DecisionKind.TEAR_DOWN, reason=reason, detail=step.message, step=step)


def _denied_hook(assessment: Assessment, kind: str) -> str:
    """Return why a hook of deletion may not run in the project; empty where all may."""
    project = assessment.project
    if project is None:
        return ""
    where = assessment.snapshot.destination or assessment.app.spec.destination
    for item in assessment.prepared.hooks:
        denial = projects.object_denial(item.key, where, project) if kind in item.hook_types else None
        if denial is not None:
            return f"{kind} hook {item.key.short} is not run, so nothing more is deleted: {denial}"
    return ""


_SOON = 1.0
"""Seconds until it is looked again whether other apps were looked at."""
_BLINDING = (Reason.CLUSTER_UNREACHABLE, Reason.PRUNE_UNSAFE)


def _propagation(app: Application) -> str:
    """Return what the resources finalizer says about children: `/background`, else foreground."""
    return "Background" if f"{names.RESOURCES_FINALIZER}/background" in app.metadata.finalizers else "Foreground"


def _proceed(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Decision:
    terminating = state.phase is OperationPhase.TERMINATING
    left = _time_left(assessment, state)
    if left is not None and left <= 0 and not terminating:
        return _running(_timed_out(assessment, state, results))
    time_over = LookAgain.on_change() if left is None else LookAgain.after(left)
    if state.finished_at is not None and not terminating:
        pause = _retry_pause(assessment, state)
        step = Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_RETRY, message=state.message)
        if pause or _newer(assessment, state):
            retrying = LookAgain.after(pause) if pause else LookAgain.on_change()
            return _running(_superseded(step, assessment, state, results), retrying, time_over)
    if not terminating and (refused := _refused(assessment, state, results)):
        if refused.reason is Reason.SYNC_WINDOW and not results:
            refused = _superseded(refused, assessment, state, results)
        return _running(refused, refused.look_again, time_over)
    step = _superseded(step_of(assessment, state, results), assessment, state, results)
    return _running(step, step.look_again, time_over)


def _time_left(assessment: Assessment, state: OperationState) -> float | None:
    """Return the seconds until the sync timeout; None without one. All attempts together have to make it."""
    limit = assessment.snapshot.settings.sync_timeout
    if limit <= 0:
        return None
    return seconds(state.started_at) + limit - seconds(assessment.snapshot.as_of)


def _timed_out(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step:
    settings = assessment.snapshot.settings
    plan, observed = plan_of(assessment, state), observed_of(assessment, state, results)
    message = "Operation terminated"
    if settings.compat is not Compat.ARGOCD:
        message += f": it took longer than the sync timeout of {settings.sync_timeout:g} s ({state.message})"
    return end_early(plan, observed, OperationPhase.FAILED, Reason.TIMED_OUT, message)


def _superseded(step: Step, assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step:
    """Return the end of an automated operation that only waits while Git has something newer.

    A running hook is never cut short. Differs from Argo CD on purpose, where a stuck sync locks out its own fix.
    """
    hook = any(wait.reason is Reason.WAITING_FOR_HOOK for wait in step.waits)
    if step.kind is not StepKind.WAIT or hook or not _newer(assessment, state):
        return step
    message = f"superseded by {_newest(assessment, state)}: {step.message}"
    plan, observed = plan_of(assessment, state), observed_of(assessment, state, results)
    return end_early(plan, observed, OperationPhase.FAILED, Reason.NEW_REVISION, message)


def _newer(assessment: Assessment, state: OperationState) -> bool:
    if assessment.snapshot.settings.compat is Compat.ARGOCD:
        return False
    newest = assessment.snapshot.newest_revisions
    pinned = state.sync_result.all_revisions if state.sync_result else ()
    return _is_automated(state) and bool(newest and pinned) and newest != pinned


def _newest(assessment: Assessment, state: OperationState) -> str:
    """Return the revisions that are newer than those an operation is bound to."""
    newest = assessment.snapshot.newest_revisions
    pinned = state.sync_result.all_revisions if state.sync_result else ()
    return ", ".join(dict.fromkeys(new for new in newest if new not in pinned)) or ", ".join(newest)


def _running(step: Step, *looks: LookAgain) -> Decision:
    """Return the decision to take a step, and to look again at the earliest of these times."""
    return Decision(
        kind=DecisionKind.PROCEED,
        reason=Reason.OPERATION_RUNNING,
        detail=step.message,
        step=step,
        look_again=LookAgain.earliest(*looks),
    )


def _is_automated(state: OperationState) -> bool:
    by = state.operation.initiated_by
    return by is not None and by.automated


def _retry_pause(assessment: Assessment, state: OperationState) -> float:
    """Return the seconds left before a failed attempt is tried again."""
    since, pause = seconds(state.finished_at or state.started_at), retry.pause(state.operation, state.retry_count)
    return retry.left(since, pause, seconds(assessment.snapshot.as_of))


def _refused(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step | None:
    """Return the end of an operation that cannot be carried out, or a pause while a cluster is away."""
    for trouble in assessment.snapshot.troubles:
        if trouble.reason is Reason.CLUSTER_UNREACHABLE:
            return Step(kind=StepKind.WAIT, reason=trouble.reason, message=trouble.message)
    windows = holding.standing(assessment, manual=not _is_automated(state), started_at=state.started_at)
    if not windows.allowed:
        message = f"Sync operation blocked by sync window: {'; '.join(windows.forbidding)}"
        look = windows.look_again
        return Step(kind=StepKind.WAIT, reason=Reason.SYNC_WINDOW, message=message, look_again=look)

    def end(phase: OperationPhase, reason: Reason, message: str) -> Step:
        plan, observed = plan_of(assessment, state), observed_of(assessment, state, results)
        return end_early(plan, observed, phase, reason, message)

    if state.operation.sync is None:
        return end(OperationPhase.ERROR, Reason.SPEC_INVALID, "Invalid operation request: no operation specified")
    if refused := acting_as(assessment).refusal:
        return end(OperationPhase.ERROR, Reason.NOT_PERMITTED, refused)
    if errors := stopping(assessment):
        message = "; ".join(f"{condition.type}: {condition.message}" for condition in errors)
        return end(OperationPhase.ERROR, Reason.CANNOT_COMPARE, message)
    if pending := [one.message for one in assessment.owners.values() if one.pending]:
        message = f"waiting for a look at other apps: {'; '.join(pending)}"
        look = LookAgain.after(_SOON)
        return Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_OTHERS, message=message, look_again=look)
    shared = _kept_by_others(assessment)
    if shared and options_of(assessment, state).fail_on_shared_resource:
        message = f"Shared resource found: {'; '.join(shared)}"
        return end(OperationPhase.FAILED, Reason.TASK_FAILED, message)
    if waiting := _unapproved(assessment, state.operation.sync):
        message = f"waiting for approval: {adoption.words(waiting)} {assessment.app.metadata.name}"
        return Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_ADOPTION, message=message)
    return None


def _unapproved(assessment: Assessment, sync: SyncOperation) -> tuple[Adoption, ...]:
    """Return what a sync would take over without an approval; a dry run, and one of other objects, takes nothing."""
    covered = covers(sync)
    return () if sync.dry_run else tuple(one for one in assessment.unapproved if covered(one.key))


def _kept_by_others(assessment: Assessment) -> list[str]:
    """Return the warnings about objects that the app desires and that are marked as another's, gone or not."""
    conditions = assessment.comparison.conditions
    shared = [condition.message for condition in conditions if condition.type == ConditionType.SHARED_RESOURCE_WARNING]
    mine = {one.message for one in assessment.owners.values() if one.mine and not one.taken_over}
    return [message for message in shared if message not in mine]


def _with_retry(operation: Operation, app: Application) -> Operation:
    policy = app.spec.sync_policy
    if operation.retry is not None or policy is None or policy.retry is None:
        return operation
    return msgspec.structs.replace(operation, retry=policy.retry)


def _rest(reason: Reason, detail: str = "") -> Decision:
    return Decision(kind=DecisionKind.REST, reason=reason, detail=detail)
