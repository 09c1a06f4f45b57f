"""An object was refused because an amount in it is not a quantity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.schema.quantities import unreadable
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.messages.refusals import BAD_QUANTITY
from syncline.core.diagnose.rules.sources.quantity_invalid import RULE, decision, right_form, words
from syncline.model.finding import Evidence, EvidenceKind, Finding


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused because of an amount."""
    for one in refusing.said(node):
        if BAD_QUANTITY.search(one.message):
            yield Fault(rule=RULE, state="sync Failed", cause=one.thing, tell=partial(_finding, node, one))


def _finding(node: Node, one: Said) -> Finding:
    desired = node.fleet.desired(one.thing)
    found = list(unreadable(desired[1].obj)) if desired is not None else []
    path, text = found[0] if found else ("", "")
    form = right_form(path, text) if path else ""
    said = "; ".join(words(at, value, right_form(at, value)) for at, value in found)
    return RULE.finding(
        one.key.short,
        f"{one.key.short} of {node.key.name}: {said or f'an amount is not a quantity: {one.message}'}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *(line_ for at, _value in found for line_ in line(node.fleet, one.thing, at)),
            *([] if found else line(node.fleet, one.thing)),
        ],
        fix=rewrite(node.fleet, one.thing, path, form) if form and len(found) == 1 else decision(path),
        since=one.since,
    )
