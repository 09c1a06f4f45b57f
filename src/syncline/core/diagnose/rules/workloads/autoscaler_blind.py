"""An autoscaler that cannot work: no metrics, or nothing to scale. Mostly an effect."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.rules.cluster.api_service_down import API_SERVICE
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-206",
    name="autoscaler-blind",
    severity=Severity.WARNING,
    summary="A HorizontalPodAutoscaler gets no metrics, or finds nothing to scale.",
    fix="serve the metrics, set requests on the containers, or correct scaleTargetRef",
    looks_at=(LooksAt.LIVE,),
    why="The number of replicas stays as it is. If its pods do not run or the metrics API is down, that is the cause; "
    "if containers have no cpu request, utilisation cannot be computed.",
)
_NO_REQUEST = re.compile(r"missing request for (?P<resource>[\w.-]+)(?: in container (?P<container>[\w.-]+))?")
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
    gone = target is not None and node.cluster.is_absent(target)
    lines = line(node.fleet, node.thing, "spec.scaleTargetRef.name")
    missing = _NO_REQUEST.search(said)
    if gone and target is not None:
        problem, fix = f"{target.short} does not exist", _retarget(node, target)
    elif target is not None and missing is not None and (bare := _without(obj or {}, missing)):
        base, (name, at), resource = template(obj or {})[0], bare, missing["resource"]
        problem = f"container {name} of {target.short} has no {resource} request, so its utilisation cannot be computed"
        lines = line(node.fleet, node.at(target), f"{base}.{at}.name", f"container {name} has no requests.{resource}")
        field = f"resources.requests.{resource}"
        where = f"({field}) at {lines[0].place}" if lines and lines[0].place else f"({base}.{at}.{field})"
        fix = Fix(text=f"decide how much {resource} container {name} requests {where}")
    else:
        problem, fix = said, Fix(text="decide by the message: no fault was found in what serves the metric")
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} cannot scale: {problem}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions"),
            *lines,
        ],
        confidence=Confidence.TEXT,
        fix=fix,
        since=str(bad.get("lastTransitionTime") or ""),
    )


def _retarget(node: Node, target: ObjectKey) -> Fix:
    """Return the edit of the name where one workload can be meant; a name alone in a namespace is."""
    known = [key.name for key, _obj in node.cluster.of_kind(target.group_kind, target.namespace)]
    close = near(target.name, known) or (known if len(known) == 1 else [])
    if len(close) == 1:
        return rewrite(node.fleet, node.thing, "spec.scaleTargetRef.name", close[0])
    there = f" (there: {listed(close)})" if close else ""
    return Fix(text=f"decide: correct spec.scaleTargetRef{there}, or deliver {target.short}")


def _without(obj: Object, missing: re.Match[str]) -> tuple[str, str] | None:
    """Return the container that a message says has no request, and where it stands."""
    _base, spec = template(obj)
    for at, one in containers(spec):
        asked = (one.get("resources") or {}).get("requests") or {}
        if missing["resource"] not in asked and missing["container"] in (None, one.get("name")):
            return str(one.get("name")), at
    return None
