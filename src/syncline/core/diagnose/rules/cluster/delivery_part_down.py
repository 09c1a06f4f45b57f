"""A part of Argo CD itself does not run: its repo-server, its redis or its controller."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import apps, complaining
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-203",
    name="delivery-part-down",
    severity=Severity.ERROR,
    summary="A component of Argo CD itself does not answer: its repo-server, its redis or its controller.",
    fix="bring that component up again; its pods say why it is down",
    looks_at=(LooksAt.LIVE,),
    why="All Applications are affected at once: they are Unknown, or their verdicts are stale. Nothing is wrong with "
    "the Applications, and nothing about them needs to change.",
)
_STALE = 3600.0
_PARTS = {"redis": ("redis", "redis-haproxy", "redis-ha-server"), "repo-server": ("repo-server",)}


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a complaint about a part, or for a verdict that is old while the controller is down."""
    for one in complaining.complaints(node):
        if one.about is About.PART:
            part = "redis" if "redis" in one.message or ":6379" in one.message else "repo-server"
            yield Fault(
                rule=RULE,
                state="Unknown",
                because=complaining.parts(node, *_PARTS[part]),
                cause=Thing(cluster=node.fleet.home.name, outside="part of Argo CD", name=part),
                tell=partial(_finding, node, one, part),
            )
    if _is_stale(node):
        yield Fault(rule=RULE, state="stale", because=complaining.parts(node, "application-controller"))


def _is_stale(node: Node) -> bool:
    age = node.cluster.age(str(apps.status(node.obj).get("reconciledAt") or ""))
    return age is not None and age > _STALE


def _finding(node: Node, one: Complaint, part: str) -> Finding:
    return RULE.finding(
        part,
        f"the {part} of Argo CD does not answer: {complaining.words(one.message)}",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions")],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: check the pods and the Service of {part}; those that were read show no problem"),
        since=one.since,
    )
