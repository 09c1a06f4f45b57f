"""Runs the parts of admission in the API server's order."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import defaults
from syncline.sandbox.admission import limits, mutations, policies, quotas, security, webhooks
from syncline.sandbox.admission.attempts import Attempt
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import injection
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_PODS: Final = Bucket("", "pods")
_CLAIMS: Final = Bucket("", "persistentvolumeclaims")


def fill(backend: Backend, resource: Resource, obj: Object, live: Object | None) -> Object:
    """Return an object with what admission fills in; what webhooks add to a pod gets defaults and limits too."""
    if live is None and resource.bucket == _PODS:
        injected = injection.inject(backend, resource, obj["metadata"]["namespace"], obj)
        return limits.fill(backend, obj if injected is obj else defaults.apply(injected, resource.gvk))
    return obj


def mutate(backend: Backend, attempt: Attempt) -> Object:
    """Return an object as policies and webhooks change it; what they add gets defaults too."""
    changed = webhooks.mutate(backend, mutations.apply(backend, attempt))
    if changed is attempt:
        return attempt.about
    resource = attempt.resource
    return changed.about if resource.custom is not None else defaults.apply(changed.about, resource.gvk)


def check(backend: Backend, attempt: Attempt) -> None:
    """Refuse what policies, webhooks or the namespace do not allow."""
    policies.check(backend, attempt)
    webhooks.check(backend, attempt)
    resource, obj, live = attempt.resource, attempt.about, attempt.live
    namespace = obj["metadata"].get("namespace", "")
    if not namespace or attempt.subresource:
        return
    if live is None and resource.bucket in (_PODS, _CLAIMS):
        limits.check(backend, resource, obj)
    if resource.bucket == _PODS:
        security.check(backend, obj, live)
    quotas.check(backend, resource, obj, live)


def check_delete(backend: Backend, attempt: Attempt) -> None:
    """Refuse a deletion that policies or webhooks do not allow."""
    webhooks.mutate(backend, attempt)
    policies.check(backend, attempt)
    webhooks.check(backend, attempt)
