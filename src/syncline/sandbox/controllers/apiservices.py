"""Says of every APIService whether what it points to can answer.

Plays the two availability controllers that a kube-apiserver runs. One without a Service is served by the sandbox
itself; behind one with a Service no program runs, so it counts as available as soon as its Service has a ready pod.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_BUCKET = Bucket("apiregistration.k8s.io", "apiservices")
_SERVICES = Bucket("", "services")
_SLICES = Bucket("discovery.k8s.io", "endpointslices")


class ApiServices:
    """Plays the availability controllers of APIServices."""

    name = "apiservices"
    buckets = (_BUCKET, _SERVICES, _SLICES)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="apiservice-controller", manager="kube-apiserver")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed APIServices, and at those whose Service changed."""
        place = event.row.place
        if place.bucket == _BUCKET:
            if event.type != "DELETED":
                yield place
            return
        name = place.name if place.bucket == _SERVICES else event.row.labels.get("kubernetes.io/service-name", "")
        for row in self._backend.store.rows(_BUCKET):
            service = (row.decode().get("spec") or {}).get("service")
            if service and (service.get("namespace"), service.get("name")) == (place.namespace, name):
                yield row.place

    def reconcile(self, place: RowKey) -> float | None:
        """Write the condition of one APIService."""
        obj = self._client.get(place)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        state, reason, message = self._verdict((obj.get("spec") or {}).get("service"))
        known = readiness.condition(obj, "Available") or {}
        if (known.get("status"), known.get("reason"), known.get("message")) == (state, reason, message):
            return None
        now = self._backend.timestamp()
        new = {"type": "Available", "status": state, "lastTransitionTime": now, "reason": reason, "message": message}
        conditions = list((obj.get("status") or {}).get("conditions") or ())
        self._client.set_status(
            obj, {**(obj.get("status") or {}), "conditions": readiness.with_condition(conditions, new)}
        )
        return None

    def _verdict(self, wanted: Any) -> tuple[str, str, str]:
        if not wanted:
            return "True", "Local", "Local APIServices are always available"
        namespace, name, port = wanted.get("namespace", ""), wanted.get("name", ""), int(wanted.get("port") or 443)
        service = self._client.get(RowKey(_SERVICES, namespace, name))
        if service is None:
            return "False", "ServiceNotFound", f'service/{name} in "{namespace}" is not present'
        spec = service.get("spec") or {}
        if spec.get("type", "ClusterIP") == "ClusterIP":
            return self._behind(service, port)
        if spec.get("type") != "ExternalName" and not any(one.get("port") == port for one in spec.get("ports") or ()):
            return "False", "FailedDiscoveryCheck", f'no service port {port} found for service "{name}"'
        return "True", "Passed", "all checks passed"

    def _behind(self, service: Object, port: int) -> tuple[str, str, str]:
        """Judge a Service by its ports and its endpoints."""
        named = f'service/{service["metadata"]["name"]} in "{service["metadata"]["namespace"]}"'
        found = next((one for one in service["spec"].get("ports") or () if one.get("port") == port), None)
        if found is None:
            return "False", "ServicePortError", f"{named} is not listening on port {port}"
        slices = [
            row.decode()
            for row in self._backend.store.rows(_SLICES, service["metadata"]["namespace"])
            if row.labels.get("kubernetes.io/service-name") == service["metadata"]["name"]
        ]
        if not slices:
            return "False", "EndpointsNotFound", f"cannot find endpointslices for {named}"
        if not any(_answers(one, found.get("name", "")) for one in slices):
            text = f'endpointslices for {named} have no addresses with port name "{found.get("name", "")}"'
            return "False", "MissingEndpoints", text
        return "True", "Passed", "all checks passed"


def _answers(one: Object, port: str) -> bool:
    """Tell whether an EndpointSlice has a ready address with a port of that name."""
    ready = any((end.get("conditions") or {}).get("ready", True) for end in one.get("endpoints") or ())
    return ready and any((entry.get("name") or "") == port for entry in one.get("ports") or ())
