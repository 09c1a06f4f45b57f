"""A render waits for its turn: since when, why, and what to do, as the controller recorded it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.condition import ConditionType
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-115",
    name="render-waits",
    severity=Severity.WARNING,
    summary="The render of the app waits for its turn; what is shown is older than the newest commit.",
    fix="wait, make the sources of the project quicker to render, or raise syncline.renders.projectSeconds",
    looks_at=(LooksAt.LIVE,),
    tells=Tells.WAIT,
    why="Projects share the processors of the controller. A render waits while others of its own project run, while "
    "the machine is busy, or because its project has used its processor seconds. Until it has its turn, nothing new "
    "is compared or synced.",
)
_RECORDED = re.compile(
    rf"{Reason.WAITING_FOR_RENDER}: (?P<words>the render waits for its turn since (?P<since>\S+): .*?) \((?P<fix>.*)\)"
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield the wait that is recorded on the Application, if any."""
    assessment = app.assessment
    for condition in assessment.app.status.conditions:
        if condition.type != ConditionType.RENDER_WAITING_WARNING:
            continue
        recorded = _RECORDED.fullmatch(condition.message)
        evidence = Evidence(kind=EvidenceKind.FIELD, text=condition.message, path="status.conditions")
        yield RULE.finding(
            assessment.app.metadata.name,
            recorded["words"] if recorded else condition.message,
            evidence=[evidence],
            fix=Fix(text=recorded["fix"]) if recorded else None,
            since=recorded["since"] if recorded else "",
        )
