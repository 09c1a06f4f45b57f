"""Something is bad for a while, and nothing that was read explains why: said, rather than left out or guessed."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.symptoms import state_of
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="LIV-201",
    name="unexplained",
    severity=Severity.WARNING,
    summary="Something is wrong, and nothing that could be read explains why.",
    fix="read more of the cluster: Events, logs, or the kinds that may not be read",
    looks_at=(LooksAt.LIVE,),
    why="It has been like this longer than a start takes. Often the explanation has expired (Events last an hour) or "
    "may not be read; a guess would send people the wrong way.",
)


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an Application of which nothing else is said."""
    state = state_of(node.obj)
    if state and not apps.is_starting(node):
        yield Fault(rule=RULE, state=state, weak=True)


def finding(thing: Thing, state: str) -> Finding:
    """Return the finding about something bad without a known reason."""
    name = thing.key.short if thing.key is not None else thing.name
    return RULE.finding(
        str(thing),
        f"{thing} is {state}, and nothing that was read explains why",
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: check {name} with its Events and logs, or run with more permissions"),
    )
