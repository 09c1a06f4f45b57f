"""Templates in which a missing parameter becomes a text."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig, words
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APS-003",
    name="missing-key-unnoticed",
    severity=Severity.WARNING,
    summary="An ApplicationSet uses Go templates without missingkey=error.",
    fix='add goTemplateOptions: ["missingkey=error"]',
    looks_at=(LooksAt.FILES,),
    why="A missing parameter becomes `<no value>` or an empty string: a path or namespace is wrong, and nothing fails.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  goTemplate: true
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{.name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{.name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per set."""
    for one in repo.sets:
        options = words(one.manifest.obj, "spec", "goTemplateOptions")
        if dig(one.manifest.obj, "spec", "goTemplate") is True and "missingkey=error" not in options:
            message = f"{one}: a missing parameter goes unnoticed (goTemplate without missingkey=error)"
            yield RULE.finding(str(one), message, evidence=[at(one.manifest, "spec.goTemplate")], fix=RULE.usual_fix)
