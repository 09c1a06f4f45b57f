"""Fields of child apps that the API drops."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.repo_edits import taken_out
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="APP-013",
    name="zero-values",
    severity=Severity.WARNING,
    summary="A child app sets an empty value that Argo CD drops when it writes the object.",
    fix="delete the line: the value is the default anyway",
    looks_at=(LooksAt.RENDERED,),
    why="The parent app may stay OutOfSync forever, with a diff that shows nothing.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    automated: {allowEmpty: false}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    automated: {prune: true}
""",
    preview=True,
)
_APPLICATION = GroupKind(names.GROUP, "Application")
_PATHS = (
    ("spec", "syncPolicy", "automated", "allowEmpty"),
    ("spec", "syncPolicy", "syncOptions"),
    ("spec", "source", "helm", "valueFiles"),
    ("spec", "source", "helm", "parameters"),
    ("spec", "ignoreDifferences"),
)


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per field of a child app."""
    delivery, item = one
    if item.key.group_kind != _APPLICATION:
        return
    for path in _PATHS:
        value = dig(item.obj, *path)
        if value is False or value in ([], {}, ""):
            field = ".".join(path)
            message = (
                f"{item.key.short} of {delivery} spells out {field}, which is dropped: the parent may stay OutOfSync"
            )
            fix = Fix(text=RULE.fix, edits=taken_out(repo, item, [field]))
            yield RULE.finding(item.key.short, message, evidence=[at(item, field)], fix=fix)
