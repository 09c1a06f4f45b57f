"""An Application that cannot be worked with as written, where no closer rule says why."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-101",
    name="spec-invalid",
    severity=Severity.ERROR,
    summary="The Application spec is invalid.",
    fix="correct the Application as the message says",
    looks_at=(LooksAt.FILES, LooksAt.LIVE),
    why="The app is Unknown and is not synced until its spec is corrected.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.SPEC)
