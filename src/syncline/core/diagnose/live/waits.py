"""What the rules on a running sync share: what it waits for, apart by whether that still makes progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind, StepKind
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix
from syncline.model.operation import OperationPhase


def report(rule: Rule, app: App, *, stuck: bool) -> Iterator[Finding]:
    """Yield a finding of a rule for each object that the sync waits for, those that are stuck or the others."""
    step = app.decision.step
    if step is None or step.kind is not StepKind.WAIT:
        return
    state = app.assessment.app.status.operation_state
    since = state.started_at if state else ""
    who = "the sync waits"
    if app.decision.kind is DecisionKind.TEAR_DOWN:
        since = str(app.assessment.app.metadata.deletion_timestamp or "")
        who = f"{app.assessment.app.metadata.name} has been terminating since {since}, and waits"
    for wait in step.waits:
        if wait.stuck is stuck:
            live = app.assessment.live.get(wait.key) or {}
            yield rule.finding(
                wait.key.short,
                f"{who} for {wait}. {wait.reason.explanation}",
                evidence=[Evidence(kind=EvidenceKind.FIELD, text=wait.message, subject=wait.key, path="status")],
                fix=_released(wait.key, meta.finalizers(live)) if meta.deletion_timestamp(live) else None,
                since=wait.since if stuck else since,
            )


def _released(key: ObjectKey, held: Sequence[str]) -> Fix | None:
    """Return who has to let an object go that is being deleted; None where no finalizer holds it."""
    if not held:
        return None
    owners = ", ".join(dict.fromkeys(one.partition("/")[0] for one in held))
    return Fix(text=f"see whether the controller of {owners} runs, which removes {', '.join(held)} of {key.short}")


def then_sync(app: App, command: str) -> str:
    """Return a command followed by a sync; alone where a running sync, which is retried, does what is left."""
    state = app.assessment.app.status.operation_state
    if state is not None and state.phase is OperationPhase.RUNNING:
        return command
    return f"{command} && syncline app sync {app.assessment.app.metadata.name}"
