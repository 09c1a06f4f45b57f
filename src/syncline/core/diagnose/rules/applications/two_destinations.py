"""Applications that name their cluster twice."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-106",
    name="two-destinations",
    severity=Severity.ERROR,
    summary="A destination has both a server and a name.",
    fix="keep one of spec.destination.server and spec.destination.name",
    looks_at=(LooksAt.FILES,),
    why="Argo CD refuses the Application, even where both mean the same cluster: it is Unknown and is never synced.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination:
    server: https://kubernetes.default.svc
    name: in-cluster
    namespace: web
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination:
    server: https://kubernetes.default.svc
    namespace: web
""",
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app with both."""
    destination = dig(app.manifest.obj, "spec", "destination")
    server, name = dig(destination, "server"), dig(destination, "name")
    if server and name:
        message = f"{app}: the destination has a server ({server}) and a name ({name}), which Argo CD refuses"
        evidence = [at(app.manifest, "spec.destination.name", f"name: {name}")]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
