"""The way from a cause down to the symptoms: how many things of which kind show it, and how.

Called by `syncline.core.diagnose.graph.diagnose` for each cause.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from syncline.core.diagnose.graph.causes import Cause, Graph, Vertex, position_of
from syncline.model.diagnosis import Link, Thing

_EXAMPLES = 5


def chain(graph: Graph, cause: Cause, followed: Mapping[Vertex, None]) -> tuple[Link, ...]:
    """Return the steps below a cause, nearest first; things that are the cause itself are no step."""
    far = depths(graph, cause.roots, followed)
    kinds: dict[str, dict[Thing, list[str]]] = {}
    deepest: dict[str, int] = {}
    for vertex in sorted(far, key=position_of):
        thing = vertex[0]
        if thing == cause.thing or _leads_only_to_apps(graph, vertex):
            continue
        kind = thing.key.kind if thing.key is not None else thing.outside
        kinds.setdefault(kind, {}).setdefault(thing, []).append(graph.faults[vertex].state)
        deepest[kind] = max(deepest.get(kind, 0), far[vertex])
    ordered = sorted(kinds, key=lambda kind: (deepest[kind], kind))
    return tuple(_link(kind, kinds[kind]) for kind in ordered)


def _leads_only_to_apps(graph: Graph, vertex: Vertex) -> bool:
    """Whether a Service or autoscaler is a dead end: workloads beside it tell people more."""
    key = vertex[0].key
    effects = graph.effects.get(vertex, ())
    passing = key is not None and key.kind in ("Service", "HorizontalPodAutoscaler", "PodDisruptionBudget")
    return (
        passing
        and bool(effects)
        and all(one[0].key is not None and one[0].key.kind == "Application" for one in effects)
    )


def _link(kind: str, things: Mapping[Thing, list[str]]) -> Link:
    states = Counter(states[0] for states in things.values())
    usual = min(states, key=lambda state: (-states[state], state))
    return Link(count=len(things), kind=kind, state=usual, examples=tuple(list(things)[:_EXAMPLES]))


def depths(graph: Graph, roots: Sequence[Vertex], followed: Mapping[Vertex, None]) -> dict[Vertex, int]:
    """Return how far each vertex is from the cause on its longest way; in a circle, on the way that was found."""
    before: Counter[Vertex] = Counter()
    for vertex in followed:
        before.update(one for one in graph.effects.get(vertex, ()) if one in followed)
    found = dict.fromkeys(roots, 0)
    waiting = deque(vertex for vertex in followed if not before[vertex])
    done: set[Vertex] = set()
    left = deque(followed)
    while waiting or left:
        vertex = waiting.popleft() if waiting else left.popleft()
        if vertex in done:
            continue
        done.add(vertex)
        depth = found.setdefault(vertex, 0)
        for effect in graph.effects.get(vertex, ()):
            if effect in followed and effect not in done:
                found[effect] = max(found.get(effect, 0), depth + 1)
                before[effect] -= 1
                if not before[effect]:
                    waiting.append(effect)
    return found
