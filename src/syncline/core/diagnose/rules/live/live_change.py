"""Somebody or something changed a field in the cluster that Git sets."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.drift import counted_fields, differing, report
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-101",
    name="live-change",
    severity=Severity.WARNING,
    summary="A field that Git sets was changed in the cluster.",
    fix="sync to undo the change, commit it to keep it, or ignore the field if its writer should own it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="The cluster no longer matches Git. The finding names who wrote the field and when, according to "
    "managedFields: a person, a controller, or another app.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that was changed in the cluster."""
    for row in differing(app, live=True):
        writers = sorted({difference.manager for difference in row.differences if difference.manager})
        by = f" by {', '.join(writers)}" if writers else ""
        yield report(RULE, app, row, f"{row.key.short}: {counted_fields(row)} changed in the cluster{by}")
