"""A field that the schema of a kind does not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import refusing
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.graph.refusing import Said
from syncline.core.diagnose.refusals import UNKNOWN_FIELD
from syncline.core.diagnose.rules.sources.undeclared_field import RULE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because of an unknown field."""
    for one in refusing.said(node):
        found = UNKNOWN_FIELD.search(one.message)
        if found is not None:
            field = found["path"] or found["quoted"]
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one, field))


def _finding(node: Node, one: Said, field: str) -> Finding:
    return RULE.finding(
        one.key.short,
        f"{one.key.short} of {node.key.name} has the field {field}, which its kind does not have",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, one.thing, field),
        ],
        fix=Fix(text=f"decide: spell {field} as its schema does, or delete it"),
        since=one.since,
    )
