"""A sync waits for an object: it is because of that object, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.applications.waves import first_consumers
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.live.sync_stuck import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a running sync that waits, and has for longer than a start takes."""
    what, things = apps.waited_for(node)
    if not things or first_consumers(node, things):
        return
    state = apps.status(node.obj, "operationState")
    young = apps.is_young(node, str(state.get("startedAt") or ""))
    yield Fault(
        rule=RULE,
        state="sync Running",
        because=tuple(things),
        tell=None if young else lambda: _finding(node, what, things),
    )


def _finding(node: Node, what: str, things: list[Thing]) -> Finding:
    state = apps.status(node.obj, "operationState")
    names = listed([str(thing) for thing in things])
    return RULE.finding(
        node.key.name,
        f"the sync of {node.key.name} waits for the {what} of {names}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=str(state.get("message") or ""), subject=node.key)],
        fix=Fix(
            text="decide: terminate the sync, which then applies nothing more, or fix what it waits for",
            command=f"syncline app terminate-op {node.key.name}",
        ),
        since=str(state.get("startedAt") or ""),
    )
