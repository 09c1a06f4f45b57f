"""The metrics API (`metrics.k8s.io`): what nodes and pods use, as the cluster file's `usage` says.

`syncline.sandbox.cluster.bootstrap` has it served where there is a metrics server; `syncline.sandbox.api.requests`
comes here with what is asked. Autoscalers read the same numbers. A pod of which nothing is said uses nothing.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from syncline.apimachinery import selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import answers
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.workloads.scaling_advice import USAGE, Readings
from syncline.sandbox.served import custom
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row

GROUP: Final = "metrics.k8s.io"
VERSION: Final = "v1beta1"
_KINDS: Final = (("NodeMetrics", "nodes", "Cluster"), ("PodMetrics", "pods", "Namespaced"))
_WINDOW: Final = "15s"
_PODS: Final = Bucket("", "pods")
_NODES: Final = Bucket("", "nodes")
_SCALERS: Final = Bucket("autoscaling", "horizontalpodautoscalers")


def serve(backend: Backend) -> None:
    """Serve nodes and pods of the group."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": VERSION, "served": True, "storage": True, "schema": schema}
    for kind, plural, scope in _KINDS:
        names = {"kind": kind, "plural": plural, "singular": ""}
        spec = {"group": GROUP, "scope": scope, "names": names, "versions": [version]}
        made = custom.resources_of({"spec": spec})
        limited = [msgspec.structs.replace(one, verbs=("get", "list"), singular="") for one in made]
        backend.registry.replace_custom(GROUP, plural, limited)


def answer(backend: Backend, resource: Resource, call: Any) -> ServerResponse:
    """Answer a get or list."""
    route = call.route
    nodes = resource.plural == "nodes"
    bucket = _NODES if nodes else _PODS
    if route.name:
        row = backend.store.get(bucket, route.namespace, route.name)
        found = None if row is None else (_node(backend, row) if nodes else _pod(backend, row))
        if found is None:
            raise errors.not_found(resource.plural, GROUP, f"{route.namespace}/{route.name}".lstrip("/"))
        return answers.json({"kind": resource.kind, "apiVersion": f"{GROUP}/{VERSION}", **found})
    chosen = selectors.LabelSelector.parse(call.query.get("labelSelector", ""))
    rows = [row for row in backend.store.rows(bucket, route.namespace) if chosen.matches(row.labels)]
    named = call.query.get("fieldSelector", "").removeprefix("metadata.name=")
    rows = [row for row in rows if not named or row.place.name == named]
    items = [found for row in rows if (found := _node(backend, row) if nodes else _pod(backend, row)) is not None]
    head = {"kind": resource.list_kind, "apiVersion": f"{GROUP}/{VERSION}", "metadata": {}}
    return answers.json({**head, "items": items})


def _head(backend: Backend, row: Row) -> Object:
    metadata: Object = {"name": row.place.name, "creationTimestamp": backend.timestamp()}
    if row.place.namespace:
        metadata["namespace"] = row.place.namespace
    if row.labels:
        metadata["labels"] = dict(row.labels)
    return {"metadata": metadata, "timestamp": backend.timestamp(), "window": _WINDOW}


def _pod(backend: Backend, row: Row) -> Object | None:
    """Return the metrics of a pod that runs; of any other there are none."""
    pod = row.decode()
    if (pod.get("status") or {}).get("phase") != "Running":
        return None
    shown = [
        {"name": name, "usage": {"cpu": _cpu(used["cpu"]), "memory": _memory(used["memory"])}}
        for name, used in _used(backend, pod).items()
    ]
    return {**_head(backend, row), "containers": shown}


def _node(backend: Backend, row: Row) -> Object:
    totals = {"cpu": 0, "memory": 0}
    for one in backend.store.rows(_PODS):
        view = views.pod(one)
        if view.node != row.place.name or view.ended:
            continue
        for used in _used(backend, one.decode()).values():
            totals = {name: totals[name] + used[name] for name in totals}
    return {**_head(backend, row), "usage": {"cpu": _cpu(totals["cpu"]), "memory": _memory(totals["memory"])}}


def _used(backend: Backend, pod: Object) -> dict[str, dict[str, int]]:
    """Return what each container uses, in thousandths."""
    readings = _readings(backend, pod)
    containers = pod["spec"].get("containers") or ()
    found = {}
    for container in containers:
        asked = (container.get("resources") or {}).get("requests") or {}
        found[container["name"]] = {
            name: views.milli(asked.get(name) or "0") * readings.percent[name] // 100
            if name in readings.percent
            else readings.amount.get(name, 0) // len(containers)
            for name in ("cpu", "memory")
        }
    return found


def _readings(backend: Backend, pod: Object) -> Readings:
    """Return what is said of a pod by its own name, by who controls it, and by the autoscaler of that."""
    namespace = pod["metadata"]["namespace"]
    names = [pod["metadata"]["name"], *_controllers(backend, pod)]
    annotation = ""
    for row in backend.store.rows(_SCALERS, namespace):
        scaler = row.decode()
        if ((scaler.get("spec") or {}).get("scaleTargetRef") or {}).get("name") in names[1:]:
            names.append(row.place.name)
            annotation = (scaler["metadata"].get("annotations") or {}).get(USAGE, "")
    usage = [one for one in backend.settings.usage if one.about(namespace, tuple(names))]
    return Readings.of(annotation, usage, served=True)


def _controllers(backend: Backend, obj: Object) -> list[str]:
    """Return the names of whoever controls an object, from near to far."""
    found: list[str] = []
    namespace = obj["metadata"]["namespace"]
    while (owner := views.controller_of(obj)) is not None and len(found) < 5:
        found.append(owner.name)
        row = next(
            (
                row
                for bucket in (Bucket("apps", "replicasets"), Bucket("batch", "jobs"))
                if (row := backend.store.get(bucket, namespace, owner.name)) is not None and row.uid == owner.uid
            ),
            None,
        )
        if row is None:
            break
        obj = row.decode()
    return found


def _cpu(milli: int) -> str:
    return f"{milli * 1_000_000}n" if milli else "0"


def _memory(milli: int) -> str:
    return f"{milli // 1000 // 1024}Ki"
