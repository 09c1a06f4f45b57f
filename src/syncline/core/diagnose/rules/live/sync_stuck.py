"""A running sync waits for something that no longer makes progress."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live import waits
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-003",
    name="sync-stuck",
    severity=Severity.WARNING,
    summary="A running sync waits for an object that makes no progress.",
    fix="fix what keeps the object from becoming healthy; a newer commit supersedes the waiting sync",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    tells=Tells.WAIT,
    why="Later waves are not applied while the sync waits. How long is too long depends on the cause: an image that "
    "cannot be pulled is stuck after a minute, a rollout after five.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that the sync waits for in vain."""
    return waits.report(RULE, app, stuck=True)
