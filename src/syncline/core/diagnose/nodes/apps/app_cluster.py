"""A cluster that Applications are delivered to cannot be reached or does not accept the login: one cause for all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import apps, complaining
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.cluster.cluster_unreachable import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_LOGIN = re.compile(r"provide credentials|Unauthorized|x509|certificate|token", re.IGNORECASE)
_UNKNOWN = re.compile(r"has not been configured|no clusters with this name|unable to find destination|not found")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each complaint about the cluster."""
    for one in complaining.complaints(node):
        if one.about is About.CLUSTER:
            wanted = apps.spec(node.obj).get("destination") or {}
            name = str(wanted.get("name") or wanted.get("server") or "")
            cause = Thing(cluster=node.fleet.home.name, outside="cluster", name=name)
            yield Fault(rule=RULE, state="Unknown", cause=cause, tell=partial(_finding, node, one, name))


def _finding(node: Node, one: Complaint, name: str) -> Finding:
    if _UNKNOWN.search(one.message):
        problem, advice = "is not known", "decide: add it (syncline cluster add), or name one that is known"
    elif _LOGIN.search(one.message):
        problem, advice = "does not accept the login", "decide: renew the login in the cluster's Secret"
    else:
        problem, advice = "cannot be reached", "decide: repair the way to its API server, or the server"
    return RULE.finding(
        name,
        f"cluster {name} {problem}: {complaining.words(one.message)}",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions")],
        confidence=Confidence.TEXT,
        fix=Fix(text=advice),
        since=one.since,
    )
