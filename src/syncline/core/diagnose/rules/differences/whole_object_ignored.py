"""Ignore rules that hide more than a field."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.rendered import ignore_rules, repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="DIF-006",
    name="whole-object-ignored",
    severity=Severity.WARNING,
    summary="An ignore rule hides a whole spec or all data of an object.",
    fix="name only the fields that something else writes",
    looks_at=(LooksAt.FILES,),
    why="Changes there never show as a difference: the app stays Synced while the object drifts.",
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
      jsonPointers: [/spec]
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
      jsonPointers: [/spec/replicas]
""",
)

_WHOLE = ("/spec", "/data", "/stringData", "/")


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per pointer to a whole spec or all data."""
    for path, kind, pointer in ignore_rules(app.manifest.obj):
        if pointer.rstrip("/") in _WHOLE or pointer == "/":
            evidence = [
                Evidence(kind=EvidenceKind.FILE, text=pointer, path=path, place=app.manifest.origin.place(path))
            ]
            message = f"{app} ignores {pointer} of every {kind}: no change of it is ever seen"
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
