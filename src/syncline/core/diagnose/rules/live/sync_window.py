"""A sync window of the project holds the app back: which, and until when."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta

import msgspec

from syncline.apimachinery import times
from syncline.core import holding
from syncline.core.assess import Assessment
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-114",
    name="sync-window",
    severity=Severity.INFO,
    summary="A sync window of the project does not allow the app to sync now.",
    fix="wait until the window allows it, or change the window in the project",
    looks_at=(LooksAt.LIVE, LooksAt.SETTINGS),
    tells=Tells.REFUSAL,
    why="The project forbids changes at this time. The finding names the project, the window and when it opens or "
    "closes; an automated app then syncs automatically.",
)
_TURNS = 50


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding while windows hold the app back."""
    if app.decision.kind is not DecisionKind.REST or app.decision.reason is not Reason.SYNC_WINDOW:
        return
    assessment = app.assessment
    project, name = assessment.app.spec.project or "default", assessment.app.metadata.name
    words = holding.held_by_windows(assessment, manual=False) or app.decision.detail
    manual = holding.standing(assessment, manual=True)
    opens = _opens(assessment)
    change = Fix(text=f"change spec.syncWindows of AppProject {project}", command=f"syncline proj edit {project}")
    wait = Fix(text=f"nothing to do: it is synced automatically at {opens}") if opens else None
    by_hand = (
        Fix(text="the window permits manual syncs", command=f"syncline app sync {name}") if manual.allowed else None
    )
    fixes = [one for one in (wait, by_hand, change) if one is not None]
    yield RULE.finding(
        name,
        f"not syncing: {words}",
        evidence=[Evidence(kind=EvidenceKind.FIELD, text="spec.syncWindows", path="spec.syncWindows")],
        fix=fixes[0],
        options=fixes[1:],
    )


def _opens(assessment: Assessment) -> str:
    """Return when syncs are allowed again; empty where no end is in sight. One window may follow right on another."""
    for _ in range(_TURNS):
        held = holding.standing(assessment, manual=False)
        if held.allowed:
            return assessment.snapshot.as_of
        if not held.changes_after:
            break
        later = times.parse(assessment.snapshot.as_of) + timedelta(seconds=math.ceil(held.changes_after))
        snapshot = msgspec.structs.replace(assessment.snapshot, as_of=times.format_time(later))
        assessment = msgspec.structs.replace(assessment, snapshot=snapshot)
    return ""
