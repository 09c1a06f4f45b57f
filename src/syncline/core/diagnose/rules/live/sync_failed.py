"""The last sync failed: which objects, and what the API server said."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.hooks import failed_hooks
from syncline.core.diagnose.live.written import line
from syncline.core.diagnose.messages import refused_fields
from syncline.core.diagnose.messages.refusals import (
    BAD_QUANTITY,
    DENIED,
    IMMUTABLE,
    KIND_MISSING,
    NO_NAMESPACE,
    QUOTA,
    UNANSWERED,
    UNKNOWN_FIELD,
    Refusal,
    failed_by_health,
    failing,
    refusals,
    sync_again,
)
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.health import HealthCode

RULE = Rule(
    code="LIV-109",
    name="sync-failed",
    severity=Severity.ERROR,
    summary="An object could not be synced; the finding quotes the API server or the hook.",
    fix="commit a fix, or sync again: syncline app sync",
    looks_at=(LooksAt.LIVE,),
    tells=Tells.REFUSAL,
    why="The cluster has what was merged only in part, or not at all. The finding names every object that failed, not "
    "only the first.",
)
_KNOWN = (IMMUTABLE, DENIED, UNANSWERED, QUOTA, UNKNOWN_FIELD, BAD_QUANTITY, KIND_MISSING, NO_NAMESPACE)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per message for the objects that no closer rule explains, or one about the whole sync."""
    state = app.assessment.app.status.operation_state
    if state is None or not failing(app):
        return
    since = state.finished_at or ""
    refused = [one for one in refusals(app) if one.by_sync]
    hooks = {hook.key for hook in failed_hooks(app)}
    told: dict[str, list[ObjectKey]] = {}
    for one in refused:
        if one.key not in hooks and not _explained(one.message):
            told.setdefault(one.message.replace(one.key.name, "…"), []).append(one.key)
    messages = {one.message.replace(one.key.name, "…"): one.message for one in refused}
    for shape, keys in told.items():
        subject = around.listed([key.short for key in keys])
        fields = refused_fields.refused_fields(messages[shape])
        named = [found for key in keys for found in refused_fields.lines(app, key, fields)]
        yield RULE.finding(
            subject,
            f"{subject} could not be synced: {messages[shape]}",
            evidence=[
                *(named or (found for key in keys for found in line(app, key, "", key.short))),
                Evidence(kind=EvidenceKind.MESSAGE, text=messages[shape], time=since),
            ],
            fix=refused_fields.fix(app, keys[0], fields) if len(keys) == 1 and fields else _fix(app),
            since=since,
        )
    degraded = failed_by_health(app)
    if degraded:
        yield _by_health(app, degraded)
    elif not refused and not hooks and state.message and not app.assessment.snapshot.troubles:
        message = f"the last sync ended as {state.phase.value}: {state.message}"
        yield RULE.finding(app.assessment.app.metadata.name, message, fix=_fix(app), since=since)


def _by_health(app: App, degraded: list[Refusal]) -> Finding:
    """Return the finding about a sync that applied objects and stopped, because they did not get healthy."""
    first = degraded[0]
    names = around.listed([one.key.short for one in degraded])
    command = sync_again(app)
    again = (
        "syncs the same commit again; a new commit is synced immediately" if command else "it is retried automatically"
    )
    return RULE.finding(
        app.assessment.app.metadata.name,
        f"the last sync stopped at {names}, which it applied but which did not become healthy: {first.message}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=first.message, subject=first.key, time=first.since)],
        fix=Fix(text=again, command=command),
        since=first.since,
        effect_of=next((one.key.short for one in degraded if _is_bad(app, one.key)), ""),
    )


def _is_bad(app: App, key: ObjectKey) -> bool:
    health = app.assessment.healths.get(key)
    return health is not None and health.status is not HealthCode.HEALTHY


def _explained(message: str) -> bool:
    """Whether a rule of its own says more about such a refusal."""
    return any(words.search(message) for words in _KNOWN)


def _fix(app: App) -> Fix:
    command = sync_again(app)
    if not command:
        return Fix(text="fix what the message reports; the sync is retried automatically")
    return Fix(
        text="after fixing what the message reports; a new commit is synced immediately",
        command=command,
    )
