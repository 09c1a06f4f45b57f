"""Ignore rules that do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import globs
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.pointing import at, entries, words
from syncline.core.diagnose.repository.rendered import deliveries, repo_apps
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.repository.world import Delivery
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
    why="You may think a difference is ignored when it is not. Most often `group` contains an apiVersion, or the "
    "object was renamed.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  ignoreDifferences:
    - group: extensions
      kind: Deployment
      jsonPointers: [/spec/paused]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/paused]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per rule without effect."""
    for rule in app.assessment.comparison.unused_rules:
        message = f"{rule.rule}{' ' + rule.field if rule.field else ''}: {rule.message}"
        yield RULE.finding(rule.rule, message, fix=RULE.usual_fix, severity=Severity.INFO)


@RULE.on_each(Repo, repo_apps)
def check_repo(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per rule whose group is an apiVersion, so that it can match nothing."""
    rules = (app.manifest.obj.get("spec") or {}).get("ignoreDifferences")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        group = str(rule.get("group") or "") if isinstance(rule, dict) else ""
        if "/" in group:
            path = f"spec.ignoreDifferences[{index}].group"
            evidence = [Evidence(kind=EvidenceKind.FILE, text=group, path=path, place=app.manifest.origin.place(path))]
            message = f"{app}: no object has the group {group}, so the rule never matches"
            right = group.partition("/")[0]
            edits = replaced(repo, app.manifest, path, group, right)
            fix = Fix(text=f"write group: {right}", edits=edits)
            yield RULE.finding(str(app), message, evidence=evidence, fix=fix)


_COMPARISON = re.compile(r"(?:==|!=|<=|>=)")


@RULE.on_each(Repo, deliveries)
def check_matches(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per rule that matches no object of its app, or whose expression is a comparison."""
    manifest = delivery.app.manifest
    for index, rule in enumerate(entries(manifest.obj, "spec", "ignoreDifferences")):
        path = f"spec.ignoreDifferences[{index}]"
        for place, text in enumerate(words(rule, "jqPathExpressions")):
            if _COMPARISON.search(_without_selects(text)):
                message = f"{delivery}: {text} is a comparison, which names no field: nothing is ignored"
                evidence = [at(manifest, f"{path}.jqPathExpressions[{place}]", text)]
                fix = Fix(text="write only the path, or put the comparison into select(…)")
                yield RULE.finding(str(delivery), message, evidence=evidence, fix=fix)
        if delivery.app.incomplete or "/" in str(rule.get("group") or "") or _matched(delivery, rule):
            continue
        yield _unmatched(repo, delivery, rule, path)


def _without_selects(text: str) -> str:
    while (start := text.find("select(")) >= 0:
        depth, end = 0, len(text)
        for position in range(start + 6, len(text)):
            depth += {"(": 1, ")": -1}.get(text[position], 0)
            if depth == 0:
                end = position + 1
                break
        text = text[:start] + text[end:]
    return text


def _matched(delivery: Delivery, rule: Mapping[str, Any]) -> bool:
    wanted = {field: str(rule.get(field) or "") for field in ("group", "kind", "name", "namespace")}
    for item in delivery.items:
        key = item.key
        same = globs.matches(key.group, wanted["group"]) and globs.matches(key.kind, wanted["kind"])
        named = wanted["name"] in ("", key.name) and wanted["namespace"] in ("", key.namespace)
        if same and named:
            return True
    return False


def _unmatched(repo: Repo, delivery: Delivery, rule: Mapping[str, Any], path: str) -> Finding:
    """Return an error where something near is there, else a remark: the object may come from elsewhere."""
    kind, group, name = (str(rule.get(field) or "") for field in ("kind", "group", "name"))
    there = {item.key.group_kind for item in delivery.items}
    same_kind = sorted(one.group for one in there if one.kind == kind and one.group != group)
    near = nearest(kind, [one.kind for one in there if one.group == group and one.kind != kind])
    manifest = delivery.app.manifest
    if same_kind:
        message = (
            f"{delivery} ignores {kind} of group {group or 'core'}; its {kind} is of group {same_kind[0] or 'core'}"
        )
        evidence = [at(manifest, f"{path}.group", f"group: {group}")]
        return RULE.finding(str(delivery), message, evidence=evidence, fix=Fix(text=f"write group: {same_kind[0]}"))
    if near and near[0].lower() == kind.lower():
        message = f"{delivery} ignores {kind}; did you mean {near[0]}?"
        evidence = [at(manifest, f"{path}.kind", f"kind: {kind}")]
        edits = replaced(repo, manifest, f"{path}.kind", kind, near[0])
        fix = Fix(text=f"write kind: {near[0]}", edits=edits)
        return RULE.finding(str(delivery), message, evidence=evidence, fix=fix)
    shown = f"{kind} {name}".strip()
    message = f"{delivery} ignores differences of {shown}, and has no such object"
    evidence = [at(manifest, f"{path}.kind", shown)]
    return RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.INFO)
