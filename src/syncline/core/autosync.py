"""Whether an Application syncs by itself: every reason not to is a value.

Called by `syncline.core.decide` when nothing is running, requested, paused or being deleted. The rules are Argo CD's:
one automatic attempt per revision and source, self-heal with growing pauses, and a guard against wiping out an app.
"""

from __future__ import annotations

from syncline.apimachinery import times
from syncline.core.assess import Assessment
from syncline.core.sync import retry
from syncline.model.application import Automated
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.decision import Decision, DecisionKind
from syncline.model.operation import (
    Operation,
    OperationInitiator,
    OperationPhase,
    OperationState,
    RetryStrategy,
    SyncOperation,
    SyncOperationResource,
)
from syncline.model.reason import Reason
from syncline.model.snapshot import Snapshot


def auto_sync(assessment: Assessment) -> Decision:
    """Return whether to start a sync unasked, or the reason why not."""
    app, comparison = assessment.app, assessment.comparison
    automated = app.spec.sync_policy.automated if app.spec.sync_policy else None
    if comparison.verdict is Verdict.SYNCED:
        return _rest(Reason.ALREADY_SYNCED)
    if errors := [condition for condition in comparison.conditions if condition.type.endswith("Error")]:
        return _rest(Reason.SPEC_INVALID, errors[0].message)
    rows = [row for row in comparison.rows if row.verdict is Verdict.OUT_OF_SYNC]
    if not rows:
        return _rest(Reason.CANNOT_COMPARE, _uncomparable(comparison.rows))
    if automated is None or automated.enabled is False:
        return _rest(Reason.NOT_AUTOMATED)
    if not automated.prune and all(row.requires_pruning for row in rows):
        return _rest(Reason.ONLY_PRUNING_NEEDED)
    return _automated(assessment, automated, rows)


def _uncomparable(rows: tuple[ComparedObject, ...]) -> str:
    return next((row.message for row in rows if row.verdict is Verdict.UNKNOWN), "")


def _automated(assessment: Assessment, automated: Automated, rows: list[ComparedObject]) -> Decision:
    state = assessment.app.status.operation_state
    counted = [row for row in assessment.comparison.rows if row.verdict is not Verdict.NONE]
    if automated.prune and not automated.allow_empty and all(row.requires_pruning for row in counted):
        return _rest(Reason.WOULD_WIPE_OUT, f"auto-sync will wipe out all resources ({len(counted)})")
    if state is None or not _same_attempt(assessment, state):
        return _start(assessment, automated, Reason.NEW_REVISION, ())
    if state.phase is not OperationPhase.SUCCEEDED:
        return _rest(Reason.FAILED_BEFORE, f"Failed last sync attempt to {assessment.revision}: {state.message}")
    if not automated.self_heal:
        return _rest(Reason.ALREADY_ATTEMPTED)
    attempts = state.operation.sync.auto_heal_attempts_count if state.operation.sync else 0
    if (pause := self_heal_pause(assessment.snapshot, state, attempts)) > 0:
        return Decision(kind=DecisionKind.REST, reason=Reason.SELF_HEAL_BACKOFF, wake_after=pause)
    return _start(assessment, automated, Reason.SELF_HEAL, tuple(rows), attempts + 1)


def _same_attempt(assessment: Assessment, state: OperationState) -> bool:
    """Whether the last operation was for this very revision and source; one that got nowhere counts as tried."""
    result, spec = state.sync_result, assessment.app.spec
    if result is None:
        return True
    sources = result.sources or ((result.source,) if result.source else ())
    return result.revision == assessment.revision and sources == spec.all_sources


def self_heal_pause(snapshot: Snapshot, state: OperationState, attempts: int) -> float:
    """Return the seconds self-heal still waits: 0, 2, 6, 18 … after the last operation's end, at most five minutes."""
    settings = snapshot.settings
    if attempts <= 0 or state.finished_at is None:
        return 0.0
    # Far beyond the cap already, and a float that is raised without end overflows.
    exponent = min(attempts - 1, 64)
    wait = min(settings.self_heal_backoff * settings.self_heal_factor**exponent, settings.self_heal_cap)
    return max(0.0, _seconds(state.finished_at) + wait - _seconds(snapshot.as_of))


def _start(
    assessment: Assessment,
    automated: Automated,
    reason: Reason,
    rows: tuple[ComparedObject, ...],
    heal_attempts: int = 0,
) -> Decision:
    app = assessment.app
    policy = app.spec.sync_policy
    sync = SyncOperation(
        revision=assessment.revision,
        prune=automated.prune,
        sync_options=policy.sync_options if policy else (),
        resources=tuple(
            SyncOperationResource(
                group=row.key.group, kind=row.key.kind, name=row.key.name, namespace=row.key.namespace
            )
            for row in rows
            if automated.prune or not row.requires_pruning
        ),
        auto_heal_attempts_count=heal_attempts,
    )
    operation = Operation(
        sync=sync,
        initiated_by=OperationInitiator(automated=True),
        retry=(policy.retry if policy and policy.retry else None) or RetryStrategy(limit=retry.AUTOMATED_LIMIT),
    )
    return Decision(kind=DecisionKind.START, reason=reason, operation=operation)


def _rest(reason: Reason, detail: str = "") -> Decision:
    return Decision(kind=DecisionKind.REST, reason=reason, detail=detail)


def _seconds(time: str) -> float:
    """Return a Kubernetes time as seconds since 1970."""
    return times.parse(time).timestamp()
