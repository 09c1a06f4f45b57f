"""An object that several Applications deliver: they take it from one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.around import listed
from syncline.core.diagnose.graph import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.rules.ownership.shared_object import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_SHARED = re.compile(r"(?P<kind>\w+)/(?P<name>[\w.-]+) is part of applications (?P<apps>.+)")
_SHOWN = 5


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for the objects that the conditions of an app name as shared: one for each app it shares with.

    It keeps nobody from delivering: what fails for want of the app does not fail because of it.
    """
    for names, things in _shared(node).items():
        cause = things[0] if len(things) == 1 else Thing(cluster=things[0].cluster, outside="objects of", name=names)
        tell = partial(_finding, node, things, names)
        yield Fault(rule=RULE, state="OutOfSync", cause=cause, tell=tell, alone=True)


def _shared(node: Node) -> dict[str, list[Thing]]:
    """Return the shared objects by the apps that have them."""
    rows = {(one.key.kind, one.key.name): one for one, _row in node.fleet.managed(node.obj) if one.key is not None}
    found: dict[str, list[Thing]] = {}
    for one in apps.status(node.obj).get("conditions") or ():
        said = _SHARED.search(str(one.get("message") or "")) if one.get("type") == "SharedResourceWarning" else None
        if said is not None:
            name = (said["kind"], said["name"])
            where = node.fleet.destination(node.obj).name
            thing = rows.get(name) or Thing(cluster=where, outside="object", name="/".join(name))
            apart = (one.removeprefix(f"{node.key.namespace}/") for one in said["apps"].split(" and "))
            found.setdefault(" and ".join(sorted(apart)), []).append(thing)
    return found


def _finding(node: Node, things: list[Thing], names: str) -> Finding:
    alone = len(things) == 1
    what = str(things[0]) if alone else f"{len(things)} objects"
    verb, them = ("is", "it") if alone else ("are", "them")
    which = "" if alone else f": {listed([str(one) for one in things])}"
    return RULE.finding(
        what if alone else f"{what} of {names}",
        f"{what} {verb} delivered by {names}, which overwrite one another{which}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=f"part of {names}", subject=node.key, path="status.conditions"),
            *(found for thing in things[:_SHOWN] for found in line(node.fleet, thing)),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(text=f"decide: which app keeps {them}, and take {them} out of the other's source"),
    )
