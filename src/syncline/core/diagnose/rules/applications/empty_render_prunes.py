"""An empty render may delete everything."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-010",
    name="empty-render-prunes",
    severity=Severity.WARNING,
    summary="An Application prunes automatically and allows an empty render.",
    fix="remove allowEmpty: true",
    looks_at=(LooksAt.FILES,),
    why="A renamed folder or an empty list of resources deletes all objects of the app without asking.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    automated: {prune: true, allowEmpty: true}
""",
    good="""\
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
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an Application with both."""
    automated = dig(app.manifest.obj, "spec", "syncPolicy", "automated")
    if dig(automated, "prune") is True and dig(automated, "allowEmpty") is True:
        path = "spec.syncPolicy.automated.allowEmpty"
        message = f"{app}: a render without objects deletes everything (prune with allowEmpty)"
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, path)], fix=RULE.usual_fix)
