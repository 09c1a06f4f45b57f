"""Finalizers that nobody removes, because their name is misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import names
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="APP-105",
    name="unknown-finalizer",
    severity=Severity.ERROR,
    summary="An Application has a finalizer of Argo CD that does not exist.",
    fix="write resources-finalizer.argocd.argoproj.io, or remove the line",
    looks_at=(LooksAt.FILES,),
    why="Nobody removes a finalizer that nobody knows: a deleted Application stays for ever, and its objects stay too.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web
  namespace: argocd
  finalizers: [resource-finalizer.argocd.argoproj.io]
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web
  namespace: argocd
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)
_KNOWN = (names.RESOURCES_FINALIZER, names.PRE_DELETE_FINALIZER, names.POST_DELETE_FINALIZER)
_OURS = "argoproj.io"


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding per finalizer of Argo CD's that Argo CD does not have."""
    given = meta.metadata(app.manifest.obj).get("finalizers")
    for number, one in enumerate(given if isinstance(given, list) else ()):
        own, _, _ = str(one).partition("/")
        if _OURS not in own or own in _KNOWN:
            continue
        near = nearest(own, _KNOWN)
        path = f"metadata.finalizers[{number}]"
        message = f"{app} has the finalizer {one}, which nobody removes: once deleted, it stays for ever"
        fix = Fix(text=f"write {near[0]}", edits=replaced(repo, app.manifest, path, own, near[0])) if near else None
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, path, str(one))], fix=fix or RULE.usual_fix)
