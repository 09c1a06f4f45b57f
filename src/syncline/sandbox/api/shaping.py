"""Fills in what belongs to whoever writes an object: what its kind derives from other fields, and defaults.

Called by `syncline.sandbox.api.writes` before ownership of fields is worked out, because whoever writes owns defaults
too, and by `syncline.sandbox.judging`, which only asks.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import registry as kinds
from syncline.sandbox.kinds.rules import KindRules
from syncline.sandbox.served import custom
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_NAMESPACES = Bucket("", "namespaces")


def rules_of(resource: Resource) -> KindRules:
    """Return what a kind does differently; of custom kinds nothing."""
    return kinds.of(resource.group, resource.kind) if resource.custom is None else kinds.of("", "")


def shape(backend: Backend, resource: Resource, obj: Object, live: Object | None, *, subresource: str = "") -> Object:
    """Fill in what belongs to whoever writes: what the kind derives from the written fields, and defaults."""
    if not subresource:
        obj = rules_of(resource).prepare(backend, obj, live)
    elif subresource == "status":
        obj = rules_of(resource).prepare_status(backend, obj, live)
    return custom.complete(resource, obj) if resource.custom is not None else _default(resource, obj)


def _default(resource: Resource, obj: Object) -> Object:
    if resource.bucket == _NAMESPACES:
        return obj  # its only default is the finalizer, which nobody owns and which must be removable
    from syncline.apimachinery.schema import defaults

    family = resource.converted
    if family is None:
        return defaults.apply(obj, resource.gvk)
    stored = defaults.apply(family.convert(obj, family.stored.api_version), family.stored)
    return family.convert(stored, resource.gvk.api_version)
