"""A field that cannot be changed on a live object differs in Git."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import refusing
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.graph.refusing import Said
from syncline.core.diagnose.refusals import IMMUTABLE
from syncline.core.diagnose.refused_fields import refused_fields
from syncline.core.diagnose.rules.ownership.immutable_change import RULE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because a field of it is immutable."""
    for one in refusing.said(node):
        if IMMUTABLE.search(one.message):
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one))


def _finding(node: Node, one: Said) -> Finding:
    where = f" in {one.key.namespace}" if one.key.namespace else ""
    return RULE.finding(
        one.key.short,
        f"{one.key.short}{where} of {node.key.name} cannot be changed as Git wants it: {one.message}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *_lines(node, one),
        ],
        fix=Fix(text="decide: take the change of that field back in Git"),
        options=[Fix(text=f"or delete {one.key.short} so that it is made again, with what that takes along")],
        since=one.since,
    )


def _lines(node: Node, one: Said) -> Iterator[Evidence]:
    """Yield the lines of the fields that the server names; of the object where it names none."""
    fields = [field.path for field in refused_fields(one.message)] or [""]
    for path in fields:
        yield from line(node.fleet, one.thing, path, path)
