"""Names of Applications that do not fit into a label."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.settings.settings import TrackingMethod

RULE = Rule(
    code="APP-011",
    name="name-too-long",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="The name of an Application is longer than 63 characters, the limit for a label.",
    fix="shorten the name, or track by annotation",
    looks_at=(
        LooksAt.FILES,
        LooksAt.SETTINGS,
    ),
    why="With label tracking, every object of the app is refused, because the label would contain the name. Helm "
    "allows at most 53 characters.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a-very-long-name-of-an-application-that-somebody-made-of-a-path-0, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  application.resourceTrackingMethod: label
  application.instanceLabelKey: argocd.argoproj.io/instance
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  application.resourceTrackingMethod: label
  application.instanceLabelKey: argocd.argoproj.io/instance
""",
)
_LIMIT = 63


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about a name that is too long, a warning where it is not known how objects are tracked."""
    name = app.manifest.key.name
    by_annotation = repo.governs(app) and repo.settings.settings.tracking is TrackingMethod.ANNOTATION
    if len(name) > _LIMIT and not by_annotation:
        sure = repo.governs(app)
        message = f"{name} has {len(name)} characters, and a label allows {_LIMIT}"
        severity = Severity.ERROR if sure else Severity.WARNING
        evidence = [at(app.manifest, "metadata.name", name)]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix, severity=severity)
