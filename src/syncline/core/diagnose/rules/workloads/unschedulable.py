"""Pods that no node takes."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.pods import pods
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="WKL-001",
    name="unschedulable",
    severity=Severity.ERROR,
    summary="No node fits the pods: their node selector, tolerations, affinity, requests or volumes.",
    fix="change requests, node selector or tolerations, or add a node that fits",
    looks_at=(LooksAt.LIVE,),
    why="The pods stay Pending. A common cause is a values file that empties `tolerations`, so that the pods no longer "
    "tolerate the taint of their nodes.",
    bad="""\
tolerations: []  # the nodes have the taint environment=dev:NoSchedule
""",
    good="""\
tolerations:
  - key: environment
    value: dev
    effect: NoSchedule
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload with a pod that cannot be scheduled; its first pod stands for the others."""
    told: set[ObjectKey] = set()
    for pod in pods(app):
        for condition in (pod.pod.get("status") or {}).get("conditions") or ():
            refused = condition.get("type") == "PodScheduled" and condition.get("status") == "False"
            if not refused or pod.root in told:
                continue
            told.add(pod.root)
            said = str(condition.get("message") or condition.get("reason") or "")
            path = "status.conditions[PodScheduled]"
            yield RULE.finding(
                pod.root.short,
                f"{pod.root.short}: no node fits its pods: {said}",
                evidence=[Evidence(kind=EvidenceKind.CONDITION, text=said, subject=pod.key, path=path)],
                confidence=Confidence.OWNED,
                fix=RULE.usual_fix,
            )
