"""From symptoms to causes: explores what is bad upstream of every symptom, and groups what has nothing bad before it.

Called by `syncline.core.diagnose.graph.diagnose`. Faults are the vertices: one thing may be bad in two ways for two
reasons. A circle of faults has no first one; then one of them stands for all, always the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncline.core.diagnose.graph.fault import Fault
from syncline.core.diagnose.graph.judge import Judge
from syncline.model.diagnosis import Thing

Vertex = tuple[Thing, int]
"""A thing, and which of its faults."""


@dataclass
class Cause:
    """Root faults that are one cause: where it is, what it is, and everything that follows from it.

    `known_by` is where it is as far as its id goes, whatever else joins it later.
    """

    thing: Thing
    fault: Fault
    roots: list[Vertex]
    known_by: Thing
    parts: tuple[Any, ...] = ()
    """What each root adds, where they tell it together; each once."""
    reached: dict[Vertex, None] = field(default_factory=dict)
    """What follows from it, and the roots themselves, those nearest first."""

    @property
    def told(self) -> bool:
        """Whether anything can be said about it."""
        return self.fault.told


@dataclass
class Graph:
    """What is bad, as far as symptoms lead: effects of each vertex, and the causes in no particular order."""

    faults: dict[Vertex, Fault] = field(default_factory=dict)
    effects: dict[Vertex, list[Vertex]] = field(default_factory=dict)
    """What follows from a fault now."""
    later: dict[Vertex, list[Vertex]] = field(default_factory=dict)
    """What would follow from a fault, once something else is repaired."""
    causes: list[Cause] = field(default_factory=list)


def explored(judge: Judge, symptoms: Iterable[Thing]) -> Graph:
    """Return the graph upstream of the symptoms, with its causes."""
    graph = Graph()
    roots = _walked(judge, symptoms, graph)
    for same in _grouped(graph, roots):
        graph.causes.append(_spread(graph, same))
    _break_circles(graph)
    return graph


def _walked(judge: Judge, symptoms: Iterable[Thing], graph: Graph) -> list[Vertex]:
    """Fill in what is bad upstream, and return the vertices with nothing bad before them."""
    waiting, seen, roots = deque(symptoms), set[Thing](), list[Vertex]()
    while waiting:
        thing = waiting.popleft()
        if thing in seen:
            continue
        seen.add(thing)
        for position, fault in enumerate(judge.faults(thing)):
            vertex = (thing, position)
            graph.faults[vertex] = fault
            above = [one for one in dict.fromkeys(fault.because) if one != thing and judge.spreads(one)]
            behind = [one for one in dict.fromkeys(fault.soon) if one != thing and judge.spreads(one)]
            for one in above:
                _link(judge, graph.effects, one, vertex)
            for one in behind:
                _link(judge, graph.later, one, vertex)
            waiting.extend(above)
            waiting.extend(behind)
            if not above:
                roots.append(vertex)
    return roots


def _link(judge: Judge, links: dict[Vertex, list[Vertex]], above: Thing, vertex: Vertex) -> None:
    for position, fault in enumerate(judge.faults(above)):
        if not fault.apart:
            links.setdefault((above, position), []).append(vertex)


def _grouped(graph: Graph, roots: Sequence[Vertex]) -> list[list[Vertex]]:
    """Return the roots, those of one cause together."""
    found: dict[tuple[Thing, str, str], list[Vertex]] = {}
    for vertex in roots:
        fault = graph.faults[vertex]
        found.setdefault((fault.cause or vertex[0], fault.rule.code, fault.about), []).append(vertex)
    return list(found.values())


def _spread(graph: Graph, roots: list[Vertex]) -> Cause:
    """Return a cause with all that follows from it."""
    first = min(roots, key=lambda vertex: (not graph.faults[vertex].told, position_of(vertex)))
    fault = graph.faults[first]
    ordered = (graph.faults[vertex] for vertex in sorted(roots, key=position_of))
    parts = tuple({str(one.part): one.part for one in ordered if one.part is not None}.values())
    place = fault.cause or first[0]
    shown = fault.alone if fault.alone is not None and len(parts) == 1 else place
    cause = Cause(shown, fault, roots, place, parts)
    waiting = deque(roots)
    while waiting:
        vertex = waiting.popleft()
        if vertex not in cause.reached:
            cause.reached[vertex] = None
            waiting.extend(graph.effects.get(vertex, ()))
            waiting.extend(graph.later.get(vertex, ()))
    return cause


def following(graph: Graph, cause: Cause) -> dict[Vertex, None]:
    """Return what follows from a cause now, without what would meet it only later; the roots come first."""
    found: dict[Vertex, None] = {}
    waiting = deque(cause.roots)
    while waiting:
        vertex = waiting.popleft()
        if vertex not in found:
            found[vertex] = None
            waiting.extend(graph.effects.get(vertex, ()))
    return found


def _break_circles(graph: Graph) -> None:
    reached = {vertex for cause in graph.causes for vertex in cause.reached}
    left = sorted(
        (vertex for vertex in graph.faults if vertex not in reached),
        key=lambda vertex: (not graph.faults[vertex].told, position_of(vertex)),
    )
    for vertex in left:
        if vertex not in reached:
            cause = _spread(graph, [vertex])
            reached |= cause.reached.keys()
            graph.causes.append(cause)


def position_of(vertex: Vertex) -> tuple[str, str, str, int]:
    """Return what vertices are sorted by, so that the same snapshot gives the same answer in whatever order it is."""
    thing, position = vertex
    return thing.cluster, str(thing.key or ""), f"{thing.outside} {thing.name} {thing.absent}", position
