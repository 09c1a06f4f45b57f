"""A container gets less CPU than it wants, as monitoring saw: it runs and is ready, and answers too late."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import moment
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.monitoring.alerts import firing
from syncline.core.diagnose.monitoring.labels import things
from syncline.core.diagnose.monitoring.series import jump
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-211",
    name="cpu-throttled",
    severity=Severity.WARNING,
    summary="A container is throttled by its CPU limit most of the time.",
    fix="raise resources.limits.cpu, or drop the limit and keep the request",
    looks_at=(LooksAt.LIVE,),
    why="Above its limit a container stands still until the next tenth of a second. It keeps running and stays ready, "
    "so only monitoring shows it, and whoever calls it reports timeouts.",
)
_WORD = "throttl"


class Seen(msgspec.Struct, frozen=True):
    """Which container of a pod is throttled, and what says so; every container where none is named."""

    container: str
    evidence: Evidence


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container with a CPU limit that an alert or a series says is throttled."""
    for seen in node.fleet.remembered(_throttled).get(node.thing, ()):
        for _at, container in containers(node.obj.get("spec") or {}):
            limit = ((container.get("resources") or {}).get("limits") or {}).get("cpu")
            name = str(container.get("name"))
            if limit is not None and seen.container in ("", name):
                yield Fault(
                    rule=RULE,
                    state="throttled",
                    cause=pods.workload(node),
                    about=name,
                    tell=partial(_finding, node, name, limit, seen.evidence),
                )


def _throttled(fleet: FleetIndex) -> dict[Thing, list[Seen]]:
    """Return the pods that alerts and series say are throttled."""
    found: dict[Thing, list[Seen]] = {}
    for alert in firing(fleet.snapshot.alerts, moment(fleet.snapshot.as_of)):
        if _WORD in f"{alert.name} {alert.words}".lower():
            seen = Evidence(kind=EvidenceKind.ALERT, text=str(alert), time=alert.since)
            for thing in things(alert.labels, fleet):
                found.setdefault(thing, []).append(Seen(alert.labels.get("container", ""), seen))
    for one in map(jump, fleet.snapshot.series):
        if one is not None and _WORD in one.name.lower() and one.after > one.before:
            seen = Evidence(kind=EvidenceKind.METRIC, text=str(one), time=f"{one.at:%Y-%m-%dT%H:%M:%SZ}")
            for thing in things(one.labels, fleet):
                found.setdefault(thing, []).append(Seen(one.labels.get("container", ""), seen))
    return found


def _finding(node: Node, container: str, limit: Any, seen: Evidence) -> Finding:
    owner = pods.workload(node)
    return RULE.finding(
        str(owner),
        f"{owner}: container {container} is throttled by its CPU limit of {limit}",
        evidence=[seen, *pods.container_line(node, owner, container, "resources.limits.cpu")],
        confidence=Confidence.DECLARED,
        fix=Fix(
            text=f"decide: raise resources.limits.cpu of {container} above {limit}, or drop it and keep the request"
        ),
        since=seen.time,
    )
