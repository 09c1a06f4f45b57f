"""A Gateway, its class or a route that is not accepted: nothing is served by it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, conditions, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

GROUP = "gateway.networking.k8s.io"
RULE = Rule(
    code="LIV-206",
    name="gateway-not-accepted",
    severity=Severity.ERROR,
    summary="A Gateway, its class or a route is not accepted, or refers to something that does not exist.",
    fix="correct the name in the condition, or deliver what it refers to",
    looks_at=(LooksAt.LIVE,),
    why="Routes depend on their Gateway and Gateways on their class. If those are accepted, the condition says which "
    "name does not resolve: a backend, a certificate, a listener.",
)
_KINDS = tuple(GroupKind(GROUP, kind) for kind in ("GatewayClass", "Gateway", "HTTPRoute", "GRPCRoute", "TLSRoute"))
_WANTED = ("Accepted", "Programmed", "ResolvedRefs")


@on_node(RULE, *_KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for one that is not accepted, because of its parents, its class and what it names."""
    if node.thing.absent:
        yield Fault(rule=RULE, state="absent", tell=lambda: _absent(node))
        return
    upstream = tuple(_upstream(node))
    bad = next((one for one in _all(node) if one.get("type") in _WANTED and one.get("status") == "False"), None)
    if bad is not None:
        yield Fault(rule=RULE, state=str(bad.get("reason")), because=upstream, tell=partial(_finding, node, bad))
    elif not any(_all(node)) and not apps.is_young(node, meta.creation_timestamp(node.obj)):
        yield Fault(rule=RULE, state="not observed", because=upstream)


def _all(node: Node) -> Iterator[dict[str, Any]]:
    status = node.obj.get("status") or {}
    yield from conditions(node.obj)
    for one in (*(status.get("parents") or ()), *(status.get("listeners") or ())):
        yield from one.get("conditions") or ()


def _upstream(node: Node) -> Iterator[Thing]:
    spec = node.obj.get("spec") or {}
    if node.key.kind == "Gateway" and spec.get("gatewayClassName"):
        key = ObjectKey(GROUP, "GatewayClass", "", str(spec["gatewayClassName"]))
        yield node.missing(key) if node.cluster.is_absent(key) else node.at(key)
    for reference in read.references(node.obj):
        kind = reference.key.kind
        if kind == "Secret":
            yield from (node.at(maker) for maker in node.cluster.makers(reference.key))
        elif kind in ("Gateway", "GatewayClass") and node.cluster.is_absent(reference.key):
            yield node.missing(reference.key)
        elif kind in ("Gateway", "GatewayClass"):
            yield node.at(reference.key)


def _absent(node: Node) -> Finding:
    return RULE.finding(
        node.key.short,
        f"{node.key.short} does not exist",
        fix=Fix(text=f"decide: deliver {node.key.short}, or name one that exists"),
    )


def _finding(node: Node, bad: dict[str, str]) -> Finding:
    said = str(bad.get("message") or bad.get("reason") or "")
    gone = [one.key.short for one in read.references(node.obj) if node.cluster.is_absent(one.key)]
    named = f"; {', '.join(gone)} does not exist" if gone else ""
    where = f" in {node.key.namespace}" if node.key.namespace else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short}{where}: {bad.get('type')}=False {bad.get('reason') or ''}: {said}{named}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status"),
            *line(node.fleet, node.thing, "spec"),
        ],
        confidence=Confidence.DECLARED if gone else Confidence.TEXT,
        fix=Fix(text="decide: correct the name, or deliver what it names"),
        since=str(bad.get("lastTransitionTime") or ""),
    )
