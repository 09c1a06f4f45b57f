"""An object that several Applications deliver: they take it from one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.rules.ownership.shared_object import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_SHARED = re.compile(r"(?P<kind>\w+)/(?P<name>[\w.-]+) is part of applications (?P<apps>.+)")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that the conditions of an app name as shared."""
    for one in apps.status(node.obj).get("conditions") or ():
        found = _SHARED.search(str(one.get("message") or "")) if one.get("type") == "SharedResourceWarning" else None
        if found is None:
            continue
        rows = (thing for thing, _row in node.fleet.managed(node.obj) if thing.key is not None)
        name = (found["kind"], found["name"])
        thing = next((row for row in rows if row.key is not None and (row.key.kind, row.key.name) == name), None)
        cause = thing or Thing(cluster=node.fleet.destination(node.obj).name, outside="object", name="/".join(name))
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=partial(_finding, node, cause, found["apps"]))


def _finding(node: Node, cause: Thing, names: str) -> Finding:
    return RULE.finding(
        str(cause),
        f"{cause} is delivered by {names}, which overwrite one another",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=f"part of {names}", subject=node.key, path="status.conditions"),
            *line(node.fleet, cause),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(text="decide: which app keeps it, and take it out of the other's source"),
    )
