"""Sync windows that cannot be read: while one is there, nothing of its apps is synced."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.policy import windows
from syncline.model import project
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-104",
    name="window-invalid",
    severity=Severity.ERROR,
    summary="A sync window of a project has a schedule, duration, time zone or kind that cannot be read.",
    fix="write five fields (minute, hour, day, month, weekday), a duration such as 2h, and allow or deny",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="Argo CD and Syncline sync none of the Applications that such a window is about, and say why only where "
    "somebody looks: whether they may sync cannot be known.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/*"]
  destinations: [{server: "https://kubernetes.default.svc", namespace: shop}]
  syncWindows:
    - kind: deny
      schedule: "0 25 * * *"
      duration: 2h
      applications: ["*"]
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/*"]
  destinations: [{server: "https://kubernetes.default.svc", namespace: shop}]
  syncWindows:
    - kind: deny
      schedule: "0 23 * * *"
      duration: 2h
      applications: ["*"]
""",
)


def _projects(repo: Repo) -> Iterator[tuple[str, DesiredObject]]:
    for item in repo.projects:
        yield item.key.short, item


@RULE.on_each(Repo, _projects)
def check(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield one finding per window."""
    try:
        found = project.parse(item.obj).spec.sync_windows
    except InvalidSpec:
        return
    for number, window in enumerate(found):
        if problem := windows.problem(window):
            field = next((one for one in ("schedule", "duration", "timeZone", "kind") if one in problem), "schedule")
            evidence = [at(item, f"spec.syncWindows[{number}].{field}")]
            yield RULE.finding(item.key.short, f"{item.key.short}: {problem}", evidence=evidence, fix=RULE.usual_fix)
