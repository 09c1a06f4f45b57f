"""Why an Application is not Synced and Healthy: one headline and the findings behind it.

Called by `why` on the command line with the same assessment and decision the controller works with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from syncline.apimachinery.keys import key_of
from syncline.core.assess import Assessment
from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.findings import causes
from syncline.core.diagnose.rules.internal import rule_failed
from syncline.core.diagnose.subjects import App
from syncline.model.decision import Decision
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.core.diagnose.graph.upstream import Search, Upstream


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to "why?": how the app is, the findings, worst first."""

    app: str
    sync: str
    health: str
    since: str
    revision: str
    findings: tuple[Finding, ...]
    unreadable: tuple[str, ...] = ()
    """What could not be read, so that nothing is said of it."""
    not_rendered: str = ""
    """Why the source could not be rendered here; sync status and differences are those that were recorded."""
    schema_version: int = 1

    @property
    def good(self) -> bool:
        """Whether there is nothing to explain."""
        worst = {finding.severity for finding in self.findings} - {Severity.INFO}
        return (self.sync, self.health) == ("Synced", "Healthy") and not worst


def explain(assessment: Assessment, decision: Decision, behind: Search | None = None) -> Explanation:
    """Return why an Application is as it is; the cause may lie in what is bad `behind` it."""
    subject = App(assessment, decision)
    found = engine.run(registry.checks(App), subject)
    known = (rule_failed.RULE, *(check.rule for check in registry.checks(App)))
    roles = {rule.code: rule.tells for rule in known}
    above = _above(assessment, found, roles, behind) if behind is not None else []
    roles = {one.finding.code: one.tells for one in above} | roles
    health = assessment.app.status.health
    return Explanation(
        app=str(subject),
        sync=assessment.comparison.verdict.value,
        health=assessment.health.status.value,
        since=(health.last_transition_time or "") if health else "",
        revision=assessment.revision,
        findings=causes.arranged(subject, found, roles, above),
        unreadable=assessment.snapshot.unreadable,
    )


def _above(assessment: Assessment, found: Sequence[Finding], roles: causes.Roles, behind: Search) -> list[Upstream]:
    """Return the causes of an app that is not in order which its own rules have no words for."""
    from syncline.core.diagnose.graph.upstream import worth_telling

    return worth_telling(key_of(assessment.snapshot.app).short, behind.causes(), found, roles)
