"""How a cause shows in each symptom, in one sentence: the nearest thing that is bad, what it waits for, and the cause.

Called by `syncline.core.diagnose.graph.diagnose` for each cause, the first one first. The server shows the sentence
beside each Application, where the cluster's own words often only name objects.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.core.diagnose.graph.causes import Cause, Graph, Vertex, position_of
from syncline.core.diagnose.graph.chains import depths
from syncline.model.diagnosis import Thing

_PASSED_ON = ("ReplicaSet", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget")
"""What stands between a workload and its pods, or beside it, and tells people nothing of its own."""


def ways(graph: Graph, cause: Cause, followed: Mapping[Vertex, None], names: Mapping[Thing, str]) -> dict[str, str]:
    """Return a sentence for each symptom that a cause holds up; none for a symptom that is the cause itself."""
    depth = depths(graph, cause.roots, followed)
    above: dict[Vertex, list[Vertex]] = {}
    for vertex in followed:
        for effect in graph.effects.get(vertex, ()):
            if effect in followed:
                above.setdefault(effect, []).append(vertex)
    found: dict[str, str] = {}
    for vertex in sorted(followed, key=position_of):
        name = names.get(vertex[0])
        if name is None or name in found:
            continue
        if between := _between(vertex, above, depth, cause):
            found[name] = _sentence(graph, between, cause)
        elif vertex[0] != cause.thing and vertex not in cause.roots:
            found[name] = f"held up by {_short(cause.thing)}"
    return found


def _between(
    vertex: Vertex, above: Mapping[Vertex, list[Vertex]], depth: Mapping[Vertex, int], cause: Cause
) -> list[Vertex]:
    """Return what stands between a symptom and the cause on the longest way, nearest to the symptom first."""
    way: list[Vertex] = []
    here, roots = vertex, set(cause.roots)
    while further := [one for one in above.get(here, ()) if one not in way and one != vertex]:
        here = max(further, key=lambda one: (depth[one], position_of(one)))
        if here in roots or here[0] == cause.thing:
            break
        way.append(here)
    return way


def _sentence(graph: Graph, between: list[Vertex], cause: Cause) -> str:
    telling = [one for one in between if _kind(one) not in _PASSED_ON] or between
    nearest = telling[0]
    absent = next((one for one in telling if one[0].absent), None)
    pod = next((one for one in telling if _kind(one) == "Pod"), None)
    if absent is not None and absent != nearest:
        said = f"{_short(nearest[0])} waits for {_short(absent[0])}"
    elif pod is not None and pod != nearest:
        said = f"{_short(nearest[0])}: its pod is {graph.faults[pod].state}"
    else:
        said = f"{_short(nearest[0])}: {graph.faults[nearest].state}"
    return f"{said}, because of {_short(cause.thing)}"


def _kind(vertex: Vertex) -> str:
    key = vertex[0].key
    return key.kind if key is not None else ""


def _short(thing: Thing) -> str:
    return thing.key.short if thing.key is not None else str(thing)
