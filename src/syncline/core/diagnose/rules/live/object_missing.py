"""An object is in Git and not in the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.drift import out_of_sync, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind, StepKind
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-102",
    name="object-missing",
    severity=Severity.WARNING,
    summary="An object is in Git but not in the cluster.",
    fix="sync the app; if a sync failed, fix the cause first",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="It was never created, or it was deleted. Anything that depends on it fails.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that is not in the cluster."""
    for row in out_of_sync(app):
        if not row.live:
            where = f" ({row.place})" if row.place else ""
            message = f"{row.key.short} is in Git{where} but not in the cluster"
            holder = _holder(app)
            if holder and holder != row.key.short:
                yield RULE.finding(row.key.short, f"{message}: the sync has not reached it yet", effect_of=holder)
            else:
                yield report(RULE, app, row, message)


def _holder(app: App) -> str:
    """Return what the running sync waits for before it comes to later waves; empty where it does not wait."""
    step = app.decision.step
    running = app.decision.kind is DecisionKind.PROCEED and step is not None and step.kind is StepKind.WAIT
    return step.waits[0].key.short if running and step is not None and step.waits else ""
