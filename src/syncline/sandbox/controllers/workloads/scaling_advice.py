"""How many pods a HorizontalPodAutoscaler wants, given what its pods are said to use.

Pure: called by `syncline.sandbox.controllers.workloads.horizontal`. Texts are the controller's own. Pods that are not
ready do not count, a tenth more or less than wished changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster.settings import Usage
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.workloads import readiness

USAGE: Final = "sandbox.syncline.io/usage"
_TOLERANCE: Final = 0.1
_API: Final = {
    "Resource": "unable to fetch metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)",
    "Pods": "unable to fetch metrics from custom metrics API: the server could not find the metric {name} for pods",
    "External": "unable to fetch metrics from external metrics API: "
    "the server could not find the requested resource (get {name}.external.metrics.k8s.io)",
}


class MetricProblem(Exception):
    """A metric cannot be read."""

    def __init__(self, reason: str, metric: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.metric = metric
        self.message = message


@dataclass(frozen=True, slots=True)
class Readings:
    """What is known of metrics, by name: a percentage of the request, or an amount in thousandths."""

    percent: Mapping[str, int] = field(default_factory=dict)
    amount: Mapping[str, int] = field(default_factory=dict)
    served: bool = True

    @classmethod
    def of(cls, annotation: str, usage: Iterable[Usage], *, served: bool) -> Readings:
        """Read the annotation of an autoscaler (`cpu=80%, memory=200Mi`) over what the settings say."""
        percent: dict[str, int] = {}
        amount: dict[str, int] = {}
        for one in usage:
            if one.percent is not None:
                percent.setdefault(one.metric, one.percent)
            elif one.value:
                amount.setdefault(one.metric, views.milli(one.value))
        for part in annotation.split(","):
            name, equals, value = part.strip().partition("=")
            if equals and value.endswith("%") and value[:-1].isdigit():
                percent[name] = int(value[:-1])
            elif equals:
                amount[name] = views.milli(value)
        return cls(percent, amount, served)


@dataclass(frozen=True, slots=True)
class Advice:
    """How many pods are wanted and why."""

    replicas: int
    metric: str
    above: str
    limited: tuple[str, str, str]
    current: list[Object]


def advise(scaler: Object, pods: list[Object], current: int, readings: Readings) -> Advice:
    """Return the largest number any metric asks for, within the limits; raises `MetricProblem`."""
    spec = scaler.get("spec") or {}
    best: tuple[int, str] | None = None
    seen = []
    for metric in spec.get("metrics") or ():
        wanted, words, shown = _propose(metric, pods, current, readings)
        seen.append(shown)
        if best is None or wanted > best[0]:
            best = (wanted, words)
    replicas, words = best or (current, "no metric")
    least, most = int(spec.get("minReplicas") or 1), int(spec.get("maxReplicas") or 1)
    limited = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
    if replicas > most:
        limited = ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count")
    elif replicas < least:
        limited = ("True", "TooFewReplicas", "the desired replica count is less than the minimum replica count")
    return Advice(max(least, min(most, replicas)), words, f"{words} above target", limited, seen)


def _propose(
    metric: Mapping[str, Any], pods: list[Object], current: int, readings: Readings
) -> tuple[int, str, Object]:
    kind = str(metric.get("type") or "")
    if kind in ("Resource", "ContainerResource"):
        part = metric.get("resource") or metric.get("containerResource") or {}
        return _resource(kind, part, pods, current, readings)
    part = metric.get(kind.lower()) or {}
    name = str((part.get("metric") or {}).get("name") or "")
    aim = part.get("target") or {}
    if name not in readings.amount:
        words = {"Pods": ("FailedGetPodsMetric", "pods metric"), "Object": ("FailedGetObjectMetric", "object metric")}
        reason, short = words.get(kind, ("FailedGetExternalMetric", "external metric"))
        text = _API["Pods" if kind in ("Pods", "Object") else "External"].format(name=name)
        problem = f"unable to get metric {name}: {text}" if kind == "Pods" else f"unable to get {short} {name}: {text}"
        raise MetricProblem(reason, f"{name} {short}", problem)
    value = readings.amount[name]
    if kind == "Pods" or aim.get("averageValue"):
        each = views.milli(aim.get("averageValue") or "1") or 1
        total = value * len(pods) if kind == "Pods" else value
        wanted = math.ceil(total / each)
    else:
        wanted = math.ceil(current * value / (views.milli(aim.get("value") or "1") or 1))
    shown = {"type": kind, kind.lower(): {"metric": {"name": name}, "current": {"value": f"{value}m"}}}
    return wanted, f"{kind.lower()} metric {name}", shown


def _resource(
    kind: str, part: Mapping[str, Any], pods: list[Object], current: int, readings: Readings
) -> tuple[int, str, Object]:
    name, aim = str(part.get("name") or ""), part.get("target") or {}
    by_share = aim.get("averageUtilization") is not None
    what = f"failed to get {name} {'utilization' if by_share else 'usage'}"
    metric = f"{name} resource metric"
    if not readings.served:
        text = f"{what}: unable to get metrics for resource {name}: {_API['Resource']}"
        raise MetricProblem("FailedGetResourceMetric", metric, text)
    ready = [pod for pod in pods if readiness.is_ready(pod)]
    if not ready:
        text = f"{what}: did not receive metrics for targeted pods (pods might be unready)"
        raise MetricProblem("FailedGetResourceMetric", metric, text)
    asked = 0
    for pod in ready:
        asked += _asked(pod, name, what, needed=by_share)
    used = readings.amount.get(name, 0) * len(ready)
    if name in readings.percent:
        used = asked * readings.percent[name] // 100
    shown: Object = {"averageValue": f"{used // len(ready)}m"}
    if by_share:
        share = used * 100 // asked
        shown["averageUtilization"] = share
        ratio = share / max(1, int(aim["averageUtilization"]))
        words = f"{name} resource utilization (percentage of request)"
    else:
        ratio = used / len(ready) / max(1, views.milli(aim.get("averageValue") or "1"))
        words = f"{name} resource"
    wanted = current if abs(ratio - 1) <= _TOLERANCE else math.ceil(len(ready) * ratio)
    key = "resource" if kind == "Resource" else "containerResource"
    return wanted, words, {"type": kind, key: {"name": name, "current": shown}}


def _asked(pod: Object, name: str, what: str, *, needed: bool) -> int:
    total = 0
    for container in pod["spec"].get("containers") or ():
        amount = ((container.get("resources") or {}).get("requests") or {}).get(name)
        if amount is None and needed:
            text = (
                f"{what}: missing request for {name} in container {container['name']} of Pod {pod['metadata']['name']}"
            )
            raise MetricProblem("FailedGetResourceMetric", f"{name} resource metric", text)
        total += views.milli(amount or "0")
    return total
