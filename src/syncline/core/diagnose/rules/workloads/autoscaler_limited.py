"""An autoscaler wants more pods than it may make: those that run are overloaded."""

from __future__ import annotations

import math
from collections.abc import Iterator

from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.workloads.calls import AUTOSCALER
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-212",
    name="autoscaler-limited",
    severity=Severity.WARNING,
    summary="A HorizontalPodAutoscaler is at its maximum and would run more pods if it could.",
    fix="raise spec.maxReplicas, or let each pod take more",
    looks_at=(LooksAt.LIVE,),
    why="The load no longer fits the pods, which get slow, and whoever calls them reports timeouts. It is named only "
    "where something else shows that: an autoscaler may well be meant to stop there.",
)


@on_node(RULE, AUTOSCALER)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an autoscaler that says its maximum keeps it from making more pods."""
    limited = condition(node.obj, "ScalingLimited")
    if limited.get("status") == "True" and limited.get("reason") == "TooManyReplicas":
        yield Fault(rule=RULE, state="at its maximum", tell=lambda: _finding(node, limited))


def _load(node: Node) -> tuple[str, float]:
    """Return the metric that is furthest above its target, in words and as a ratio."""
    targets = {_name(one): one for one in (node.obj.get("spec") or {}).get("metrics") or ()}
    found = ("", 0.0)
    for one in (node.obj.get("status") or {}).get("currentMetrics") or ():
        name = _name(one)
        now = ((one.get("resource") or {}).get("current") or {}).get("averageUtilization")
        target = ((targets.get(name, {}).get("resource") or {}).get("target") or {}).get("averageUtilization")
        if isinstance(now, int) and isinstance(target, int) and target and now / target > found[1]:
            found = (f"{name} is at {now}% of the request, its target is {target}%", now / target)
    return found


def _name(metric: object) -> str:
    resource = metric.get("resource") if isinstance(metric, dict) else None
    return str(resource.get("name")) if isinstance(resource, dict) else ""


def _finding(node: Node, limited: dict[str, str]) -> Finding:
    most = (node.obj.get("spec") or {}).get("maxReplicas")
    words, ratio = _load(node)
    enough = math.ceil(int(most) * ratio) if isinstance(most, int) and ratio > 1 else 0
    about = f" ({enough} would meet the target)" if enough else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} is at its maximum of {most} replicas and would run more"
        f"{f': {words}' if words else ''}",
        evidence=[
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"ScalingLimited=True TooManyReplicas: {limited.get('message') or ''}".rstrip(": "),
                subject=node.key,
                path="status.conditions",
            ),
            *line(node.fleet, node.thing, "spec.maxReplicas"),
        ],
        fix=Fix(
            text=f"decide: raise spec.maxReplicas of {node.key.short} above {most}{about}, or let each pod take more"
        ),
        since=str(limited.get("lastTransitionTime") or ""),
    )
