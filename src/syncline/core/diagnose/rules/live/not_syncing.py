"""Why nothing is being done about it: the reason of the decision, where it is not plain from the rest."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind
from syncline.model.finding import Finding, Fix, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-105",
    name="not-syncing",
    severity=Severity.INFO,
    summary="Automated sync does not sync the app; the finding says why.",
    fix="change what the reason names, or sync manually: syncline app sync",
    looks_at=(LooksAt.LIVE, LooksAt.SETTINGS),
    tells=Tells.IDLE,
    why="An app can stay OutOfSync for days on purpose: it is paused or being deleted, only pruning is left and "
    "pruning is off, a sync would delete everything, self-heal is backing off, or taking over objects of an unknown "
    "app has to be approved.",
)
_TELLING = (
    Reason.PAUSED,
    Reason.DELETING,
    Reason.ONLY_PRUNING_NEEDED,
    Reason.WOULD_WIPE_OUT,
    Reason.SELF_HEAL_BACKOFF,
    Reason.WAITING_FOR_ADOPTION,
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield why automated sync leaves the app alone."""
    decision = app.decision
    if decision.kind is DecisionKind.REST and decision.reason in _TELLING:
        detail = f" ({decision.detail})" if decision.detail else ""
        message = f"not syncing: {decision.reason.explanation}{detail}"
        name = app.assessment.app.metadata.name
        waits = decision.reason is Reason.WAITING_FOR_ADOPTION
        fix = Fix(text="if the objects are to be this app's", command=f"syncline app adopt {name}") if waits else None
        yield RULE.finding(name, message, fix=fix)
