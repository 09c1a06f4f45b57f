"""Git has changed and the cluster has not followed yet."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.drift import counted_fields, differing, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-104",
    name="git-ahead",
    severity=Severity.WARNING,
    summary="Git changed a field, and the change is not in the cluster yet.",
    fix="sync the app, or turn on automated sync",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="What was merged is not what runs.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that was changed in Git."""
    for row in differing(app, live=False):
        changed = f": {counted_fields(row)} changed in Git" if row.differences else " is OutOfSync, as it was recorded"
        yield report(RULE, app, row, f"{row.key.short}{changed}")
