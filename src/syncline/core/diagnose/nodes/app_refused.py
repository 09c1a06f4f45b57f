"""A sync failed on an object: by the words of the API server, what kept it from being applied."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.around import listed
from syncline.core.diagnose.graph import apps, refusing
from syncline.core.diagnose.graph.apps import Refused
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.refused_fields import refused_fields
from syncline.core.diagnose.rules.live.sync_failed import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


class _Over(msgspec.Struct, frozen=True):
    """An app whose sync failed at objects that are well by now, and what it failed at."""

    app: ObjectKey
    objects: tuple[ObjectKey, ...]
    said: str
    since: str


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that was refused in words that no other rule knows."""
    told = False
    where = node.fleet.destination(node.obj).name
    for one in apps.refused(node.obj):
        told = True
        if not one.hook and not refusing.is_known(one.message):
            thing = Thing(cluster=where, key=one.key)
            yield Fault(rule=RULE, state="sync Failed", cause=thing, tell=partial(_finding, node, one, thing))
    degraded = list(apps.failed_by_health(node.obj))
    if degraded:
        told = True
        yield _by_health(node, degraded, where)
    # Where no row tells, the words of the whole operation do.
    message = str(apps.status(node.obj, "operationState").get("message") or "")
    if not told and apps.is_failing(node.obj) and message and not refusing.is_known(message):
        yield Fault(rule=RULE, state="sync Failed", tell=lambda: _whole(node, message), weak=True)


def _by_health(node: Node, degraded: list[Refused], where: str) -> Fault:
    """Return the fault that follows from objects that were applied and Degraded; with those well, a sync is left."""
    things = tuple(Thing(cluster=where, key=one.key) for one in degraded)
    since = str(apps.status(node.obj, "operationState").get("finishedAt") or "")
    over = _Over(node.key, tuple(one.key for one in degraded), degraded[0].message, since)
    again = None if apps.is_retrying(node.obj) else _sync_again
    cause = Thing(cluster=node.fleet.home.name, outside="syncs", name="that failed at what is well by now")
    return Fault(
        rule=RULE, state="sync Failed", because=things, cause=cause, alone=node.thing, part=over, together=again
    )


def _sync_again(parts: Sequence[_Over]) -> Finding:
    names = [one.app.name for one in parts]
    first = parts[0]
    what = listed([key.short for key in first.objects])
    if len(parts) == 1:
        verb = "was" if len(first.objects) == 1 else "were"
        message = f"the sync of {names[0]} failed while {what} {verb} not healthy; that is over"
    else:
        message = f"the syncs of {listed(names)} failed while objects of theirs were not healthy; that is over"
    return RULE.finding(
        first.app.name if len(parts) == 1 else f"{len(parts)} Applications",
        message,
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.said, subject=key) for one in parts for key in one.objects
        ],
        fix=Fix(text="nothing else tries again", command=shlex.join(["syncline", "app", "sync", *names])),
        since=min(one.since for one in parts),
    )


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
