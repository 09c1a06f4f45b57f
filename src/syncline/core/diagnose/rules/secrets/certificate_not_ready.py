"""A Certificate that is not issued: because of its issuer, its order or its challenge."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, key_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

GROUP = "cert-manager.io"
ISSUERS = ("Issuer", "ClusterIssuer")
RULE = Rule(
    code="SEC-202",
    name="certificate-not-ready",
    severity=Severity.ERROR,
    summary="A Certificate, or a request for one, is not issued.",
    fix="fix what the issuer refuses, or the names that the certificate requests",
    looks_at=(LooksAt.LIVE,),
    why="The Secret with the key pair is missing or old, so servers that use it do not start or are not trusted. The "
    "chain goes from the certificate through its request and order to the challenge and the issuer.",
)


@on_node(RULE, GroupKind(GROUP, "Certificate"), GroupKind(GROUP, "CertificateRequest"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for one that is not ready, because of issuer and order."""
    ready = condition(node.obj, "Ready")
    upstream = tuple(_upstream(node))
    since = str(ready.get("lastTransitionTime") or meta.creation_timestamp(node.obj))
    if ready.get("status") == "True" or (not ready and not any(one.absent for one in upstream)):
        return
    failed = ready.get("reason") in ("Failed", "Denied")
    tell = None if apps.is_young(node, since) and not failed else lambda: _finding(node, ready)
    yield Fault(rule=RULE, state=str(ready.get("reason") or "NotReady"), because=upstream, tell=tell)


def _upstream(node: Node) -> Iterator[Thing]:
    for reference in read.references(node.obj):
        if reference.key.kind in ISSUERS:
            absent = node.cluster.is_absent(reference.key)
            yield node.missing(reference.key) if absent else node.at(reference.key)
    yield from (node.at(key_of(one)) for one in node.cluster.children(node.obj))


def _finding(node: Node, ready: dict[str, str]) -> Finding:
    said = str(ready.get("message") or ready.get("reason") or "it has no status")
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} is not issued: {said}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions"),
            *line(node.fleet, node.thing, "spec"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide by the message: correct the certificate's spec, or meet its issuer's requirements"),
        since=str(ready.get("lastTransitionTime") or ""),
    )
