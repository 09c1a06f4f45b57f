"""The scale subresource: one small object that stands for the replicas of a larger one.

Called by `syncline.sandbox.api.subresources`; the numbers lie where the kind says (`Resource.scale`).
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta, selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import writes
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row


def scale_of(resource: Resource, row: Row) -> Object:
    """Return the Scale of an object."""
    paths = resource.scale
    if paths is None:
        raise errors.method_not_allowed()
    obj = row.decode()
    metadata = obj["metadata"]
    status: Object = {"replicas": _at(obj, paths.status_replicas) or 0}
    selector = _at(obj, paths.selector) if paths.selector else _selector(obj)
    if selector:
        status["selector"] = selector
    replicas = _at(obj, paths.spec_replicas)
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            key: metadata[key]
            for key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
            if key in metadata
        },
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def write(backend: Backend, resource: Resource, row: Row, scale: Any, options: WriteOptions) -> writes.WriteResult:
    """Set the replicas a Scale asks for."""
    paths = resource.scale
    if paths is None or not isinstance(scale, dict):
        raise errors.bad_request("the object provided is unrecognized (must be of type Scale)")
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    name = row.place.name
    if not isinstance(replicas, int) or replicas < 0:
        cause = errors.invalid_value("spec.replicas", str(replicas), "must be greater than or equal to 0")
        raise errors.invalid("Scale", "autoscaling", name, [cause])
    version = meta.resource_version(scale)
    if version and version != str(row.version):
        raise errors.conflict(resource.plural, resource.group, name)
    obj = resource.decode(row)
    *parents, last = paths.spec_replicas.strip(".").split(".")
    holder = obj
    for part in parents:
        holder = holder.setdefault(part, {})
    holder[last] = replicas
    return writes.update(backend, resource, row, obj, options, "scale")


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for part in path.strip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _selector(obj: Object) -> str:
    selector = (obj.get("spec") or {}).get("selector")
    if not isinstance(selector, dict):
        return ""
    if "matchLabels" in selector or "matchExpressions" in selector:
        return str(selectors.LabelSelector.from_object(selector))
    return str(selectors.LabelSelector.from_labels(selector))
