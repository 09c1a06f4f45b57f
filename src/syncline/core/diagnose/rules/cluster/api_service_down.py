"""An aggregated API does not answer: what asks it (autoscalers, the deletion of namespaces) fails."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-205",
    name="api-service-down",
    severity=Severity.ERROR,
    summary="An APIService is not available: the Service behind an aggregated API does not answer.",
    fix="bring up the program that serves the API, or delete the APIService if that program was removed",
    looks_at=(LooksAt.LIVE,),
    why="Autoscalers get no metrics, namespaces cannot be deleted and discovery is slow, across the whole cluster.",
)
API_SERVICE = GroupKind("apiregistration.k8s.io", "APIService")


@on_node(RULE, API_SERVICE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an APIService that is not available, because of its Service."""
    available = condition(node.obj, "Available")
    if node.thing.absent:
        yield Fault(rule=RULE, state="absent", tell=lambda: _absent(node))
    if available.get("status") != "False":
        return
    named = (node.obj.get("spec") or {}).get("service") or {}
    service = ObjectKey("", "Service", str(named.get("namespace") or ""), str(named.get("name") or ""))
    because = (node.at(service),) if node.cluster.get(service) is not None else ()
    yield Fault(
        rule=RULE,
        state=str(available.get("reason") or "Unavailable"),
        because=because,
        tell=lambda: _finding(node, available, service),
    )


def _absent(node: Node) -> Finding:
    return RULE.finding(
        node.key.short,
        f"{node.key.name} is not served: nothing registers that API",
        fix=Fix(text="decide: install what serves it (for metrics.k8s.io the metrics-server)"),
    )


def _finding(node: Node, available: dict[str, str], service: ObjectKey) -> Finding:
    gone = node.cluster.is_absent(service)
    said = str(available.get("message") or available.get("reason") or "")
    return RULE.finding(
        node.key.short,
        f"API {node.key.name} is not available: {said}",
        evidence=[
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"Available=False {available.get('reason') or ''}",
                subject=node.key,
                path="status.conditions",
            )
        ],
        fix=Fix(text="if what served it was removed", command=f"kubectl delete apiservice {node.key.name}")
        if gone
        else Fix(
            text=f"decide: bring up Service {service.name} in {service.namespace}, or see what keeps it from answering"
        ),
        since=str(available.get("lastTransitionTime") or ""),
    )
