"""Generated Applications that still have a placeholder in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig, field_texts
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="APS-102",
    name="placeholder-left",
    severity=Severity.ERROR,
    summary="The template of an ApplicationSet is written for Go templates, which the set does not use.",
    fix="add goTemplate: true, or write {{name}} instead of {{.name}}",
    looks_at=(LooksAt.FILES,),
    why="Without goTemplate, {{.name}} is no placeholder: it goes into the Application as it stands.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "apps/{{.name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "apps/{{name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)
_GO = re.compile(r"\{\{-?\s*\.\w[^}]*\}\}")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per field."""
    for one in repo.sets:
        if dig(one.manifest.obj, "spec", "goTemplate") is True:
            continue
        for path, text in field_texts(dig(one.manifest.obj, "spec", "template"), "spec.template"):
            if found := _GO.search(text):
                message = f"{one}: {found[0]} is not replaced, because the set has no goTemplate: true"
                plain = re.sub(r"(\{\{-?\s*)\.", r"\1", found[0])
                fix = Fix(text=f"write {plain}, or add goTemplate: true and a dot to the other placeholders")
                yield RULE.finding(str(one), message, evidence=[at(one.manifest, path, found[0])], fix=fix)
