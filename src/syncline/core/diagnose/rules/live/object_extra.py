"""An object of the app is in the cluster and no longer in Git."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.drift import out_of_sync, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-103",
    name="object-extra",
    severity=Severity.WARNING,
    summary="An object of the app is in the cluster but no longer in Git.",
    fix="sync with pruning to delete it, or restore it in Git to keep it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="It keeps running, and the app stays OutOfSync until it is pruned.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that is no longer in Git."""
    for row in out_of_sync(app):
        if row.live and not row.desired:
            yield report(RULE, app, row, f"{row.key.short} is in the cluster but no longer in Git")
