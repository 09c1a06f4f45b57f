"""Ignore rules that do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-005",
    name="unused-ignore-rule",
    severity=Severity.ERROR,
    # On a running app it harms nothing yet; in a pull request it is a mistake that is about to be merged.
    other_severities=frozenset({Severity.INFO}),
    summary="A rule in ignoreDifferences matches no object or no field.",
    fix="delete the rule, or correct what it names",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="Somebody believes that a difference is ignored, and it is not. Most often `group` holds an apiVersion, or the "
    "object was renamed.",
    bad="""\
ignoreDifferences:
  - group: apps/v1
    kind: Deployment
    jsonPointers: [/spec/replicas]
""",
    good="""\
ignoreDifferences:
  - group: apps
    kind: Deployment
    jsonPointers: [/spec/replicas]
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per rule without effect."""
    for rule in app.assessment.comparison.unused_rules:
        message = f"{rule.rule}{' ' + rule.field if rule.field else ''}: {rule.message}"
        yield RULE.finding(rule.rule, message, fix=RULE.usual_fix, severity=Severity.INFO)
