"""Ignore rules whose JSON pointer is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="DIF-102",
    name="pointer-invalid",
    severity=Severity.ERROR,
    summary="An ignore rule has a JSON pointer that does not begin with a slash.",
    fix="write a pointer such as /spec/replicas; paths with dots go into jqPathExpressions",
    looks_at=(LooksAt.FILES,),
    why="Such a pointer matches no field: nothing is ignored, and the app stays OutOfSync.",
    bad="""\
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
      jsonPointers: [spec.paused]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
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
      containers: [{name: web, image: "example/web:1"}]
""",
)
_DOTTED = re.compile(r"\.?[A-Za-z]\w*(\.[A-Za-z]\w*)*")
_SLASHED = re.compile(r"[A-Za-z]\w*(/[\w~-]+)*")


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding per pointer."""
    rules = (app.manifest.obj.get("spec") or {}).get("ignoreDifferences")
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        pointers = rule.get("jsonPointers") if isinstance(rule, dict) else None
        for number, pointer in enumerate(pointers if isinstance(pointers, list) else ()):
            text = str(pointer)
            if text.startswith("/"):
                continue
            path = f"spec.ignoreDifferences[{index}].jsonPointers[{number}]"
            message = f"{app}: {text} is not a JSON pointer, which begins with a slash: nothing is ignored"
            evidence = [at(app.manifest, path, text)]
            meant = _meant(text)
            edits = replaced(repo, app.manifest, path, text, meant) if meant else ()
            fix = Fix(text=f"write {meant}", edits=edits) if meant else RULE.usual_fix
            yield RULE.finding(str(app), message, evidence=evidence, fix=fix)


def _meant(text: str) -> str:
    if _DOTTED.fullmatch(text):
        return "/" + text.lstrip(".").replace(".", "/")
    return f"/{text}" if _SLASHED.fullmatch(text) else ""
