"""A sync failed on an object: by the words of the API server, what kept it from being applied."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.graph.applications import apps, refusing
from syncline.core.diagnose.graph.applications.apps import Refused
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.messages.refused_fields import RefusedField, exact_path, refused_fields
from syncline.core.diagnose.rules.live.sync_failed import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_SERVICE = GroupKind("", "Service")


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
        verb, now = ("was", "it is") if len(first.objects) == 1 else ("were", "they are")
        message = f"the sync of {names[0]} failed while {what} {verb} not healthy; {now} healthy now"
    else:
        message = (
            f"the syncs of {listed(names)} failed while some of their objects were not healthy; they are healthy now"
        )
    return RULE.finding(
        first.app.name if len(parts) == 1 else f"{len(parts)} Applications",
        message,
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=f"{key.short}: {one.said}", subject=key)
            for one in parts
            for key in one.objects
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
        fix=_fix(node, one, thing),
    )


def _fix(node: Node, one: Refused, thing: Thing) -> Fix:
    """Return what the message leaves to do: what the server would take, what is live, or who has what is taken."""
    fields = refused_fields(one.message)
    if len(fields) == 1 and not fields[0].missing:
        path = fields[0].path
        if "can not be less than" in one.message or "cannot be decreased" in one.message:
            has = FieldPath.parse(path).resolve(node.fleet.find(thing) or {})
            if has is not MISSING:
                return rewrite(node.fleet, thing, path, has, "as it is live; a volume cannot shrink")
        if "port is already allocated" in one.message:
            return Fix(
                text=f"decide: another {path}, or none, so that the cluster chooses one{_taken(node, thing, path)}"
            )
        exact = _exact(node, thing, fields[0])
        meant = nearest(str(_written(node, thing, exact)), fields[0].supported)
        if meant:
            return rewrite(node.fleet, thing, exact, meant[0])
    if fields:
        verb = "write" if all(field.missing for field in fields) else "correct"
        return Fix(text=f"decide: {verb} {listed([field.path for field in fields])} in Git, then commit")
    return Fix(text="decide by the message: correct the object in Git, then commit")


def _written(node: Node, thing: Thing, path: str) -> Any:
    desired = node.fleet.desired(thing)
    return FieldPath.parse(path).resolve(desired[1].obj) if desired is not None else MISSING


def _exact(node: Node, thing: Thing, one: RefusedField) -> str:
    return exact_path(one, _written(node, thing, one.path))


def _taken(node: Node, thing: Thing, path: str) -> str:
    """Return which Service has the node port that is wanted."""
    port = _written(node, thing, path)
    cluster = node.fleet.destination(node.obj)
    for key, obj in cluster.of_kind(_SERVICE):
        ports = (obj.get("spec") or {}).get("ports") or ()
        if key != thing.key and any(one.get("nodePort") == port for one in ports):
            return f"; {key.short} in {key.namespace} has {port}"
    return ""


def _lines(node: Node, thing: Thing, message: str) -> Iterator[Evidence]:
    """Yield the lines of the fields that the server names; of one that is missing, of what it belongs to."""
    fields = refused_fields(message)
    for one in fields:
        yield from line(node.fleet, thing, _exact(node, thing, one), f"{one.path} is missing" if one.missing else "")
    if not fields:
        yield from line(node.fleet, thing)


def _whole(node: Node, message: str) -> Finding:
    return RULE.finding(
        node.key.name,
        f"the sync of {node.key.name} failed: {message}",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=message, subject=node.key)],
        fix=Fix(text="decide by the message; then sync again", command=f"syncline app sync {node.key.name}"),
    )
