"""Objects of a kind that the cluster does not serve: because of the Application that should deliver its definition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.messages.refusals import KIND_MISSING
from syncline.core.diagnose.rules.ordering.kind_missing import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each group of kinds that is not served, because of its supplier."""
    told: set[str] = set()
    for one in refusing.said(node):
        if not _is_missing(node, one) or one.key.group in told or one.key.group_kind == APPLICATION:
            continue
        told.add(one.key.group)
        where = one.thing.cluster
        suppliers = _suppliers(node, where, one.key)
        apps = tuple(Thing(cluster=node.fleet.home.name, key=app) for app in suppliers if app != node.key)
        yield Fault(
            rule=RULE,
            state="sync Failed",
            because=apps,
            cause=Thing(cluster=where, outside="kinds", name=one.key.group),
            tell=partial(_finding, node, one, suppliers),
        )


def _is_missing(node: Node, one: Said) -> bool:
    """Whether a kind is not served at all; of one that Kubernetes has removed the manifest is too old."""
    return bool(KIND_MISSING.search(one.message)) and refusing.removed_version(node.fleet, one) is None


def _suppliers(node: Node, where: str, key: ObjectKey) -> list[ObjectKey]:
    """Return the Applications that would deliver the definition: by what they render, else by what they record."""
    return node.fleet.definers(where, key.group_kind) or node.fleet.recorded_definers(where, key.group)


def _finding(node: Node, one: Said, suppliers: list[ObjectKey]) -> Finding:
    kinds = sorted(
        {
            str(other.key.group_kind)
            for other in refusing.said(node)
            if other.key.group == one.key.group and _is_missing(node, other)
        }
    )
    names = [app.name for app in suppliers]
    who = f"{listed(names)} should deliver it" if names else "no Application that was read delivers it"
    return RULE.finding(
        one.key.group or one.key.kind,
        f"the cluster does not serve {listed(kinds)}: {who}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key),
            *line(node.fleet, one.thing),
        ],
        fix=Fix(text="sync what delivers it", command=f"syncline app sync {names[0]}")
        if names
        else Fix(text=f"decide: install what defines kinds of {one.key.group}, in an app of an earlier wave"),
        since=one.since,
    )
