"""Objects of a kind that the settings leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.core.settings import filters
from syncline.model.desired import DesiredObject
from syncline.model.finding import Finding, Severity
from syncline.model.settings.settings import Settings

RULE = Rule(
    code="SET-008",
    name="excluded-kind",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="An app has objects of a kind that resource.exclusions excludes: they are never applied.",
    fix="remove the kind from resource.exclusions, or the object from Git",
    looks_at=(
        LooksAt.RENDERED,
        LooksAt.SETTINGS,
    ),
    why="The sync succeeds without them; only a condition says so. OpenShift GitOps excludes PipelineRuns and TaskRuns "
    "by default.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
---
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: build}
spec: {pipelineRef: {name: build}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.exclusions: |
    - apiGroups: [tekton.dev]
      kinds: [PipelineRun]
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
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: build}
spec: {pipelineRef: {name: build}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.exclusions: |
    - apiGroups: [tekton.dev]
      kinds: [TaskRun]
""",
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per kind of an app."""
    settings = repo.settings.settings
    found: dict[GroupKind, list[DesiredObject]] = defaultdict(list)
    for item in app.desired.objects if app.desired is not None else ():
        kind = item.key.group_kind
        if kind.kind and filters.excluded(kind, settings):
            found[kind].append(item)
    sure = repo.governs(app) or settings.profile is not Settings().profile
    for kind, items in found.items():
        evidence = [at(item, "", item.key.short) for item in items]
        message = f"{app}: {plural(len(items), kind.kind)} is excluded by resource.exclusions and never applied"
        severity = Severity.ERROR if sure else Severity.WARNING
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix, severity=severity)
