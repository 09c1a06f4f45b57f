"""Objects cannot be made because their namespace does not exist, or is on its way out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.rules.applications.namespace_absent import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, *refusing.SUBJECTS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each namespace that was not there, because of the namespace where it is being deleted."""
    for one in refusing.said(node):
        missing = refusing.NO_NAMESPACE.search(one.message)
        leaving = refusing.TERMINATING.search(one.message)
        name = (missing["namespace"] if missing else (leaving["namespace"] if leaving else "")) or one.key.namespace
        if (missing or leaving) and name:
            key = ObjectKey("", "Namespace", "", name)
            yield Fault(
                rule=RULE,
                state="sync Failed" if one.by_sync else "FailedCreate",
                because=(Thing(cluster=one.thing.cluster, key=key),) if leaving else (),
                cause=Thing(cluster=one.thing.cluster, key=key, absent=True),
                tell=partial(_finding, node, one, name, deleted=bool(leaving)),
            )


def _finding(node: Node, one: Said, name: str, *, deleted: bool) -> Finding:
    spec = node.obj.get("spec") or {}
    target = str((spec.get("destination") or {}).get("namespace") or "")
    word = "is being deleted" if deleted else "does not exist"
    own = name == target and not deleted
    return RULE.finding(
        f"Namespace/{name}",
        f"namespace {name} {word}; {one.key.short} of {node.key.name} cannot be created",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, one.thing),
        ],
        fix=Fix(
            text="if it should be there",
            command=f"syncline app set {node.key.name} --sync-option CreateNamespace=true",
        )
        if own
        else Fix(text=f"decide: deliver namespace {name}, or name one that exists"),
        since=one.since,
    )
