"""Stories about kinds in two shapes: autoscalers of both versions, events old and new."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import TABLE, Story, apply, delete, get, json_patch, merge, obj, post, put, typed, watch

OLD = "/apis/autoscaling/v1/namespaces/trial/horizontalpodautoscalers"
NEW = "/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers"
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "w"}


def scaler(name: str, **spec: Any) -> dict[str, Any]:
    return obj(name, spec={"scaleTargetRef": TARGET, "maxReplicas": 3, **spec})


def applied(version: str, **spec: Any) -> dict[str, Any]:
    return typed(f"autoscaling/{version}", "HorizontalPodAutoscaler", "e", spec=scaler("e", **spec)["spec"])


def share(name: str, percent: int) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": name, "target": target}}


METRICS = [
    share("memory", 60),
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "100m"}}},
    share("cpu", 70),
    {"type": "Pods", "pods": {"metric": {"name": "q"}, "target": {"type": "AverageValue", "averageValue": "5"}}},
    {
        "type": "External",
        "external": {
            "metric": {"name": "q", "selector": {"matchLabels": {"a": "b"}}},
            "target": {"type": "Value", "value": "5"},
        },
    },
    {
        "type": "Object",
        "object": {
            "metric": {"name": "q"},
            "describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"},
            "target": {"type": "Value", "value": "5"},
        },
    },
]
STATUS = {
    "currentReplicas": 1,
    "desiredReplicas": 2,
    "currentMetrics": [
        {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 33, "averageValue": "10m"}}}
    ],
    "conditions": [
        {
            "type": "AbleToScale",
            "status": "True",
            "reason": "x",
            "message": "m",
            "lastTransitionTime": "2024-01-01T00:00:00Z",
        }
    ],
}
SCALING = Story(
    "autoscalers",
    (
        NAMESPACE,
        post(OLD, scaler("a")),
        get(f"{NEW}/a"),
        post(OLD, scaler("b", minReplicas=2, targetCPUUtilizationPercentage=50)),
        get(f"{NEW}/b"),
        post(NEW, scaler("c", metrics=METRICS, behavior={"scaleDown": {"stabilizationWindowSeconds": 5}})),
        get(f"{OLD}/c"),
        merge(f"{NEW}/c/status", {"status": STATUS}),
        get(f"{OLD}/c"),
        get(f"{OLD}/c/status"),
        merge(f"{OLD}/c", {"spec": {"maxReplicas": 9}}),
        get(f"{NEW}/c"),
        json_patch(f"{OLD}/b", ("replace", "/spec/targetCPUUtilizationPercentage", 60)),
        put(f"{OLD}/b", scaler("b", targetCPUUtilizationPercentage=70)),
        merge(f"{OLD}/b/status", {"status": {"currentReplicas": 2, "desiredReplicas": 2}}),
        get(f"{NEW}/b"),
        get(NEW, accept=TABLE),
        get(f"{OLD}/c", accept=TABLE),
        get(OLD),
        watch(OLD),
        post(OLD, scaler("d", maxReplicas=0)),
        post(NEW, obj("d", spec={"scaleTargetRef": {}, "maxReplicas": 1, "minReplicas": 2})),
        post(NEW, obj("d", spec={"maxReplicas": 1, "minReplicas": -2})),
        post(NEW, scaler("d", metrics=[{"type": "Nonsense"}])),
        post(NEW, scaler("d", metrics=[{"type": "Resource"}])),
        apply(f"{OLD}/e", applied("v1", targetCPUUtilizationPercentage=50)),
        apply(f"{NEW}/e", applied("v2", maxReplicas=4), manager="two"),
        delete(f"{OLD}/a"),
        delete(NEW),
    ),
)
CORE_EVENTS = "/api/v1/namespaces/trial/events"
EVENTS = "/apis/events.k8s.io/v1/namespaces/trial/events"
POD = {"kind": "Pod", "name": "p", "namespace": "trial"}
WHEN = "2024-01-01T00:00:00.123456Z"


def event(name: str, **rest: Any) -> dict[str, Any]:
    shown = {
        "eventTime": WHEN,
        "reportingController": "c.io/x",
        "reportingInstance": "i",
        "action": "Act",
        "reason": "Why",
        "regarding": POD,
        "note": "hello",
        "type": "Normal",
    }
    return obj(name, **{**shown, **rest})


REPORTING = Story(
    "events",
    (
        NAMESPACE,
        post(EVENTS, event("new")),
        post(EVENTS, event("bad", eventTime=None)),
        post(EVENTS, event("bad", type="Loud", action="")),
        post(EVENTS, event("bad", reportingController="", reportingInstance="", reason="")),
        get(f"{CORE_EVENTS}/new"),
        post(
            CORE_EVENTS,
            obj(
                "old",
                involvedObject=POD,
                message="m",
                reason="r",
                type="Warning",
                source={"component": "kubelet", "host": "n"},
                count=3,
                firstTimestamp="2024-01-01T00:00:00Z",
                lastTimestamp="2024-01-01T00:00:00Z",
            ),
        ),
        get(f"{EVENTS}/old"),
        get(EVENTS),
        get(f"{EVENTS}?fieldSelector=regarding.name%3Dp,reason%3Dr"),
        get(f"{EVENTS}?fieldSelector=involvedObject.name%3Dp"),
        get(f"{EVENTS}?fieldSelector=reportingController%3Dc.io/x"),
        get(f"{CORE_EVENTS}?fieldSelector=source%3Dkubelet"),
        get(EVENTS, accept=TABLE),
        merge(f"{EVENTS}/new", {"note": "changed"}),
        merge(f"{EVENTS}/old", {"note": "changed"}),
        merge(f"{CORE_EVENTS}/old", {"message": "changed", "count": 4}),
        merge(f"{EVENTS}/new", {"metadata": {"labels": {"a": "b"}}}),
        merge(f"{EVENTS}/new", {"series": {"count": 2, "lastObservedTime": WHEN}}),
        merge(f"{EVENTS}/new", {"series": {"count": 1, "lastObservedTime": WHEN}}),
        watch(EVENTS),
        delete(f"{EVENTS}/old"),
        delete(EVENTS),
    ),
)
STORIES = (SCALING, REPORTING)
