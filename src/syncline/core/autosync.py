"""Whether an Application syncs automatically: every reason not to is a value, with what people need to act on it.

Called by `syncline.core.decide` when nothing is running, requested, paused or being deleted. The rules are Argo CD's:
one automatic attempt per revision and source, self-heal with growing pauses, and a guard against wiping out an app.
Different on purpose: a failed revision is tried again when what made it fail is gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.apimachinery import times
from syncline.core import holding
from syncline.core.assess import Assessment, stopping
from syncline.core.compare import adoption
from syncline.core.sync import retry
from syncline.core.sync.cleared import cleared
from syncline.model.application import Automated
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.decision import Decision, DecisionKind
from syncline.model.look_again import LookAgain
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
from syncline.model.settings.settings import Compat
from syncline.model.snapshot import Snapshot

_NAMED = 3
_SOON = 1.0
"""Seconds until it is looked again whether other apps were looked at."""
_CLEARED_PAUSE = 30.0
"""Seconds after a failure before the same revision is tried again: what only seems to be cleared must not spin."""


def auto_sync(assessment: Assessment) -> Decision:
    """Return whether to start a sync unasked, or the reason why not."""
    app, comparison = assessment.app, assessment.comparison
    automated = app.spec.sync_policy.automated if app.spec.sync_policy else None
    if comparison.verdict is Verdict.SYNCED:
        return _rest(Reason.ALREADY_SYNCED, f"at {assessment.revision}")
    if errors := stopping(assessment):
        return _rest(Reason.SPEC_INVALID, "; ".join(error.message for error in errors))
    rows = [row for row in comparison.rows if row.verdict is Verdict.OUT_OF_SYNC]
    if not rows and comparison.verdict is not Verdict.OUT_OF_SYNC:
        return _rest(Reason.CANNOT_COMPARE, _uncomparable(comparison))
    if held := _not_ours(assessment, rows):
        return held
    rows = [row for row in rows if Reason.OWNED_ELSEWHERE not in row.reasons]
    if automated is None or automated.enabled is False:
        off = "spec.syncPolicy.automated is not set" if automated is None else "automated.enabled is false"
        return _rest(Reason.NOT_AUTOMATED, f"{off}; out of sync: {_named(rows)}")
    if waiting := assessment.unapproved:
        return _rest(Reason.WAITING_FOR_ADOPTION, f"{adoption.words(waiting)} {app.metadata.name}")
    if not automated.prune and _only_extras(rows, assessment):
        return _rest(Reason.ONLY_PRUNING_NEEDED, f"no longer in Git: {_named(rows)}")
    windows = holding.standing(assessment, manual=False)
    if not windows.allowed:
        detail = f"{'; '.join(windows.forbidding)}; out of sync: {_named(rows)}"
        return Decision(kind=DecisionKind.REST, reason=Reason.SYNC_WINDOW, detail=detail, look_again=windows.look_again)
    return _automated(assessment, automated, rows)


def _not_ours(assessment: Assessment, rows: Sequence[ComparedObject]) -> Decision | None:
    """Return the rest of an app to which nothing is left but objects of others, or whose owners are not known yet."""
    pending = [one.message for one in assessment.owners.values() if one.pending]
    if pending:
        look_again = LookAgain.after(_SOON)
        detail = "; ".join(pending)
        return Decision(kind=DecisionKind.REST, reason=Reason.WAITING_FOR_OTHERS, detail=detail, look_again=look_again)
    if rows and all(Reason.OWNED_ELSEWHERE in row.reasons for row in rows):
        return _rest(Reason.OWNED_ELSEWHERE, "; ".join(row.message for row in rows[:_NAMED]))
    return None


def _only_extras(rows: Sequence[ComparedObject], assessment: Assessment) -> bool:
    """Whether nothing but pruning would bring the app in sync.

    Without any row it is the metadata of the namespace that changed; Argo CD takes that for nothing but pruning, and
    counts every row that is not Synced, objects too that the project does not permit.
    """
    if assessment.snapshot.settings.compat is Compat.ARGOCD:
        others = (row for row in assessment.comparison.rows if row.verdict is not Verdict.SYNCED)
        return all(row.requires_pruning for row in others)
    return bool(rows) and all(row.requires_pruning for row in rows)


def _uncomparable(comparison: Comparison) -> str:
    messages = [row.message for row in comparison.rows if row.verdict is Verdict.UNKNOWN and row.message]
    messages += [item.message for item in comparison.conditions if item.is_error]
    return "; ".join(dict.fromkeys(messages))


def _automated(assessment: Assessment, automated: Automated, rows: list[ComparedObject]) -> Decision:
    state = assessment.app.status.operation_state
    if state is None or not _same_attempt(assessment, state):
        return _guarded(assessment, automated, Reason.NEW_REVISION, ())
    if state.phase is not OperationPhase.SUCCEEDED:
        return _after_failure(assessment, automated, state)
    # What was another app's when this revision was synced could not be synced then.
    taken = [row for row in rows if Reason.TAKEN_OVER in row.reasons]
    if not automated.self_heal and not taken:
        detail = f"{assessment.revision} was synced at {state.finished_at or 'an unknown time'}; since then out of sync"
        return _rest(Reason.ALREADY_ATTEMPTED, f"{detail}: {_named(rows)}")
    attempts = state.operation.sync.auto_heal_attempts_count if state.operation.sync else 0
    if (pause := self_heal_pause(assessment.snapshot, state, attempts)) > 0:
        detail = f"attempt {attempts + 1} in {pause:g} s; out of sync: {_named(rows)}"
        look_again = LookAgain.after(pause)
        return Decision(kind=DecisionKind.REST, reason=Reason.SELF_HEAL_BACKOFF, detail=detail, look_again=look_again)
    if not automated.self_heal:
        return _guarded(assessment, automated, Reason.TAKEN_OVER, tuple(taken), attempts + 1)
    return _guarded(assessment, automated, Reason.SELF_HEAL, tuple(rows), attempts + 1)


def _after_failure(assessment: Assessment, automated: Automated, state: OperationState) -> Decision:
    """Return another try of a failed revision where what made it fail is gone; else the reason to leave it."""
    snapshot, words = assessment.snapshot, f"Failed last sync attempt to {_revisions(assessment)}: {state.message}"
    if snapshot.settings.compat is Compat.ARGOCD:
        return _rest(Reason.FAILED_BEFORE, words)
    found = cleared(state, assessment.live, assessment.healths, assessment.kinds)
    if not found:
        return _rest(Reason.FAILED_BEFORE, words)
    pause = retry.left(_seconds(state.finished_at or state.started_at), _CLEARED_PAUSE, _seconds(snapshot.as_of))
    if pause > 0:
        look_again = LookAgain.after(pause)
        return Decision(kind=DecisionKind.REST, reason=Reason.FAILED_BEFORE, detail=words, look_again=look_again)
    return _guarded(assessment, automated, Reason.CAUSE_CLEARED, (), detail="; ".join(found))


def _same_attempt(assessment: Assessment, state: OperationState) -> bool:
    """Whether the last operation was for this very revision and source; one that got nowhere counts as tried.

    A revision that changes nothing below the paths that count is as good as the one before.
    """
    result, spec = state.sync_result, assessment.app.spec
    if result is None:
        return True
    sources = result.sources or ((result.source,) if result.source else ())
    same_revisions = result.all_revisions == assessment.revisions or assessment.snapshot.untouched
    return same_revisions and sources == spec.all_sources


def self_heal_pause(snapshot: Snapshot, state: OperationState, attempts: int) -> float:
    """Return the seconds self-heal still waits: 0, 2, 6, 18 … after the last operation's end, at most five minutes.

    With growing pauses switched off (`self_heal_backoff` 0), every attempt waits `self_heal_delay`.
    """
    settings = snapshot.settings
    if state.finished_at is None:
        return 0.0
    if not settings.self_heal_backoff:
        wait = settings.self_heal_delay
    elif attempts <= 0:
        return 0.0
    else:
        # Far beyond the cap already, and a float that is raised without end overflows.
        exponent = min(attempts - 1, 64)
        wait = min(settings.self_heal_backoff * settings.self_heal_factor**exponent, settings.self_heal_cap)
    return retry.left(_seconds(state.finished_at), wait, _seconds(snapshot.as_of))


def _guarded(
    assessment: Assessment,
    automated: Automated,
    reason: Reason,
    rows: tuple[ComparedObject, ...],
    heal_attempts: int = 0,
    *,
    detail: str = "",
) -> Decision:
    """Return the start of a sync, unless it would delete everything the app has."""
    counted = [row for row in assessment.comparison.rows if row.verdict is not Verdict.NONE]
    if automated.prune and not automated.allow_empty and all(row.requires_pruning for row in counted):
        words = f"Skipping sync attempt to {_revisions(assessment)}: auto-sync will wipe out all resources"
        return _rest(Reason.WOULD_WIPE_OUT, words)
    operation = _operation(assessment, automated, rows, heal_attempts)
    return Decision(kind=DecisionKind.START, reason=reason, detail=detail, operation=operation)


def _operation(
    assessment: Assessment, automated: Automated, rows: tuple[ComparedObject, ...], heal_attempts: int
) -> Operation:
    policy = assessment.app.spec.sync_policy
    sync = SyncOperation(
        revision="" if assessment.app.spec.sources else assessment.revision,
        revisions=assessment.revisions if assessment.app.spec.sources else (),
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
    return Operation(
        sync=sync,
        initiated_by=OperationInitiator(automated=True),
        retry=(policy.retry if policy and policy.retry else None) or RetryStrategy(limit=retry.AUTOMATED_LIMIT),
    )


def _revisions(assessment: Assessment) -> str:
    """Return the revisions as Argo CD's conditions print them."""
    return f"[{' '.join(assessment.revisions)}]"


def _named(rows: Sequence[ComparedObject]) -> str:
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    return (", ".join(row.key.short for row in rows[:_NAMED]) or "the metadata of the namespace") + more


def _rest(reason: Reason, detail: str = "") -> Decision:
    return Decision(kind=DecisionKind.REST, reason=reason, detail=detail)


def _seconds(time: str) -> float:
    """Return a Kubernetes time as seconds since 1970."""
    return times.parse(time).timestamp()
