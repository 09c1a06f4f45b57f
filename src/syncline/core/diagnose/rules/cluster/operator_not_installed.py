"""An operator that the Operator Lifecycle Manager has not installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, conditions, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-210",
    name="operator-not-installed",
    severity=Severity.ERROR,
    summary="A Subscription has installed nothing: its catalogue is unhealthy, or its plan waits for approval.",
    fix="approve the install plan, or correct the Subscription's channel, source and version",
    looks_at=(LooksAt.LIVE,),
    why="The operator, its kinds and all objects of those kinds are missing until the Subscription is resolved.",
)
_GROUP = "operators.coreos.com"
_BAD = ("CatalogSourcesUnhealthy", "ResolutionFailed", "InstallPlanPending", "InstallPlanFailed", "InstallPlanMissing")


@on_node(RULE, GroupKind(_GROUP, "Subscription"), GroupKind(_GROUP, "ClusterServiceVersion"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a Subscription that is held up, because of its catalogue; and for a version that failed."""
    status = node.obj.get("status") or {}
    if node.key.kind == "ClusterServiceVersion":
        if status.get("phase") == "Failed":
            said = str(status.get("message") or status.get("reason") or "")
            yield Fault(rule=RULE, state="Failed", tell=partial(_finding, node, "the version failed", said))
        return
    spec = node.obj.get("spec") or {}
    source = ObjectKey(_GROUP, "CatalogSource", str(spec.get("sourceNamespace") or ""), str(spec.get("source") or ""))
    for one in conditions(node.obj):
        if one.get("type") in _BAD and one.get("status") == "True":
            kind, said = str(one["type"]), str(one.get("message") or one.get("reason") or "")
            tell = partial(_finding, node, kind, said)
            yield Fault(rule=RULE, state=kind, because=(node.at(source),), tell=tell)
            return


def _finding(node: Node, kind: str, said: str) -> Finding:
    plan = ((node.obj.get("status") or {}).get("installPlanRef") or {}).get("name")
    waits = kind == "InstallPlanPending" and plan
    approve = (
        f'kubectl patch installplan {plan} -n {node.key.namespace} --type merge -p \'{{"spec":{{"approved":true}}}}\''
    )
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} installs nothing: {kind}: {said}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=f"{kind}: {said}", subject=node.key, path="status.conditions"),
            *line(node.fleet, node.thing, "spec"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="after reviewing what it installs", command=approve)
        if waits
        else Fix(text="decide: correct channel, source or version of the Subscription by the message"),
    )
