"""Runs the parts of admission in the API server's order."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import defaults
from syncline.sandbox.admission import limits, policies, quotas, security
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import injection
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_PODS: Final = Bucket("", "pods")
_CLAIMS: Final = Bucket("", "persistentvolumeclaims")


def mutate(backend: Backend, resource: Resource, obj: Object, live: Object | None) -> Object:
    """Return an object with what admission fills in; what webhooks add to a pod gets defaults and limits too."""
    if live is None and resource.bucket == _PODS:
        injected = injection.inject(backend, resource, obj["metadata"]["namespace"], obj)
        return limits.fill(backend, obj if injected is obj else defaults.apply(injected, resource.gvk))
    return obj


def check(backend: Backend, resource: Resource, obj: Object, live: Object | None) -> None:
    """Refuse what the namespace does not allow."""
    policies.check(backend, resource, obj, live)
    namespace = obj["metadata"].get("namespace", "")
    if not namespace:
        return
    if live is None and resource.bucket in (_PODS, _CLAIMS):
        limits.check(backend, resource, obj)
    if resource.bucket == _PODS:
        security.check(backend, obj, live)
    quotas.check(backend, resource, obj, live)
