"""Plans and steps a running operation from one assessment.

Called by `syncline.core.decide`, and by `syncline.controller.deliver.act` right after acting, to see whether more can
be done at once. Everything an operation knows about itself is in `status.operationState`.
"""

from __future__ import annotations

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.assess import Assessment
from syncline.core.health import checkup
from syncline.core.policy import impersonation
from syncline.core.sync import hooks, trial
from syncline.core.sync.plan import PlanContext, make_plan, namespace_object
from syncline.core.sync.settling import HealthOf, Observed
from syncline.core.sync.step import dry_run, next_step
from syncline.model import names
from syncline.model.application import Application
from syncline.model.decision import Step
from syncline.model.operation import OperationPhase, OperationState, SyncOperation
from syncline.model.plan import Plan
from syncline.model.result import TaskResult
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions


def plan_of(assessment: Assessment, state: OperationState) -> Plan:
    """Return the plan of an operation, as it looks from here."""
    app = assessment.app
    sync = state.operation.sync or SyncOperation()
    policy = app.spec.sync_policy
    attempt_over = state.finished_at is not None
    rows = state.sync_result.resources if state.sync_result and not attempt_over else ()
    owners = assessment.owners
    context = PlanContext(
        sync=sync,
        app_options=options_of(assessment, state),
        destination_namespace=app.spec.destination.namespace,
        revision=assessment.revision,
        started_unix=int(seconds(state.started_at)),
        known_kinds=assessment.kinds,
        namespace_metadata=policy.managed_namespace_metadata if policy else None,
        begun=frozenset(ObjectKey(row.group, row.kind, row.namespace, row.name) for row in rows),
        approved=approved_since(app, state.started_at),
        project=assessment.project,
        destination=assessment.snapshot.destination or app.spec.destination,
        compat=assessment.snapshot.settings.compat,
        desired_elsewhere=frozenset(key for key, one in owners.items() if not one.mine and not one.desired),
        owned_elsewhere={key: one.message for key, one in owners.items() if not one.mine},
        contested={one.key: f"taken over from {one.app}" for one in assessment.adoptions}
        | {key: one.taken_over for key, one in owners.items() if one.mine},
        unseen=assessment.snapshot.unseen,
        unsafe=unsafe_to_prune(assessment),
        safety=assessment.snapshot.settings.safety,
        field_manager=assessment.snapshot.settings.field_manager,
    )
    return make_plan(assessment.prepared, assessment.comparison, assessment.live, context)


def unsafe_to_prune(assessment: Assessment) -> str:
    """Return why nothing of an app may be pruned now; empty where everything is known that has to be."""
    snapshot, prepared = assessment.snapshot, assessment.prepared
    if not snapshot.complete:
        return f"not everything could be read: {', '.join(snapshot.incomplete_groups) or 'the cluster'}"
    if snapshot.desired is None or snapshot.desired_stale:
        return "the source could not be fetched or rendered"
    if snapshot.settings.compat is Compat.ARGOCD:
        return ""
    if lost := [item.message for item in prepared.conditions if item.is_error]:
        return f"the render has invalid objects: {'; '.join(lost)}"
    policy = assessment.app.spec.sync_policy
    empty_allowed = policy is not None and policy.automated is not None and policy.automated.allow_empty
    if not prepared.objects and not prepared.hooks and not empty_allowed:
        return "Git has no objects for this app at all; automated.allowEmpty would permit deleting everything"
    return ""


def acting_as(assessment: Assessment) -> impersonation.Actor:
    """Return whom to act as on the destination."""
    snapshot, app = assessment.snapshot, assessment.app
    there = snapshot.destination or app.spec.destination
    return impersonation.actor(app, there, assessment.project, snapshot.settings)


def options_of(assessment: Assessment, state: OperationState) -> SyncOptions:
    """Return the app-level sync options in force: those of the request, else those of the app."""
    sync = state.operation.sync
    return SyncOptions.parse(sync.sync_options) if sync and sync.sync_options else assessment.app.spec.options


def operation_id(state: OperationState) -> str:
    """Return the id under which hooks of an operation are stamped."""
    for info in state.operation.info:
        if info.name == names.OPERATION_ID_INFO:
            return info.value
    return str(int(seconds(state.started_at)))


def step_of(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Step:
    """Return the next move of an operation."""
    plan, observed = plan_of(assessment, state), observed_of(assessment, state, results)
    if state.operation.sync is not None and state.operation.sync.dry_run and not observed.terminating:
        # Argo CD lets kubectl try things out without asking the server.
        return dry_run(plan, observed, ask=assessment.snapshot.settings.compat is not Compat.ARGOCD)
    first = not results and not plan.problems and not observed.terminating
    if first and assessment.snapshot.settings.compat is Compat.ARGOCD:
        failed = trial.failed_trial(plan)
        if failed is not None:
            return failed
    return next_step(plan, observed)


def observed_of(assessment: Assessment, state: OperationState, results: tuple[TaskResult, ...]) -> Observed:
    """Return what a step looks at."""
    argocd = assessment.snapshot.settings.compat is Compat.ARGOCD
    return Observed(
        results=results,
        live=assessment.live,
        stamp=hooks.stamp(operation_id(state), state.retry_count),
        terminating=state.phase is OperationPhase.TERMINATING,
        as_of=assessment.snapshot.as_of,
        started_at=state.started_at,
        health_of=gate(assessment),
        trusting=argocd,
    )


def gate(assessment: Assessment) -> HealthOf:
    """Return the health by which waves are gated: as assessed, and of objects written since as they stand."""
    return checkup.of_snapshot(assessment.snapshot, assessment.live).gate


def objects_of(assessment: Assessment) -> dict[ObjectKey, Object]:
    """Return the objects that tasks apply, by key, the destination namespace among them."""
    namespace, policy = assessment.app.spec.destination.namespace, assessment.app.spec.sync_policy
    managed = policy.managed_namespace_metadata if policy else None
    made = {ObjectKey("", "Namespace", "", namespace): namespace_object(namespace, managed)}
    prepared = assessment.prepared
    return {**made, **{item.key: item.obj for item in (*prepared.objects, *prepared.hooks)}}


def approved_since(app: Application, since: str) -> bool:
    """Whether somebody approved deletions at or after a time."""
    text = app.metadata.annotations.get(names.DELETION_APPROVED, "")
    try:
        return seconds(text) >= seconds(since)
    except times.InvalidTime:
        return False


def seconds(time: str) -> float:
    """Return a Kubernetes time as seconds since 1970."""
    return times.parse(time).timestamp()
