"""An ACME order or challenge that fails: the domain does not answer as it should."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, key_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-204",
    name="challenge-failing",
    severity=Severity.ERROR,
    summary="An ACME challenge fails: the name does not resolve to this cluster, or the record cannot be written.",
    fix="point the name at this cluster, or give the DNS solver access to the zone",
    looks_at=(LooksAt.LIVE,),
    why="The authority queries the name from outside. The status of the challenge has what it saw; Syncline does not "
    "check DNS or the route from outside.",
)
_GROUP = "acme.cert-manager.io"


@on_node(RULE, GroupKind(_GROUP, "Order"), GroupKind(_GROUP, "Challenge"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for one that failed, or that has waited for long; an order fails because of its challenges."""
    status = node.obj.get("status") or {}
    state, reason = str(status.get("state") or ""), str(status.get("reason") or "")
    waits = state in ("pending", "") and reason and not apps.is_young(node, meta.creation_timestamp(node.obj))
    below = tuple(node.at(key_of(one)) for one in node.cluster.children(node.obj))
    if state in ("invalid", "errored", "expired") or waits:
        yield Fault(rule=RULE, state=state or "pending", because=below, tell=lambda: _finding(node, reason))
    elif state == "pending" and below:
        yield Fault(rule=RULE, state=state, because=below)


def _finding(node: Node, reason: str) -> Finding:
    spec = node.obj.get("spec") or {}
    name = str(spec.get("dnsName") or ", ".join(spec.get("dnsNames") or ()) or node.key.name)
    kind = str(spec.get("type") or "")
    return RULE.finding(
        node.key.short,
        f"the authority does not accept {name}{f' by {kind}' if kind else ''}: {reason or 'no reason given'}",
        evidence=[Evidence(kind=EvidenceKind.FIELD, text=reason, subject=node.key, path="status.reason")],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: point {name} at this cluster, or give the solver access to its zone (DNS was not checked)"
        ),
    )
