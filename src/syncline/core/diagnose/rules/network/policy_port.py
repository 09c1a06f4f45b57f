"""Network policies that let traffic through to a port which the pods do not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.selected import selected
from syncline.core.diagnose.repository.world import Made, pod_steps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="WKL-116",
    name="policy-port",
    severity=Severity.WARNING,
    summary="A NetworkPolicy permits a named port that the pods it selects do not have.",
    fix="name a port of the pods, or its number",
    looks_at=(LooksAt.RENDERED,),
    why="A name that no container has permits nothing: everything is Synced and Healthy, and connections time out. "
    "Numbers are not judged, since containers need not list the ports they listen on.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1", ports: [{name: http, containerPort: 8080}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
    - ports:
        - port: web
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1", ports: [{name: http, containerPort: 8080}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress:
    - ports:
        - port: http
""",
)
_POLICY = GroupKind("networking.k8s.io", "NetworkPolicy")


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding per named port that none of the workloads has which a policy selects by labels."""
    delivery, item = one
    labels = dig(item.obj, "spec", "podSelector", "matchLabels")
    if item.key.group_kind != _POLICY or not isinstance(labels, dict):
        return
    if not labels or dig(item.obj, "spec", "podSelector", "matchExpressions"):
        return
    workloads = selected(repo, item.key.namespace, labels)
    known = {name for workload in workloads for name in _ports(workload)}
    for number, rule in enumerate(entries(item.obj, "spec", "ingress") if workloads else ()):
        for index, port in enumerate(entries(rule, "ports")):
            name: Any = port.get("port")
            if isinstance(name, str) and not name.isdigit() and name not in known:
                has = ", ".join(sorted(known)) or "none"
                message = (
                    f"{item.key.short} of {delivery} permits port {name}, which the pods of {workloads[0].key.short} "
                    f"do not have (named ports: {has})"
                )
                evidence = [at(item, f"spec.ingress[{number}].ports[{index}].port", f"port: {name}")]
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _ports(item: Prepared) -> Iterator[str]:
    steps = pod_steps(item.key.kind)
    for field in ("containers", "initContainers"):
        for container in entries(item.obj, *steps, field):
            yield from (str(port["name"]) for port in entries(container, "ports") if port.get("name"))
