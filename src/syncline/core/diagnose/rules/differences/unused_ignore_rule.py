"""Ignore rules that do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="DIF-005",
    name="unused-ignore-rule",
    severity=Severity.ERROR,
    # On a running app it harms nothing yet; in a pull request it is a mistake that is about to be merged.
    other_severities=frozenset({Severity.INFO}),
    summary="A rule in ignoreDifferences matches no object or no field.",
    fix="delete the rule, or correct what it names",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    tells=Tells.DRIFT,
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


@RULE.on_each(Repo, repo_apps)
def check_repo(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per rule whose group is an apiVersion, so that it can match nothing."""
    rules = (app.manifest.obj.get("spec") or {}).get("ignoreDifferences")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        group = str(rule.get("group") or "") if isinstance(rule, dict) else ""
        if "/" in group:
            path = f"spec.ignoreDifferences[{index}].group"
            evidence = [Evidence(kind=EvidenceKind.FILE, text=group, path=path, place=app.manifest.origin.place(path))]
            message = f"{app}: no object has the group {group}, so the rule never matches"
            fix = Fix(text=f"write group: {group.partition('/')[0]}")
            yield RULE.finding(str(app), message, evidence=evidence, fix=fix)
