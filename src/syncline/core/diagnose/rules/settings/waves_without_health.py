"""Waves between Applications that gate nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import globs
from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-003",
    name="waves-without-health",
    severity=Severity.ERROR,
    summary="Applications are in different waves, but the installation has no health check for Applications.",
    fix="add resource.customizations.health.argoproj.io_Application to argocd-cm",
    looks_at=(
        LooksAt.FILES,
        LooksAt.RENDERED,
        LooksAt.SETTINGS,
    ),
    why="Since 1.8 Argo CD has no health check for Applications: the next wave starts as soon as the previous wave's "
    "Application objects are written, whatever happens to them. Syncline has that check built in.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: operator, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: operator}
  destination: {server: https://kubernetes.default.svc, namespace: operator}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: database, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: database}
  destination: {server: https://kubernetes.default.svc, namespace: database}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  url: https://cd.example.com
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: operator, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: operator}
  destination: {server: https://kubernetes.default.svc, namespace: operator}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: database, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: database}
  destination: {server: https://kubernetes.default.svc, namespace: database}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.argoproj.io_Application: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.sync ~= nil and obj.status.sync.comparedTo ~= nil then
      hs.status = obj.status.health.status
    end
    return hs
""",
)
_APPLICATION = GroupKind(names.GROUP, "Application")
_PATTERN = "argoproj.io/Application"


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per app whose child apps are in several waves."""
    if _has_check(repo):
        return
    for delivery in repo.world.deliveries:
        children = [item for item in delivery.items if item.key.group_kind == _APPLICATION]
        waves = sorted({item.wave for item in children})
        if len(waves) > 1 and repo.governs(delivery.app):
            later = [item for item in children if item.wave > waves[0]]
            path = f'metadata.annotations["{names.SYNC_WAVE}"]'
            message = (
                f"{delivery} has child apps in {len(waves)} waves ({waves[0]} to {waves[-1]}), which do not wait for "
                "each other"
            )
            evidence = [at(item, path, item.key.short) for item in later]
            yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix)


def _has_check(repo: Repo) -> bool:
    settings = repo.settings.settings
    own = any(one.health_lua and globs.matches(_PATTERN, one.pattern) for one in settings.overrides)
    return own or _PATTERN in settings.resource_customizations
