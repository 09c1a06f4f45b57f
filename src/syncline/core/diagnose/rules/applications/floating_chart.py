"""Charts in whatever version is the newest."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-016",
    name="floating-chart",
    severity=Severity.WARNING,
    summary="An Application uses a chart without pinning its version.",
    fix="pin the version of the chart",
    looks_at=(LooksAt.FILES,),
    why="What is delivered changes without a commit: there is no review, and no revert brings the old version back.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://charts.example.com
    chart: web
    targetRevision: "*"
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://charts.example.com
    chart: web
    targetRevision: 1.4.2
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)
_ANY = ("", "*", "x", "latest", "HEAD", ">=0", ">0", ">=0.0.0", ">0.0.0", ">=0.0.0-0", "*-0")


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per source with a chart that floats."""
    for path, source in sources_with_paths(app.manifest.obj):
        revision = str(source.get("targetRevision") or "")
        if source.get("chart") and revision.strip() in _ANY:
            message = f"{app} does not pin the version of chart {source['chart']}: {revision or 'no targetRevision'}"
            evidence = [at(app.manifest, f"{path}.targetRevision")]
            yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
