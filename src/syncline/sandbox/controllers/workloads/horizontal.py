"""Plays HorizontalPodAutoscalers: reads what pods are said to use, and scales what they point to.

Usage comes from the annotation `sandbox.syncline.io/usage` of the autoscaler (`cpu=80%, memory=200Mi`) or from the
settings; nothing said means idle pods. What is decided is `syncline.sandbox.controllers.workloads.scaling_advice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.api import scaling
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.workloads import readiness, scaling_advice
from syncline.sandbox.controllers.workloads.scaling_advice import Advice, MetricProblem, Readings
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

BUCKET = Bucket("autoscaling", "horizontalpodautoscalers")
_PODS = Bucket("", "pods")
_WRITER = WriteOptions(manager="kube-controller-manager")


class HorizontalScalers:
    """Plays the horizontal pod autoscaler controller."""

    name = "horizontal"
    buckets = (BUCKET,)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="horizontal-pod-autoscaler")
        self._advised: dict[str, list[tuple[float, int]]] = {}
        self._looked: dict[str, tuple[float, Any]] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed autoscalers."""
        if event.type == "DELETED":
            self._advised.pop(event.row.uid, None)
            self._looked.pop(event.row.uid, None)
        else:
            yield event.row.place

    def reconcile(self, place: RowKey) -> float | None:
        """Look at one autoscaler, at most as often as a real one does."""
        scaler = self._client.get(place)
        if scaler is None or "deletionTimestamp" in scaler["metadata"]:
            return None
        period, now = self._backend.settings.speeds.autoscale, self._backend.clock.monotonic()
        uid, version = scaler["metadata"]["uid"], scaler["metadata"].get("generation")
        looked = self._looked.get(uid)
        if looked is not None and looked[1] == version and now < looked[0] + period:
            return looked[0] + period - now
        self._looked[uid] = (now, version)
        self._look(scaler)
        return period

    def _look(self, scaler: Object) -> None:
        spec = scaler.get("spec") or {}
        found = self._aim(scaler, spec.get("scaleTargetRef") or {})
        if found is None:
            return
        resource, row = found
        scale = scaling.scale_of(resource, row)
        current = int((scale.get("spec") or {}).get("replicas") or 0)
        status = {**(scaler.get("status") or {}), "currentReplicas": int(scale["status"].get("replicas") or 0)}
        status["observedGeneration"] = scaler["metadata"].get("generation", 1)
        able = (
            "AbleToScale",
            "True",
            "SucceededGetScale",
            "the HPA controller was able to get the target's current scale",
        )
        if current == 0:
            text = "scaling is disabled since the replica count of the target is zero"
            self._write(
                scaler, {**status, "desiredReplicas": 0}, [able, ("ScalingActive", "False", "ScalingDisabled", text)]
            )
            return
        pods = self._pods(scale, row)
        try:
            advice = scaling_advice.advise(scaler, pods, current, self._readings(scaler))
        except MetricProblem as problem:
            self._complain(scaler, status, able, problem)
            return
        self._follow(scaler, status, resource, row, current, advice)

    def _aim(self, scaler: Object, reference: Object) -> tuple[Resource, Row] | None:
        group = str(reference.get("apiVersion") or "").rpartition("/")[0]
        resource = self._backend.registry.preferred(group, str(reference.get("kind") or ""))
        namespace, name = scaler["metadata"]["namespace"], str(reference.get("name") or "")
        row = self._backend.store.get(resource.bucket, namespace, name) if resource is not None else None
        if resource is not None and row is not None and resource.scale is not None:
            return resource, row
        if resource is None:
            kind = reference.get("kind")
            problem = f'no matches for kind "{kind}" in group "{group}"'
        else:
            problem = f'{resource.plural}{f".{resource.group}" if resource.group else ""} "{name}" not found'
        self._client.record(scaler, "Warning", "FailedGetScale", problem)
        text = f"the HPA controller was unable to get the target's current scale: {problem}"
        before = {"currentReplicas": 0, "desiredReplicas": 0, **(scaler.get("status") or {})}
        self._write(scaler, before, [("AbleToScale", "False", "FailedGetScale", text)])
        return None

    def _pods(self, scale: Object, row: Row) -> list[Object]:
        from syncline.apimachinery import selectors

        selector = selectors.LabelSelector.parse(scale["status"].get("selector") or "")
        rows = self._backend.store.rows(_PODS, row.place.namespace)
        pods = [one.decode() for one in rows if selector.matches(one.labels)]
        return [pod for pod in pods if readiness.is_active(pod)]

    def _readings(self, scaler: Object) -> Readings:
        reference = (scaler.get("spec") or {}).get("scaleTargetRef") or {}
        names = (scaler["metadata"]["name"], str(reference.get("name") or ""))
        annotation = (scaler["metadata"].get("annotations") or {}).get(scaling_advice.USAGE, "")
        settings = self._backend.settings
        return Readings.of(
            annotation,
            [one for one in settings.usage if one.about(scaler["metadata"]["namespace"], names)],
            served=settings.metrics_server,
        )

    def _complain(
        self, scaler: Object, status: Object, able: tuple[str, str, str, str], problem: MetricProblem
    ) -> None:
        self._client.record(scaler, "Warning", problem.reason, problem.message)
        count = len((scaler.get("spec") or {}).get("metrics") or ())
        text = (
            f"invalid metrics ({count} invalid out of {count}), first error is: "
            f"failed to get {problem.metric} value: {problem.message}"
        )
        self._client.record(scaler, "Warning", "FailedComputeMetricsReplicas", text)
        message = f"the HPA was unable to compute the replica count: {problem.message}"
        status.setdefault("desiredReplicas", 0)
        self._write(scaler, status, [able, ("ScalingActive", "False", problem.reason, message)])

    def _follow(
        self, scaler: Object, status: Object, resource: Resource, row: Row, current: int, advice: Advice
    ) -> None:
        wanted, held = self._steady(scaler, advice.replicas, current)
        able = ("ReadyForNewScale", "recommended size matches current size")
        if held:
            able = (
                "ScaleDownStabilized",
                "recent recommendations were higher than current one, applying the highest recent recommendation",
            )
        if wanted != current:
            scale = {"metadata": {}, "spec": {"replicas": wanted}}
            scaling.write(self._backend, resource, row, scale, _WRITER)
            why = advice.above if wanted > current else "All metrics below target"
            self._client.record(scaler, "Normal", "SuccessfulRescale", f"New size: {wanted}; reason: {why}")
            able = ("SucceededRescale", f"the HPA controller was able to update the target scale to {wanted}")
            status["lastScaleTime"] = self._backend.timestamp()
        status |= {"desiredReplicas": wanted, "currentMetrics": advice.current}
        active = f"the HPA was able to successfully calculate a replica count from {advice.metric}"
        self._write(
            scaler,
            status,
            [
                ("AbleToScale", "True", *able),
                ("ScalingActive", "True", "ValidMetricFound", active),
                ("ScalingLimited", *advice.limited),
            ],
        )

    def _steady(self, scaler: Object, advised: int, current: int) -> tuple[int, bool]:
        """Keep to the highest advice of the last five minutes before scaling down."""
        behaviour = ((scaler["spec"].get("behavior") or {}).get("scaleDown") or {}).get("stabilizationWindowSeconds")
        window = 300.0 if behaviour is None else float(behaviour)
        now = self._backend.clock.monotonic()
        kept = self._advised.setdefault(scaler["metadata"]["uid"], [(now, current)])
        kept[:] = [one for one in kept if one[0] > now - window] if window else []
        kept.append((now, advised))
        highest = max(one[1] for one in kept)
        if advised < current:
            return min(current, highest), min(current, highest) > advised
        return advised, False

    def _write(self, scaler: Object, status: Object, conditions: list[tuple[str, str, str, str]]) -> None:
        known = list((scaler.get("status") or {}).get("conditions") or ())
        now = self._backend.timestamp()
        for kind, state, reason, message in conditions:
            new = {"type": kind, "status": state, "lastTransitionTime": now, "reason": reason, "message": message}
            known = readiness.with_condition(known, new)
        self._client.set_status(scaler, {**status, "conditions": known})
