"""Durations of an Application that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import duration
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-107",
    name="duration-invalid",
    severity=Severity.ERROR,
    summary="A pause between retries cannot be read.",
    fix="write a number with its unit, such as 10s, 5m or 1h30m",
    looks_at=(LooksAt.FILES,),
    why="It is read only when a sync has failed: the retry fails too, with a message about the duration instead of one "
    "about the sync.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    retry:
      limit: 3
      backoff:
        duration: 10 seconds
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
    retry:
      limit: 3
      backoff:
        duration: 10s
""",
)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding per duration; one that is only digits means seconds."""
    for field in ("duration", "maxDuration"):
        given = dig(app.manifest.obj, "spec", "syncPolicy", "retry", "backoff", field)
        if not isinstance(given, str) or not given or given.isdigit() or _is_duration(given):
            continue
        path = f"spec.syncPolicy.retry.backoff.{field}"
        message = f"{app}: {path} is {given!r}, which is not a duration"
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, path, given)], fix=RULE.usual_fix)


def _is_duration(text: str) -> bool:
    try:
        duration.parse(text)
    except ValueError:
        return False
    return True
