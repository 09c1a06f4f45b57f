"""An autoscaler that cannot work: no metrics, or nothing to scale. Mostly an effect."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.pods import containers, template
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.live.api_service_down import API_SERVICE
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-206",
    name="autoscaler-blind",
    severity=Severity.WARNING,
    summary="A HorizontalPodAutoscaler gets no metrics, or finds nothing to scale.",
    fix="serve the metrics, give containers requests, or correct scaleTargetRef",
    looks_at=(LooksAt.LIVE,),
    why="The number of replicas stays as it is. Where its pods do not run or the metrics API is down, those are the "
    "cause; where containers ask for no cpu, utilisation cannot be computed.",
)
_METRICS = ObjectKey("apiregistration.k8s.io", "APIService", "", "v1beta1.metrics.k8s.io")


@on_node(RULE, GroupKind("autoscaling", "HorizontalPodAutoscaler"))
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an autoscaler that says it cannot scale, because of its target and the metrics API."""
    scaling, able = condition(node.obj, "ScalingActive"), condition(node.obj, "AbleToScale")
    bad = next((one for one in (able, scaling) if one.get("status") == "False"), None)
    if bad is None or bad.get("reason") == "ScalingDisabled":
        return
    yield Fault(
        rule=RULE,
        state=str(bad.get("reason") or "ScalingInactive"),
        because=tuple(_upstream(node)),
        tell=lambda: _finding(node, bad),
    )


def _upstream(node: Node) -> Iterator[Thing]:
    yield from (node.at(one.key) for one in read.references(node.obj))
    unserved = "could not find the requested resource" in str(condition(node.obj, "ScalingActive").get("message"))
    if unserved and node.cluster.is_absent(_METRICS) and node.cluster.was_read(API_SERVICE):
        yield node.missing(_METRICS)
    else:
        yield node.at(_METRICS)


def _finding(node: Node, bad: dict[str, str]) -> Finding:
    said = str(bad.get("message") or bad.get("reason") or "")
    target = next((one.key for one in read.references(node.obj)), None)
    obj = node.cluster.get(target) if target is not None else None
    _base, spec = template(obj or {})
    bare = [
        str(one.get("name"))
        for _at, one in containers(spec)
        if not ((one.get("resources") or {}).get("requests") or {}).get("cpu")
    ]
    gone = target is not None and node.cluster.is_absent(target)
    if gone and target is not None:
        problem, advice = f"{target.short} does not exist", "decide: correct spec.scaleTargetRef"
    elif bare and "missing request" in said:
        problem, advice = f"container {bare[0]} asks for no cpu", f"decide: give {bare[0]} a request for cpu"
    else:
        problem, advice = said, "decide by the message: what should serve the metric was not found to be bad"
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} cannot scale: {problem}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions"),
            *line(node.fleet, node.thing, "spec.scaleTargetRef"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=advice),
        since=str(bad.get("lastTransitionTime") or ""),
    )
