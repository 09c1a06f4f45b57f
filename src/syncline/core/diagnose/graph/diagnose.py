"""The answer to "what is wrong with all of these?": from a frozen fleet to a few causes, ranked, with what to do first.

Called by whoever has a `syncline.model.fleet.FleetSnapshot`. Pure: the same snapshot gives the same answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from syncline.core.diagnose import engine, node_registry
from syncline.core.diagnose.graph import afterwards, causes, chains, joined, repairs, ruled_out, ways
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.causes import Cause, Graph, Vertex
from syncline.core.diagnose.graph.judge import Judge
from syncline.core.diagnose.graph.symptoms import ALL_THE_SAME, Symptom, Symptoms, symptoms, symptoms_of
from syncline.core.diagnose.graph.view.fleet import FleetIndex, part
from syncline.core.diagnose.monitoring.beside import with_monitoring
from syncline.core.diagnose.monitoring.labels import alerted
from syncline.core.diagnose.rules.live import unexplained
from syncline.model.diagnosis import Diagnosis, RootCause, Thing
from syncline.model.finding import Finding, Severity
from syncline.model.fleet import FleetSnapshot

_Told = tuple[Cause, tuple[str, ...], Finding]
_DIGITS = 8
_PLACES = 12
"""Of so many places that show one cause the lines are told."""
_BADNESS = {severity: rank for rank, severity in enumerate(Severity)}


def diagnose(snapshot: FleetSnapshot, about: Thing | None = None) -> Diagnosis:
    """Return the causes of all that is not in order in a fleet, or of what is wrong with one thing in it."""
    fleet = FleetIndex(snapshot)
    judge = Judge(fleet, node_registry.CHECKS)
    seen = symptoms(judge) if about is None else symptoms_of(judge, about)
    graph = causes.explored(judge, (one.thing for one in seen.found))
    seen = _without_last_resorts(graph, seen, fleet.remembered(alerted))
    names_of = {one.thing: one.name for one in seen.found if one.counted}
    reached = [(cause, _named(cause.reached, names_of)) for cause in graph.causes]
    told = [
        (cause, _named(_holding(graph, cause, names_of), names_of), finding_of(graph, cause))
        for cause in graph.causes
        if cause.told
    ]
    ranked = sorted(
        told, key=lambda one: (-_hits(one[0], one[1], seen), _BADNESS[one[2].severity], _place(one[0]), one[2].message)
    )
    ids = {id(cause): _id(cause, fleet.home.name) for cause, _names, _finding in ranked}
    behind = _next_in_line(graph, ranked)
    rows = tuple(
        RootCause(
            id=ids[id(cause)],
            rank=rank,
            thing=cause.thing,
            finding=finding,
            affected=names,
            removes=_removed(cause, names_of) if cause.fault.removes else (),
            later=tuple(name for name in _named(cause.reached, names_of) if name not in names),
            chain=chains.chain(graph, cause, _holding(graph, cause, names_of)),
            next_in_line=tuple(f"{ids[id(other)]}: {finding.message}" for other, finding in behind.get(id(cause), ())),
            assumptions=cause.fault.assumes,
            afterwards=afterwards.commands(fleet, graph, cause, _holding(graph, cause, names_of)),
        )
        for rank, (cause, names, finding) in enumerate(ranked, start=1)
    )
    untold = [(cause, names) for cause, names in reached if not cause.told]
    left = _left(seen.found, graph)
    starting = tuple(one.name for one in left if apps.is_starting(judge.node(one.thing)))
    lost = tuple(one for one in left if one.name not in starting)
    good = seen.good
    needs = _needs(((ids.get(id(cause), ""), found) for cause, found in reached), (one.name for one in left))
    removed = {row.id: row.removes for row in rows}
    answer = Diagnosis(
        as_of=snapshot.as_of,
        origin=snapshot.origin,
        total=seen.total,
        good=good,
        counts=seen.counts,
        causes=rows,
        repairs=repairs.repairs([row.id for row in rows], needs, good, removed),
        ruled_out=ruled_out.ruled_out(judge, graph),
        unexplained=(*_unexplained(untold), *_unexplained_symptoms(lost), *judge.failures),
        untold=tuple(sorted({name for _cause, names in untold for name in names} | {one.name for one in lost})),
        starting=starting,
        ways=_ways(graph, ranked, names_of),
        unread=_unread(fleet),
        objects=sum(len(cluster.objects) for cluster in fleet.clusters),
    )
    held = {ids[id(cause)]: frozenset(thing for thing, _position in cause.reached) for cause, _names, _f in ranked}
    return with_monitoring(answer, fleet, held, frozenset(names_of)) if about is None else answer


def not_serving(snapshot: FleetSnapshot) -> frozenset[str]:
    """Return the Applications that are Synced and Healthy and not in order all the same, as namespace/name."""
    found = symptoms(Judge(FleetIndex(snapshot), node_registry.CHECKS)).found
    return frozenset(one.name for one in found if one.state in ALL_THE_SAME)


def _without_last_resorts(graph: Graph, seen: Symptoms, hurt: frozenset[Thing]) -> Symptoms:
    """Drop causes that are named for want of another where an alert has one, and what only they make a symptom."""
    needed = [cause for cause in graph.causes if not cause.fault.last]
    explained = {thing for cause in needed for thing, _position in cause.reached}
    unsolved = hurt - explained
    needed += [one for one in graph.causes if one.fault.last and any(thing in unsolved for thing, _at in one.reached)]
    if len(needed) == len(graph.causes):
        return seen
    kept = {thing for cause in needed for thing, _position in cause.reached}
    gone = {thing for cause in graph.causes for thing, _position in cause.reached} - kept
    graph.causes[:] = needed
    return Symptoms(tuple(one for one in seen.found if one.thing not in gone), seen.total)


def _named(vertices: Iterable[Vertex], names: Mapping[Thing, str]) -> tuple[str, ...]:
    return tuple(sorted({names[thing] for thing, _position in vertices if thing in names}))


def _ways(graph: Graph, ranked: list[_Told], names: Mapping[Thing, str]) -> dict[str, str]:
    """Return how each symptom shows the first of its causes; what is the cause itself says what is wrong with it."""
    found: dict[str, str] = {}
    for cause, symptoms_of_cause, finding in reversed(ranked):
        told = ways.ways(graph, cause, _holding(graph, cause, names), names)
        found.update({name: told.get(name, finding.message) for name in symptoms_of_cause})
    return dict(sorted(found.items()))


def _holding(graph: Graph, cause: Cause, names: Mapping[Thing, str]) -> Mapping[Vertex, None]:
    """Return what a cause holds up now; what will meet it only later where that leads to no symptom."""
    now = causes.following(graph, cause)
    return now if any(thing in names for thing, _position in now) else cause.reached


def _removed(cause: Cause, names: Mapping[Thing, str]) -> tuple[str, ...]:
    return tuple(names[thing] for thing, _position in cause.roots if thing in names)


def finding_of(graph: Graph, cause: Cause) -> Finding:
    """Return what a cause tells, with the lines of all places that show it."""
    fault = cause.fault
    try:
        if fault.together is not None:
            return fault.together(cause.parts)
        assert fault.tell is not None  # noqa: S101 - only causes that can be told are asked
        others = [graph.faults[vertex].tell for vertex in sorted(cause.roots, key=causes.position_of)]
        found = [tell() for tell in others[:_PLACES] if tell is not None and tell is not fault.tell]
        return joined.with_places(fault.tell(), found)
    except Exception as error:  # noqa: BLE001 - one broken rule must not take the others' findings along
        return engine.failed(fault.rule, str(cause.thing), error)


def _left(found: Iterable[Symptom], graph: Graph) -> list[Symptom]:
    """Return the symptoms that lead nowhere: nothing is bad about them but how they are counted."""
    explained = {thing for cause in graph.causes for thing, _position in cause.reached}
    return [one for one in found if one.thing not in explained]


def _hits(cause: Cause, names: tuple[str, ...], seen: Symptoms) -> int:
    """Return how much a cause holds up: Applications, and sets that fail."""
    uncounted = {one.thing for one in seen.found if not one.counted}
    return len(names) + len(uncounted & {thing for thing, _position in cause.reached} if uncounted else ())


def _place(cause: Cause) -> tuple[str, str, str]:
    thing = cause.known_by
    return thing.cluster, str(thing.key or ""), f"{thing.outside} {thing.name}"


def _id(cause: Cause, home: str) -> str:
    """Return what a cause is known by: made of what is bad and where, so that it stays while that does.

    Whoever looks calls the home cluster by a context, or by the folder of a dump: that does not count.
    """
    cluster, *place = _place(cause)
    parts = (
        "" if cluster == home else cluster,
        *place,
        str(cause.known_by.absent),
        cause.fault.rule.code,
        cause.fault.about,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def _next_in_line(graph: Graph, ranked: list[_Told]) -> dict[int, list[tuple[Cause, Finding]]]:
    """Return for each cause those that something which waits for it will meet next."""
    waiting = {effect for effects in graph.later.values() for effect in effects}
    holders: dict[Vertex, list[Cause]] = {}
    for cause, _names, _finding in ranked:
        for vertex in cause.reached.keys() & waiting:
            holders.setdefault(vertex, []).append(cause)
    found: dict[int, list[tuple[Cause, Finding]]] = {}
    for other, _names, finding in ranked:
        ahead = {effect for vertex in other.reached for effect in graph.later.get(vertex, ())}
        held = {id(cause) for vertex in ahead for cause in holders.get(vertex, ()) if cause is not other}
        for cause_id in held:
            found.setdefault(cause_id, []).append((other, finding))
    return found


def _needs(causes_of: Iterable[tuple[str, tuple[str, ...]]], left: Iterable[str]) -> dict[str, set[str]]:
    """Return which causes hold up each symptom; something unexplained is one that is never repaired."""
    found: dict[str, set[str]] = {}
    for cause, names in causes_of:
        for name in names:
            found.setdefault(name, set()).add(cause)
    for name in left:
        found.setdefault(name, set()).add("")
    return found


def _unexplained_symptoms(left: Iterable[Symptom]) -> list[Finding]:
    return [unexplained.finding(one.thing, one.state) for one in left]


def _unexplained(untold: list[tuple[Cause, tuple[str, ...]]]) -> list[Finding]:
    found = []
    for cause, names in sorted(untold, key=lambda one: (-len(one[1]), _place(one[0]))):
        finding = unexplained.finding(cause.thing, cause.fault.state)
        found.append(msgspec.structs.replace(finding, count=max(len(names), 1)))
    return found


def _unread(fleet: FleetIndex) -> tuple[str, ...]:
    """Return what could not be looked at, cluster by cluster."""
    found = []
    several = len(fleet.clusters) > 1
    for cluster in fleet.clusters:
        start = f"{cluster.name}: " if several else ""
        if cluster.snapshot.problem:
            found.append(f"{cluster.name}: {cluster.snapshot.problem}")
        found += [f"{start}{kind}" for kind in cluster.snapshot.unreadable]
    lost = {name for app in fleet.apps.values() if fleet.destination(app) is fleet.nowhere and (name := _destined(app))}
    return (*found, *(f"cluster {name}: not read" for name in sorted(lost)))


def _destined(app: Mapping[str, object]) -> str:
    wanted = part(app, "spec", "destination")
    return str(wanted.get("name") or wanted.get("server") or "")
