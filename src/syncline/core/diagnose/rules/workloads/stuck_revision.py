"""A StatefulSet does not roll out its new revision, because pods of the old one are broken."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.around import listed
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.revisions import stuck_pods
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-007",
    name="stuck-revision",
    severity=Severity.WARNING,
    summary="A StatefulSet's pods are broken in an old revision, which keeps the new one from being rolled out.",
    fix="delete the broken pods: they come back in the new revision",
    looks_at=(LooksAt.LIVE,),
    why="Pods are replaced one after the other, and the next only once the one before is ready. A pod that cannot get "
    "ready in its old revision therefore keeps the repair from arriving; with OnDelete nothing is ever replaced.",
)


@on_node(RULE, GroupKind("apps", "StatefulSet"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a StatefulSet with broken pods of a former revision."""
    found = stuck_pods(node)
    if found:
        yield Fault(rule=RULE, state="stuck revision", tell=lambda: _finding(node, found))


def _finding(node: Node, found: list[ObjectKey]) -> Finding:
    status = node.obj.get("status") or {}
    names = [key.name for key in found]
    return RULE.finding(
        str(node.thing),
        f"{listed(names)} of {node.thing} run an old revision and are not ready, so {status.get('updateRevision')} "
        "is not rolled out",
        evidence=[
            Evidence(
                kind=EvidenceKind.FIELD,
                text=f"currentRevision {status.get('currentRevision')}, updateRevision {status.get('updateRevision')}",
                subject=node.key,
                path="status",
            )
        ],
        fix=Fix(
            text="they come back in the new revision",
            command=f"kubectl delete pod -n {node.key.namespace} {' '.join(names)}",
        ),
    )
