"""An issuer of certificates that is missing or not ready: everything that it should sign waits."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.view.warnings import warned
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SEC-203",
    name="issuer-not-ready",
    severity=Severity.ERROR,
    summary="An Issuer or ClusterIssuer is missing, or not ready.",
    fix="deliver the issuer, or correct its account, its Secret or the address of its server",
    looks_at=(LooksAt.LIVE,),
    why="None of its certificates is issued or renewed. A CA issuer needs a Secret that another certificate creates; "
    "an ACME issuer must register an account first.",
)
_KINDS = (GroupKind("cert-manager.io", "Issuer"), GroupKind("cert-manager.io", "ClusterIssuer"))


@on_node(RULE, *_KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an issuer that is absent or says that it is not ready, because of the Secret it names."""
    if node.thing.absent:
        yield Fault(rule=RULE, state="absent", tell=lambda: _absent(node))
        return
    ready = condition(node.obj, "Ready")
    if ready.get("status") == "False":
        named = [one.key for one in read.references(node.obj) if one.key.kind == "Secret"]
        said = str(ready.get("message") or "")
        missing = [node.missing(key) for key in named if f'"{key.name}" not found' in said]
        because = (*missing, *(node.at(maker) for key in named for maker in node.cluster.makers(key)))
        state = str(ready.get("reason") or "NotReady")
        yield Fault(rule=RULE, state=state, because=because, tell=lambda: _finding(node, ready))


def _absent(node: Node) -> Finding:
    spaces = ("", node.key.namespace)
    others: list[ObjectKey] = [
        one for kind in _KINDS for one, _obj in node.cluster.of_kind(kind) if one.namespace in spaces
    ]
    near = nearest(node.key.name, [one.name for one in others]) or [one.short for one in others]
    hint = f" (existing: {listed(sorted(near))})" if near else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short} does not exist, so no certificate of it is issued",
        fix=Fix(text=f"decide: deliver {node.key.short}, or name an issuer that exists, with its kind{hint}"),
    )


def _finding(node: Node, ready: dict[str, str]) -> Finding:
    said = str(ready.get("message") or ready.get("reason") or "")
    return RULE.finding(
        node.key.short,
        f"{node.key.short} is not ready: {said}",
        evidence=[
            *warned(node, said),
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions"),
            *line(node.fleet, node.thing, "spec"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide by the message: the issuer's server was not checked"),
        since=str(ready.get("lastTransitionTime") or ""),
    )
