"""A sync is running and waits: for what, and what that says of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core import holding
from syncline.core.diagnose.live import waits
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.decision import Step, StepKind
from syncline.model.finding import Finding, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-110",
    name="waiting",
    severity=Severity.INFO,
    summary="A running sync waits for an object that still makes progress.",
    fix="nothing to do: the sync continues when the object is ready",
    looks_at=(LooksAt.LIVE,),
    tells=Tells.WAIT,
    why="Waves and hooks run one after another; this is what the next one waits for.",
)
_AGAIN = re.compile(r"Retrying attempt #(?P<count>\d+) at (?P<time>\S+?)\.$")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that the sync waits for, or one about the whole sync."""
    yield from waits.report(RULE, app, stuck=False)
    step = app.decision.step
    if step is not None and step.kind is StepKind.WAIT and not step.waits:
        yield RULE.finding(app.assessment.app.metadata.name, _words(app, step))


def _words(app: App, step: Step) -> str:
    state = app.assessment.app.status.operation_state
    if again := _AGAIN.search(step.message):
        # What failed is told by a rule of its own.
        return f"the failed sync is tried again at {again['time']}, attempt {again['count']}"
    if step.reason is not Reason.SYNC_WINDOW or state is None:
        return f"the sync waits: {step.message}"
    by = state.operation.initiated_by
    manual = by is None or not by.automated
    held = holding.held_by_windows(app.assessment, manual=manual, started_at=state.started_at)
    return f"the sync is {held}" if held else f"the sync waits: {step.message}"
