"""A CustomResourceDefinition that the API server does not serve: its names clash, or it is not established."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="ORD-201",
    name="definition-not-established",
    severity=Severity.ERROR,
    summary="A CustomResourceDefinition exists but is not served: its names are taken, or its schema is not accepted.",
    fix="correct the names or the schema, or remove the CRD that has the same names",
    looks_at=(LooksAt.LIVE,),
    why="Objects of its kind are refused as if the CRD were missing.",
)


@on_node(RULE, GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a definition that says it is not accepted or established."""
    for name in ("NamesAccepted", "Established", "NonStructuralSchema"):
        found = condition(node.obj, name)
        if found and found.get("status") == ("True" if name == "NonStructuralSchema" else "False"):
            yield Fault(rule=RULE, state=name, tell=partial(_finding, node, found))
            return


def _finding(node: Node, found: dict[str, str]) -> Finding:
    said = str(found.get("message") or found.get("reason") or "")
    return RULE.finding(
        node.key.short,
        f"{node.key.name} is not served: {said}",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions")],
        fix=Fix(text="decide: correct the definition by the message, or remove the one that has its names"),
        since=str(found.get("lastTransitionTime") or ""),
    )
