"""What looks bad and is no cause: people should not spend time on it.

Called by `syncline.core.diagnose.graph.diagnose` after the causes are known.
"""

from __future__ import annotations

from collections import Counter

from syncline.core.diagnose.graph.causes import Graph
from syncline.core.diagnose.graph.fleet import part
from syncline.core.diagnose.graph.judge import Judge
from syncline.core.health import events
from syncline.core.health.claims import CLAIM
from syncline.model.diagnosis import RuledOut, Thing

_SHOWN = 5


def ruled_out(judge: Judge, graph: Graph) -> tuple[RuledOut, ...]:
    """Return what looks bad and is not a cause, most of it first."""
    found = [*_waiting_claims(judge), *_effects(graph), *_old_events(judge)]
    return tuple(sorted(found, key=lambda one: (-one.count, one.text))[:_SHOWN])


def _waiting_claims(judge: Judge) -> list[RuledOut]:
    """Claims that wait for their first pod: the pod is what to look at."""
    waiting = 0
    for cluster in judge.fleet.clusters:
        pending = [
            (key, claim)
            for key, claim in cluster.of_kind(CLAIM)
            if part(claim, "status").get("phase") == "Pending" and cluster.storage.waits_for_consumer(claim)
        ]
        for key, _claim in pending:
            users = (Thing(cluster=cluster.name, key=pod) for pod in cluster.pods_naming(key))
            waiting += any(judge.is_bad(pod) for pod in users)
    if not waiting:
        return []
    text = "a volume claim is Pending" if waiting == 1 else f"{waiting} volume claims are Pending"
    return [RuledOut(text=text, because="their class waits for the first pod, which is held up itself", count=waiting)]


def _effects(graph: Graph) -> list[RuledOut]:
    """Autoscalers and Services that complain only because what they look at does not run."""
    counts: Counter[str] = Counter()
    effects = {effect for below in graph.effects.values() for effect in below}
    for thing, position in graph.faults:
        if thing.key is not None and (thing, position) in effects:
            counts[thing.key.kind] += 1
    words = {
        "HorizontalPodAutoscaler": ("autoscaler{s} without metrics", "it measures pods that do not run"),
        "Service": ("Service{s} without endpoints", "the pods behind it are not ready"),
        "Ingress": ("Ingress{es} without a backend", "the Service behind it has no endpoints"),
    }
    return [
        RuledOut(text=f"{counts[kind]} {_plural(text, counts[kind])}", because=why, count=counts[kind])
        for kind, (text, why) in words.items()
        if counts[kind]
    ]


def _plural(text: str, count: int) -> str:
    return text.format(s="s" if count > 1 else "", es="es" if count > 1 else "")


def _old_events(judge: Judge) -> list[RuledOut]:
    """Warnings about objects that are good now."""
    counts: Counter[str] = Counter()
    for cluster in judge.fleet.clusters:
        for key, about in cluster.warned():
            obj = cluster.get(key)
            if obj is None or judge.is_bad(Thing(cluster=cluster.name, key=key)):
                continue
            counts.update(
                {
                    str(event.get("reason"))
                    for event in about
                    if event.get("type") == "Warning" and events.message(event)
                }
            )
    return [
        RuledOut(
            text=f"{count} object{'s' if count > 1 else ''} with the warning {reason}",
            because="good by now",
            count=count,
        )
        for reason, count in counts.items()
    ]
