"""Values of a chart in two fields, of which one counts."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="APP-015",
    name="values-in-two-fields",
    severity=Severity.WARNING,
    summary="A source has both helm.values and helm.valuesObject.",
    fix="move everything into helm.valuesObject",
    looks_at=(LooksAt.FILES,),
    why="Only valuesObject counts; values is silently ignored.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop.git
    path: web
    helm:
      values: "replicas: 2"
      valuesObject: {colour: blue}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://git.example.com/shop.git
    path: web
    helm:
      valuesObject: {colour: blue, replicas: 2}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per source with both."""
    for path, source in sources_with_paths(app.manifest.obj):
        helm = source.get("helm")
        if isinstance(helm, dict) and helm.get("values") and helm.get("valuesObject"):
            place = app.manifest.origin.place(f"{path}.helm.values")
            evidence = [Evidence(kind=EvidenceKind.FILE, text="values", path=f"{path}.helm.values", place=place)]
            message = f"{app} has helm.values and helm.valuesObject: values is ignored"
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
