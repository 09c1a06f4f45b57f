"""Services of type LoadBalancer and Ingresses that never get an address: nobody in the cluster gives them one."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.health import events
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

_CLASS = GroupKind("networking.k8s.io", "IngressClass")
_CLASS_ANNOTATION = "kubernetes.io/ingress.class"
RULE = Rule(
    code="LIV-208",
    name="no-load-balancer",
    severity=Severity.WARNING,
    summary="A Service of type LoadBalancer, or an Ingress, has been without an address for a long time.",
    fix="install a controller that assigns addresses, enlarge its pool, or use another type",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    why="Its app stays Progressing, and a sync that waits for it never ends. One missing or exhausted controller "
    "affects all of them at once.",
)


@on_node(RULE, GroupKind("", "Service"), GroupKind("networking.k8s.io", "Ingress"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for one that waits for an address for longer than giving one takes."""
    spec, status = node.obj.get("spec") or {}, node.obj.get("status") or {}
    if node.key.kind == "Service" and spec.get("type") != "LoadBalancer":
        return
    if (status.get("loadBalancer") or {}).get("ingress"):
        return
    said = next((events.message(one) for one in node.cluster.events(node.key, "SyncLoadBalancerFailed")), "")
    age = node.cluster.age(meta.creation_timestamp(node.obj))
    if not said and (age is None or apps.is_young(node, meta.creation_timestamp(node.obj))):
        return
    name = str(spec.get("loadBalancerClass") or _ingress_class(node) or "")
    unknown = _no_such_class(node, name)
    said = said or unknown
    yield Fault(
        rule=RULE,
        state="no address",
        cause=node.missing(ObjectKey(_CLASS.group, _CLASS.kind, "", name))
        if unknown
        else node.outside("load balancer", f"{node.key.kind} {name}".strip()),
        about=said[:80],
        tell=lambda: _finding(node, said),
        weak=node.key.kind == "Ingress",
    )


def _ingress_class(node: Node) -> str:
    named = (node.obj.get("spec") or {}).get("ingressClassName") or meta.annotations(node.obj).get(_CLASS_ANNOTATION)
    return str(named or "") if node.key.kind == "Ingress" else ""


def _no_such_class(node: Node, name: str) -> str:
    """Return words about a class that does not exist; empty where it does, or where that is not known."""
    known = [key.name for key, _obj in node.cluster.of_kind(_CLASS)]
    if not _ingress_class(node) or not known or name in known:
        return ""
    return f"its class {name} does not exist (there is {listed(known)}), so nothing serves it"


def _finding(node: Node, said: str) -> Finding:
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} gets no address: {said or 'nothing assigns one'}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text="empty", subject=node.key, path="status.loadBalancer.ingress")
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide: install or repair what assigns addresses here, or use another type of Service"),
        since=meta.creation_timestamp(node.obj),
    )
