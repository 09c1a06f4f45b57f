"""A PodDisruptionBudget that never lets a pod go, so that a node cannot be drained or replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around, disruption, written
from syncline.core.diagnose.live.disruption import BUDGET, BlockedDrain
from syncline.core.diagnose.live.pods import pods
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.selected import selected
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references.pods import NODE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-112",
    name="drain-blocked",
    severity=Severity.WARNING,
    summary="A PodDisruptionBudget never lets a pod go, so a node that is being drained never gets empty.",
    fix="run more pods than the budget keeps, or let it permit one to go",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Whoever drains a node (kubectl drain, a cluster autoscaler, Karpenter, an upgrade of the nodes) asks for each "
    "pod to be evicted, and waits while a budget refuses. With as many pods as must stay it always refuses: the app is "
    "Healthy, and the upgrade hangs. Where pods are merely not ready, the budget does its job, and the pods are the "
    "cause.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
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
  minAvailable: 1  # of one replica
  selector: {matchLabels: {app: web}}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
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
  selector: {matchLabels: {app: web}}
""",
)
Rewrite = Callable[[ObjectKey, str, Any, str], Fix]


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield one finding per budget of the app that keeps pods on nodes which are being drained."""
    leaving = leaving_nodes(obj for _key, obj in around.of_kind(app, NODE))
    every = [(one.key, one.pod, one.root) for one in pods(app)]
    for key, budget in around.of_kind(app, BUDGET):
        found = disruption.blocked(key, budget, ((pod, obj) for pod, obj, _root in every), leaving)
        if found is not None:
            roots = sorted({root for pod, _obj, root in every if pod in found.pods})
            yield finding(
                found,
                [*written.line(app, key, f"spec.{found.field}"), *_replica_lines(app, roots)],
                ways(found, roots, partial(_rewrite, app)),
            )


def _rewrite(app: App, key: ObjectKey, path: str, after: Any, remark: str) -> Fix:
    return written.rewrite(app, key, path, after, remark=remark)


def _replica_lines(app: App, roots: list[ObjectKey]) -> Iterator[Evidence]:
    for root in roots[:1]:
        if written.value(app, root, "spec.replicas") is not None:
            yield from written.line(app, root, "spec.replicas")


def leaving_nodes(nodes: Iterable[Object]) -> dict[str, str]:
    """Return the nodes that are being emptied, with since when."""
    found = ((meta.name(node), disruption.leaving_since(node)) for node in nodes)
    return {name: since for name, since in found if since is not None}


def finding(found: BlockedDrain, evidence: list[Evidence], ways: list[Fix]) -> Finding:
    """Return what is said of a budget, with the lines in Git and the ways out."""
    said = "disruptionsAllowed: 0"
    return RULE.finding(
        found.key.short,
        found.words,
        evidence=[
            *evidence,
            Evidence(kind=EvidenceKind.FIELD, text=said, subject=found.key, path="status.disruptionsAllowed"),
        ],
        fix=ways[0],
        options=ways[1:],
        since=found.since,
    )


def ways(found: BlockedDrain, roots: list[ObjectKey], rewrite: Rewrite) -> list[Fix]:
    """Return the decision, and the ways out of which somebody has to choose one."""
    away = "it is" if found.expected == 1 else "one of them is"
    one_goes = f"lets one pod go; {away} away until it runs elsewhere"
    options = []
    if len(roots) == 1 and found.field == "minAvailable" and isinstance(found.least, int):
        more = "one pod more than must stay: one can go while the others serve"
        options.append(rewrite(roots[0], "spec.replicas", found.least + 1, more))
    if found.loosened is not None:
        options.append(rewrite(found.key, f"spec.{found.field}", found.loosened, one_goes))
    else:
        options.append(Fix(text=f"write maxUnavailable: 1 in place of {found.field}: {found.least}: {one_goes}"))
    names = " ".join(pod.name for pod in found.pods)
    by_hand = Fix(
        text="this once: a deletion does not ask the budget",
        command=f"kubectl delete pod -n {found.key.namespace} {names}",
    )
    return [Fix(text="decide: run more pods, let the budget permit one to go, or move them by hand"), *options, by_hand]


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a budget that keeps as many pods as its workloads have, autoscalers not reckoned with."""
    delivery, item = one
    labels = dig(item.obj, "spec", "selector", "matchLabels")
    if item.key.group_kind != BUDGET or not isinstance(labels, dict) or not labels:
        return
    if dig(item.obj, "spec", "selector", "matchExpressions"):
        return
    workloads = [one for one in selected(repo, item.key.namespace, labels) if one.key.kind in _COUNTED]
    counts = [_replicas(repo, one) for one in workloads]
    if not workloads or not all(counts):
        return
    pods_there = sum(filter(None, counts))
    least, most = dig(item.obj, "spec", "minAvailable"), dig(item.obj, "spec", "maxUnavailable")
    field = "maxUnavailable" if most is not None else "minAvailable"
    keeps_all = most in (0, "0", "0%") or least == "100%" or (isinstance(least, int) and least >= pods_there)
    if keeps_all:
        many = "1 pod" if pods_there == 1 else f"{pods_there} pods"
        value = dig(item.obj, "spec", field)
        message = (
            f"{item.key.short} of {delivery} never lets a pod go: {field} is {value}, and {workloads[0].key.short} has "
            f"{many}; nodes cannot be drained"
        )
        evidence = [at(item, f"spec.{field}", f"{field}: {value}"), at(workloads[0], "spec.replicas")]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


_COUNTED = ("Deployment", "StatefulSet", "ReplicaSet")
_AUTOSCALER = GroupKind("autoscaling", "HorizontalPodAutoscaler")


def _replicas(repo: Repo, item: Prepared) -> int:
    """Return how many pods a workload has; nothing where somebody else decides that, or may."""
    for _, scaler in repo.world.by_kind.get(_AUTOSCALER, ()):
        target = dig(scaler.obj, "spec", "scaleTargetRef")
        if scaler.key.namespace == item.key.namespace and dig(target, "name") == item.key.name:
            return 0
    given = dig(item.obj, "spec", "replicas")
    return given if isinstance(given, int) and not isinstance(given, bool) else 0
