"""A sync is running and waits: for what, and what that says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose import waits
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.decision import StepKind
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-110",
    name="waiting",
    severity=Severity.INFO,
    summary="A running sync waits for an object that still makes progress.",
    fix="nothing to do: the sync continues when the object is ready",
    looks_at=(LooksAt.LIVE,),
    why="Waves and hooks run one after another; this is what the next one waits for.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that the sync waits for, or one about the whole sync."""
    yield from waits.report(RULE, app, stuck=False)
    step = app.decision.step
    if step is not None and step.kind is StepKind.WAIT and not step.waits:
        yield RULE.finding(app.assessment.app.metadata.name, f"the sync waits: {step.message}")
