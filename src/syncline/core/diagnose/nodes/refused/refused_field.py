"""A field that the schema of a kind does not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line, rename
from syncline.core.diagnose.messages.refusals import UNKNOWN_FIELD
from syncline.core.diagnose.rules.sources.undeclared_field import RULE, fields_at
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because of an unknown field."""
    for one in refusing.said(node):
        found = UNKNOWN_FIELD.search(one.message)
        if found is not None:
            field = found["path"] or found["quoted"]
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one, field))


def _fix(node: Node, one: Said, field: str) -> Fix:
    """Return the edit that writes the field that must be meant, where the kind has one that is near."""
    desired = node.fleet.desired(one.thing)
    above, _dot, name = field.rpartition(".")
    near = nearest(name, fields_at(desired[1].obj, above)) if desired is not None else []
    if near:
        return rename(node.fleet, one.thing, field, near[0])
    return Fix(text=f"decide: spell {field} as its schema does, or delete it")


def _finding(node: Node, one: Said, field: str) -> Finding:
    return RULE.finding(
        one.key.short,
        f"{one.key.short} of {node.key.name} has the field {field}, which its kind does not have",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, one.thing, field),
        ],
        fix=_fix(node, one, field),
        since=one.since,
    )
