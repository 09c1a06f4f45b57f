"""Automated syncs that give up after a failure."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-009",
    name="automated-without-retry",
    severity=Severity.WARNING,
    summary="An Application syncs automatically without retry, or its retry does not pick up newer commits.",
    fix="add spec.syncPolicy.retry with refresh: true",
    looks_at=(LooksAt.FILES,),
    why="Argo CD tries a commit once, or retries the same commit while the fix is already in Git. Syncline always "
    "takes the newest.",
    bad="""\
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
    retry: {limit: 5, refresh: true}
""",
    preview=True,
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an automated Application."""
    policy = dig(app.manifest.obj, "spec", "syncPolicy")
    if dig(policy, "automated") is None or dig(policy, "retry", "refresh"):
        return
    lacking = "no retry" if dig(policy, "retry") is None else "a retry without refresh"
    message = f"{app} syncs automatically with {lacking}: a bad commit blocks its own fix"
    yield RULE.finding(str(app), message, evidence=[at(app.manifest, "spec.syncPolicy.automated")], fix=RULE.usual_fix)
