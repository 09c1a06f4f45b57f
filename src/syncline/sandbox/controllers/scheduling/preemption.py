"""Chooses which less important pods make room for a pod, and sends them away.

Called by `syncline.sandbox.controllers.scheduling.scheduler` when a pod fits nowhere. Simple: the node whose most
important victim is the least important is taken, then the one with the fewest victims.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.scheduling import placement
from syncline.sandbox.controllers.scheduling.placement import Around, PodRequest
from syncline.sandbox.controllers.views import NodeView, PodView
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import RowKey


class Victim(NamedTuple):
    """A pod that may be sent away."""

    place: RowKey
    labels: Mapping[str, str]
    view: PodView


def choose(wanted: PodRequest, below: dict[str, list[Victim]], around: Around) -> tuple[str, list[Victim]] | None:
    """Return the node to clear and whom to send away from it, or None when nothing helps."""
    best: tuple[tuple[int, int, str], list[Victim]] | None = None
    for node in around.nodes:
        victims = _victims(wanted, node, below.get(node.name, []), around)
        if victims:
            rank = (max(one.view.priority for one in victims), len(victims), node.name)
            if best is None or rank < best[0]:
                best = (rank, victims)
    return None if best is None else (best[0][2], best[1])


def _victims(wanted: PodRequest, node: NodeView, below: list[Victim], around: Around) -> list[Victim]:
    """Return as few pods as it takes, the least important first; none when even all would not do."""
    chosen: list[Victim] = []
    used = dict(around.used.get(node.name, {}))
    for victim in sorted(below, key=lambda one: (one.view.priority, one.place)):
        chosen.append(victim)
        for name, amount in victim.view.requests.items():
            used[name] = used.get(name, 0) - amount
        left = [
            one
            for one in around.neighbours
            if one.node != node.name or not any(one.labels is gone.labels for gone in chosen)
        ]
        ports = around.ports.get(node.name, set()) - {port for one in chosen for port in one.view.ports}
        cleared = Around(
            nodes=around.nodes,
            used={**around.used, node.name: used},
            neighbours=left,
            ports={**around.ports, node.name: ports},
            volumes=around.volumes,
        )
        if not placement.refusals(wanted, node, cleared):
            return chosen
    return []


def carry_out(client: Client, pod: Object, node: str, victims: list[Victim]) -> None:
    """Send the victims away and note the node the pod is meant for."""
    for victim in victims:
        gone = client.get(victim.place)
        if gone is None:
            continue
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "lastTransitionTime": client.backend.timestamp(),
            "reason": "PreemptionByScheduler",
            "message": "default-scheduler: preempting to accommodate a higher priority pod",
        }
        status = dict(gone.get("status") or {})
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), condition)
        gone = client.set_status(gone, status)
        text = f"Preempted by pod {pod['metadata']['uid']} on node {node}"
        client.record(gone, "Normal", "Preempted", text)
        client.delete(gone)
    client.set_status(pod, {**(pod.get("status") or {}), "nominatedNodeName": node})
