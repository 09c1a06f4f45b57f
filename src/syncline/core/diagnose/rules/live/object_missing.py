"""An object is in Git and not in the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.drift import out_of_sync, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-102",
    name="object-missing",
    severity=Severity.WARNING,
    summary="An object is in Git but not in the cluster.",
    fix="sync the app; if a sync failed, fix the cause first",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="It was never created, or somebody deleted it. Anything that depends on it fails.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that is not in the cluster."""
    for row in out_of_sync(app):
        if not row.live:
            where = f" ({row.place})" if row.place else ""
            message = f"{row.key.short} is in Git{where} but not in the cluster"
            yield report(RULE, app, row, message)
