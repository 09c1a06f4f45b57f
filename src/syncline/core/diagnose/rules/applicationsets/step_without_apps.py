"""Steps of a rolling sync that take no Application."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.appset import rolling
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APS-005",
    name="step-without-apps",
    severity=Severity.WARNING,
    summary="A step of a rolling sync matches no Application, or an Application is in no step.",
    fix="correct the labels in the template, or the expressions of the step",
    looks_at=(LooksAt.FILES,),
    why="The set never syncs an Application that no step matches.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}", labels: {env: dev}}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
  strategy:
    type: RollingSync
    rollingSync:
      steps:
        - matchExpressions: [{key: env, operator: In, values: [prod]}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd, labels: {env: dev}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list: {elements: [{name: web}]}
  template:
    metadata: {name: "{{name}}", labels: {env: dev}}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: web}
      destination: {server: https://kubernetes.default.svc, namespace: web}
  strategy:
    type: RollingSync
    rollingSync:
      steps:
        - matchExpressions: [{key: env, operator: In, values: [dev]}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd, labels: {env: dev}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per set whose steps and Applications do not fit."""
    for one in repo.sets:
        spec = one.manifest.obj.get("spec") or {}
        if not rolling.is_rolling(spec) or not one.apps:
            continue
        steps = rolling.steps_of(spec)
        apps = [app.manifest.obj for app in repo.apps if app.manifest.key.name in one.apps]
        taken = rolling.placed(steps, apps)
        idle = [index for index in range(len(steps)) if index not in taken.values()]
        left = sorted(set(one.apps) - set(taken))
        if apps and (idle or left):
            told = [f"{listed(left)} in no step"] if left else []
            told += [f"step {index + 1} matches none" for index in idle]
            path = "spec.strategy.rollingSync.steps" + (f"[{idle[0]}]" if idle else "")
            message = f"{one}: {'; '.join(told)}"
            yield RULE.finding(str(one), message, evidence=[at(one.manifest, path, str(one))], fix=RULE.usual_fix)
