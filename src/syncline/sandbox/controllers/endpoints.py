"""Keeps the EndpointSlice and the Endpoints of every Service with a selector; gives LoadBalancers an address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

_SERVICES = Bucket("", "services")
_PODS = Bucket("", "pods")
_SLICES = Bucket("discovery.k8s.io", "endpointslices")
_ENDPOINTS = Bucket("", "endpoints")
_MANAGER = "endpoint-controller"
_RETRY_SECONDS = 30.0


class Endpoints:
    """Plays the endpoint slice controller and a cloud's load balancers."""

    name = "endpoints"
    buckets = (_SERVICES, _PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="endpoint-slice-controller")
        self._older = Client(backend, component=_MANAGER)
        self._balancer = Client(backend, component="service-controller", manager="cloud-controller-manager")
        self._asked: dict[str, float] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed services and at those that select a changed pod."""
        row = event.row
        if row.place.bucket == _SERVICES:
            if event.type == "DELETED":
                self._asked.pop(row.uid, None)
            yield row.place
            return
        if not row.labels and (event.previous is None or not event.previous.labels):
            return
        for service in self._backend.store.rows(_SERVICES, row.place.namespace):
            selector = (service.decode().get("spec") or {}).get("selector")
            if selector and any(
                one is not None and selector.items() <= one.labels.items() for one in (row, event.previous)
            ):
                yield service.place

    def reconcile(self, place: RowKey) -> float | None:
        """Write the slice of one service."""
        service = self._client.get(place)
        if service is None:
            self._forget(place)
            return None
        if "deletionTimestamp" in service["metadata"]:
            return None
        spec = service.get("spec") or {}
        if spec.get("selector") and spec.get("type") != "ExternalName":
            self._write_slice(service)
            self._write_endpoints(service)
        return self._balance(service)

    def _write_slice(self, service: Object) -> None:
        namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
        pods = self._pods(service)
        always = bool(service["spec"].get("publishNotReadyAddresses"))
        endpoints = [self._endpoint(pod, always=always) for pod in pods if _has_address(pod)]
        ports = _ports(service, pods)
        existing = self._existing(service)
        if existing is None:
            headless = {"service.kubernetes.io/headless": ""} if service["spec"].get("clusterIP") == "None" else {}
            body = {
                "metadata": {
                    "generateName": f"{name}-",
                    "labels": {
                        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                        "kubernetes.io/service-name": name,
                        **headless,
                    },
                    "ownerReferences": [owner_reference(service)],
                },
                "addressType": "IPv4",
                "endpoints": endpoints,
                "ports": ports,
            }
            self._client.create("discovery.k8s.io", "EndpointSlice", namespace, body)
        elif existing.get("endpoints") != endpoints or existing.get("ports") != ports:
            self._client.update({**existing, "endpoints": endpoints, "ports": ports})

    def _write_endpoints(self, service: Object) -> None:
        """Write the older form of the same, which some clients still read."""
        namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
        subsets = _subsets(service, self._pods(service))
        labels = {**(service["metadata"].get("labels") or {}), "endpoints.kubernetes.io/managed-by": _MANAGER}
        if service["spec"].get("clusterIP") == "None":
            labels["service.kubernetes.io/headless"] = ""
        known = self._older.get(RowKey(_ENDPOINTS, namespace, name))
        if known is None:
            body: Object = {"metadata": {"name": name, "labels": labels}}
            self._older.create("", "Endpoints", namespace, {**body, "subsets": subsets} if subsets else body)
        elif (known.get("subsets") or []) != subsets or known["metadata"].get("labels") != labels:
            metadata = {**known["metadata"], "labels": labels}
            self._older.update({**known, "metadata": metadata, "subsets": subsets})

    def _forget(self, place: RowKey) -> None:
        """Delete what stands for a Service that is gone: it has no owner that garbage would be collected by."""
        known = self._older.get(RowKey(_ENDPOINTS, place.namespace, place.name))
        if known is not None and "endpoints.kubernetes.io/managed-by" in (known["metadata"].get("labels") or {}):
            self._older.delete(known)

    def _pods(self, service: Object) -> list[Object]:
        selector, namespace = service["spec"]["selector"], service["metadata"]["namespace"]
        rows = self._backend.store.rows(_PODS, namespace)
        return [row.decode() for row in rows if selector.items() <= row.labels.items()]

    def _existing(self, service: Object) -> Object | None:
        rows: list[Row] = self._backend.store.owned_by(service["metadata"]["uid"])
        return next((self._client.decode(row) for row in rows if row.place.bucket == _SLICES), None)

    def _endpoint(self, pod: Object, *, always: bool) -> Object:
        ready = readiness.is_ready(pod)
        deleting = "deletionTimestamp" in pod["metadata"]
        return {
            "addresses": [pod["status"]["podIP"]],
            "conditions": {"ready": always or (ready and not deleting), "serving": ready, "terminating": deleting},
            "nodeName": pod["spec"].get("nodeName", ""),
            "targetRef": {
                "kind": "Pod",
                "namespace": pod["metadata"]["namespace"],
                "name": pod["metadata"]["name"],
                "uid": pod["metadata"]["uid"],
            },
        }

    def _balance(self, service: Object) -> float | None:
        """Give a load balancer its address, once the cloud has taken its time."""
        spec, status = service.get("spec") or {}, service.get("status") or {}
        settings = self._backend.settings.load_balancers
        has = bool((status.get("loadBalancer") or {}).get("ingress"))
        if spec.get("type") != "LoadBalancer":
            if has:
                self._client.set_status(service, {**status, "loadBalancer": {}})
            return None
        if has or not settings.enabled:
            return None
        uid, now = service["metadata"]["uid"], self._backend.clock.monotonic()
        if uid not in self._asked:
            self._balancer.record(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer")
        left = self._asked.setdefault(uid, now) + settings.delay - now
        if left > 0:
            return left
        if settings.problem:
            text = f"Error syncing load balancer: failed to ensure load balancer: {settings.problem}"
            self._balancer.record(service, "Warning", "SyncLoadBalancerFailed", text)
            return _RETRY_SECONDS
        wanted = spec.get("loadBalancerIP") or self._backend.next_address("203.0")
        ingress = [{"ip": wanted, "ipMode": "VIP"}]
        self._balancer.set_status(service, {**status, "loadBalancer": {"ingress": ingress}})
        self._balancer.record(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer")
        return None


def _subsets(service: Object, pods: list[Object]) -> list[Object]:
    """Return the addresses of pods, ready ones and others, with the ports that are the same for all of them."""
    always = bool(service["spec"].get("publishNotReadyAddresses"))
    ready: list[Object] = []
    waiting: list[Object] = []
    for pod in sorted((one for one in pods if _has_address(one)), key=lambda one: str(one["status"]["podIP"])):
        if "deletionTimestamp" in pod["metadata"]:
            continue
        metadata = pod["metadata"]
        target = {"kind": "Pod", "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
        address = {"ip": pod["status"]["podIP"], "nodeName": pod["spec"].get("nodeName", ""), "targetRef": target}
        (ready if always or readiness.is_ready(pod) else waiting).append(address)
    if not ready and not waiting:
        return []
    ports = [{key: value for key, value in port.items() if value != ""} for port in _ports(service, pods)]
    parts = {"addresses": ready, "notReadyAddresses": waiting, "ports": ports}
    return [{key: value for key, value in parts.items() if value}]


def _has_address(pod: Object) -> bool:
    return bool((pod.get("status") or {}).get("podIP")) and readiness.phase(pod) not in ("Succeeded", "Failed")


def _ports(service: Object, pods: list[Object]) -> list[Object]:
    """Return the ports that lead to pods; one by a name that no pod has is left out, as a real controller does."""
    found = (_port(port, pods) for port in service["spec"].get("ports") or ())
    return [port for port in found if port is not None]


def _port(port: Object, pods: list[Object]) -> Object | None:
    wanted: Any = port.get("targetPort", port.get("port"))
    if isinstance(wanted, str):
        named = [
            one.get("containerPort")
            for pod in pods
            for container in pod["spec"].get("containers") or ()
            for one in container.get("ports") or ()
            if one.get("name") == wanted
        ]
        if pods and not named:
            return None
        wanted = named[0] if named else port.get("port")
    return {"name": port.get("name", ""), "port": wanted, "protocol": port.get("protocol", "TCP")}
