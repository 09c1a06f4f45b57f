"""PodDisruptionBudgets that no pod belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.selected import near_labels, selected
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="WKL-113",
    name="budget-without-pods",
    severity=Severity.WARNING,
    summary="A PodDisruptionBudget or NetworkPolicy selects no pod, and there are pods with nearly these labels.",
    fix="use the labels of the pods in the selector",
    looks_at=(LooksAt.RENDERED,),
    why="It is Synced and Healthy and protects nothing. Selectors of pods that operators make are not judged.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: wbe
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: web
""",
)
_SELECTORS = {
    GroupKind("policy", "PodDisruptionBudget"): "selector",
    GroupKind("networking.k8s.io", "NetworkPolicy"): "podSelector",
}


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a selector that is a slip of another one: what has its name, or nearly its labels."""
    delivery, item = one
    field = _SELECTORS.get(item.key.group_kind)
    labels = dig(item.obj, "spec", field, "matchLabels") if field else None
    if not isinstance(labels, dict) or not labels or dig(item.obj, "spec", field or "", "matchExpressions"):
        return
    if selected(repo, item.key.namespace, labels):
        return
    for other, name, value in near_labels(repo, item.key, labels):
        shown = ", ".join(f"{label}={text}" for label, text in sorted(labels.items()))
        message = (
            f"{item.key.short} of {delivery} selects {shown}, which no pod has; "
            f"the pods of {other.key.short} have {name}={value}"
        )
        evidence = [at(item, f"spec.{field}.matchLabels", shown)]
        path = f"spec.{field}.matchLabels.{name}"
        if path in item.origin.positions.paths:
            evidence = [at(item, path, f"{name}: {labels[name]}")]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
        return
