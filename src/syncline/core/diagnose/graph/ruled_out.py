"""What looks bad and is no cause: people should not spend time on it.

Called by `syncline.core.diagnose.graph.diagnose` after the causes are known.
"""

from __future__ import annotations

from collections import Counter

from syncline.core.diagnose.findings.wording import counted, one_or_many
from syncline.core.diagnose.graph.causes import Graph
from syncline.core.diagnose.graph.judge import Judge
from syncline.core.diagnose.graph.symptoms import ALERTING
from syncline.core.diagnose.graph.view.fleet import part
from syncline.core.health import events
from syncline.core.health.claims import CLAIM
from syncline.model.diagnosis import RuledOut, Thing

_SHOWN = 5
_PASSED_ON = {
    "HorizontalPodAutoscaler": (
        "autoscaler",
        "without metrics",
        "it measures pods that do not run",
        "they measure pods that do not run",
    ),
    "Service": (
        "Service",
        "without endpoints",
        "the pods behind it are not ready",
        "the pods behind them are not ready",
    ),
    "Ingress": (
        "Ingress",
        "without a backend",
        "the Service behind it has no endpoints",
        "the Services behind them have no endpoints",
    ),
}
"""What complains only because of what it looks at: its name, what it lacks, and why, for one and for several."""


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
    text = "1 volume claim is Pending" if waiting == 1 else f"{waiting} volume claims are Pending"
    whose = "its class waits" if waiting == 1 else "their class waits"
    return [RuledOut(text=text, because=f"{whose} for the first pod, which is itself blocked", count=waiting)]


def _effects(graph: Graph) -> list[RuledOut]:
    """Autoscalers and Services that complain only because what they look at does not run."""
    counts: Counter[str] = Counter()
    effects = {effect for below in graph.effects.values() for effect in below}
    for thing, position in graph.faults:
        # What an alert is about is an effect as well, and nothing that complains by itself.
        if thing.key is not None and (thing, position) in effects and graph.faults[thing, position].state != ALERTING:
            counts[thing.key.kind] += 1
    return [
        RuledOut(
            text=f"{counted(counts[kind], noun)} {lacks}",
            because=one_or_many(counts[kind], alone, together),
            count=counts[kind],
        )
        for kind, (noun, lacks, alone, together) in _PASSED_ON.items()
        if counts[kind]
    ]


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
            text=f"{counted(count, 'object')} with the warning {reason}",
            because="fine now",
            count=count,
        )
        for reason, count in counts.items()
    ]
