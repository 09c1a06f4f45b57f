"""A rule that broke: reported by `syncline.core.diagnose.engine` in place of what the rule would have found."""

from __future__ import annotations

from syncline.core.diagnose.rule import Rule
from syncline.model.finding import Severity

RULE = Rule(
    code="INT-001",
    name="rule-failed",
    severity=Severity.WARNING,
    summary="A rule could not be checked because of a bug in Syncline.",
    fix="report it with the rule, the error and the place in the message",
    looks_at=(),
    why="The answer lacks what this rule would have found, so it is never a clean bill of health. All other rules, and "
    "this rule on everything else, were checked.",
)
