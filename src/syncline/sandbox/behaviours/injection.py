"""Changes new objects as the mutating webhook of an installed operator would: Istio's sidecar, for one.

Asked by `syncline.sandbox.admission` about every new pod, whoever makes it. Containers that are there already are left
alone, so that asking twice does no harm.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import dependencies, shipped, templates
from syncline.sandbox.behaviours.rules import Injection
from syncline.sandbox.errors import StatusError
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_NAMESPACES = Bucket("", "namespaces")
_SERVICES = Bucket("", "services")
_SLICES = Bucket("discovery.k8s.io", "endpointslices")


def inject(backend: Backend, resource: Resource, namespace: str, obj: Object) -> Object:
    """Return an object with what webhooks of installed operators add; raises when one of them is not answered."""
    for name in shipped.INJECTING:
        if any(backend.store.get(_SERVICES, *service) for service in shipped.INJECTING[name]):
            for one in shipped.operator(name).injections:
                if (one.match.group, one.match.kind) == (resource.group, resource.kind):
                    obj = _apply(backend, one, namespace, obj)
    return obj


def _check_answered(backend: Backend, one: Injection) -> None:
    """Refuse as the API server does when nobody stands behind a webhook."""
    namespace, _, name = one.service.partition("/")
    for row in backend.store.rows(_SLICES, namespace):
        if row.labels.get("kubernetes.io/service-name") == name:
            ready = templates.at(row.decode(), "endpoints.*.conditions.ready")
            if True in (ready or ()):
                return
    address = f"https://{name}.{namespace}.svc:443{one.path}"
    problem = f'failed to call webhook: Post "{address}": no endpoints available for service "{name}"'
    message = f'Internal error occurred: failed calling webhook "{one.name}": {problem}'
    raise StatusError(500, "InternalError", message)


def _apply(backend: Backend, one: Injection, namespace: str, obj: Object) -> Object:
    row = backend.store.get(_NAMESPACES, "", namespace)
    home = row.decode() if row is not None else {}
    facts = {**obj, "metadata": {"name": "", **obj["metadata"], "namespace": namespace}}
    if not all(dependencies.holds(when, home, facts) for when in one.namespace):
        return obj
    if not all(dependencies.holds(when, obj, facts) for when in one.when):
        return obj
    _check_answered(backend, one)
    changed: Object = json_merge.apply(obj, templates.fill(one.merge, facts))
    spec = dict(changed.get("spec") or {})
    for field, added in (("containers", one.containers), ("initContainers", one.init_containers)):
        spec[field] = _with(list(spec.get(field) or ()), templates.fill(added, facts))
    return {**changed, "spec": {key: value for key, value in spec.items() if value != []}}


def _with(given: list[Any], added: list[Any]) -> list[Any]:
    known = {one.get("name") for one in given}
    return [*given, *(one for one in added if one["name"] not in known)]
