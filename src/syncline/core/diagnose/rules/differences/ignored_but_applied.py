"""Ignored fields that every sync still writes."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig, words
from syncline.core.diagnose.repository.rendered import deliveries, ignore_rules
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-007",
    name="ignored-but-applied",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="The diff ignores a field that Git sets, so every sync writes it again.",
    fix="add the sync option RespectIgnoreDifferences=true, or remove the field from Git",
    looks_at=(
        LooksAt.FILES,
        LooksAt.RENDERED,
    ),
    why="The diff hides what the sync does: the next sync, whatever its reason, resets replicas that an autoscaler "
    "chose.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/replicas]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
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
    syncOptions: [RespectIgnoreDifferences=true]
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/replicas]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
""",
)


@RULE.on_each(Repo, deliveries)
def check(_repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per pointer that Git sets; a warning, since only the cluster shows who differs."""
    manifest = delivery.app.manifest
    if "RespectIgnoreDifferences=true" in words(manifest.obj, "spec", "syncPolicy", "syncOptions"):
        return
    for path, kind, pointer in ignore_rules(manifest.obj):
        if pointer.count("/") < 2:
            continue  # a whole part: another rule says so
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.strip("/").split("/")]
        set_here = [
            item
            for item in delivery.items
            if item.key.kind == kind and steps[:1] != ["status"] and dig(item.obj, *map(_step, steps)) is not None
        ]
        if set_here:
            shown = listed([item.key.short for item in set_here])
            message = f"{delivery} ignores {pointer}, which Git sets on {shown}: every sync writes it again"
            evidence = [at(manifest, path, pointer), *(at(item) for item in set_here[:3])]
            yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.WARNING)


def _step(step: str) -> str | int:
    return int(step) if step.isdigit() else step
