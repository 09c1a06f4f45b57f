"""A sync failed on an object: by the words of the API server, what kept it from being applied."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import apps, refusing
from syncline.core.diagnose.graph.apps import Refused
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.refused_fields import refused_fields
from syncline.core.diagnose.rules.live.sync_failed import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused in words that no other rule knows."""
    told = False
    for one in apps.refused(node.obj):
        told = True
        if not one.hook and not refusing.is_known(one.message):
            thing = Thing(cluster=node.fleet.destination(node.obj).name, key=one.key)
            yield Fault(rule=RULE, state="sync Failed", cause=thing, tell=partial(_finding, node, one, thing))
    # Where no row tells, the words of the whole operation do.
    message = str(apps.status(node.obj, "operationState").get("message") or "")
    if not told and apps.is_failing(node.obj) and message and not refusing.is_known(message):
        yield Fault(rule=RULE, state="sync Failed", tell=lambda: _whole(node, message), weak=True)


def _finding(node: Node, one: Refused, thing: Thing) -> Finding:
    return RULE.finding(
        one.key.short,
        f"{one.key.short} of {node.key.name} cannot be applied: {one.message}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key),
            *_lines(node, thing, one.message),
        ],
        fix=Fix(text="decide by the message: correct the object in Git, then commit"),
    )


def _lines(node: Node, thing: Thing, message: str) -> Iterator[Evidence]:
    """Yield the lines of the fields that the server names; of one that is missing, of what it belongs to."""
    fields = refused_fields(message)
    for one in fields:
        yield from line(node.fleet, thing, one.path, f"{one.path} is missing" if one.missing else "")
    if not fields:
        yield from line(node.fleet, thing)


def _whole(node: Node, message: str) -> Finding:
    return RULE.finding(
        node.key.name,
        f"the sync of {node.key.name} failed: {message}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=message, subject=node.key)],
        fix=Fix(text="decide by the message; then sync again", command=f"syncline app sync {node.key.name}"),
    )
