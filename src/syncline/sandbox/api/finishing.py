"""Fills in and checks an object on its way into the store: admission, what the server adds, rules.

Called by `syncline.sandbox.api.writes` after `syncline.sandbox.api.shaping`, for what the server adds and nobody owns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox import admission, errors
from syncline.sandbox.admission import security
from syncline.sandbox.admission.attempts import Attempt, converted
from syncline.sandbox.api import metadata as metadata_rules
from syncline.sandbox.api import shaping
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import controls
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import kind_fields, pod_updates, pods
from syncline.sandbox.kinds import registry as kinds
from syncline.sandbox.served import custom_rules
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_NAMESPACES = Bucket("", "namespaces")
_DEPLOYMENTS = Bucket("apps", "deployments")
_PRIORITY_CLASSES = Bucket("scheduling.k8s.io", "priorityclasses")
_BY_ITSELF = WriteOptions()
_OUTSIDE_SPEC = frozenset({"apiVersion", "kind", "metadata"})


def finish(
    backend: Backend,
    resource: Resource,
    obj: Object,
    live: Object | None,
    *,
    subresource: str = "",
    asked: Resource | None = None,
    options: WriteOptions = _BY_ITSELF,
) -> Object:
    """Fill in what the server adds and nobody owns, then hold the object against the rules.

    `asked` is the resource of the request where that is another version than the stored one.
    """
    obj = {**obj, "metadata": dict(obj["metadata"])}
    causes: list[FieldCause] = []
    rules = shaping.rules_of(asked or resource)

    def attempt(written: Object) -> Attempt:
        made = Attempt(
            resource=resource,
            obj=written,
            live=live,
            subresource=subresource,
            dry_run=options.dry_run,
            manager=options.manager,
        )
        return made if asked is None else replace(made.seen_as(asked), asked=None)

    if not subresource:
        rules_set = backend.controls.admission
        if rules_set:
            obj = controls.admit(rules_set, resource, obj, "CREATE" if live is None else "UPDATE")
        obj = admission.fill(backend, resource, obj, live)
        tried = attempt(obj)
        changed = admission.mutate(backend, tried)
        if changed is not tried.about:
            obj = converted(changed, resource)
        obj = rules.complete(backend, obj, live)
        if resource.custom is None and resource.has_status:
            obj.setdefault("status", kinds.first_status(resource.group, resource.kind))
        causes = metadata_rules.check(
            resource.group, resource.kind, obj["metadata"], custom=resource.custom is not None
        )
        causes += rules.validate(backend, obj, live)
        if resource.custom is None:
            told = {cause.field for cause in causes}
            found = kind_fields.check(resource.group, resource.kind, obj)
            causes += [cause for cause in found if cause.field not in told]
        if live is not None and resource.custom is None and rules.fixed:
            causes += _check_fixed(resource, obj, live)
        causes += _check_finalizers(obj, live)
    elif subresource == "status":
        causes = rules.validate_status(backend, obj, live)
    elif subresource == "resize" and live is not None:
        before, after = (pods.quality(one.get("spec") or {}) for one in (live, obj))
        causes = pod_updates.check_resize(obj, live, before, after)
    if resource.custom is not None:
        causes += custom_rules.validate(backend, resource.custom, obj, live, subresource)
    if causes:
        raise errors.invalid(resource.kind, resource.group, obj["metadata"].get("name", ""), causes)
    admission.check(backend, attempt(obj))
    return obj


def warnings(backend: Backend, resource: Resource, obj: Object) -> list[str]:
    """Return what the answer to a new object says besides it."""
    rules = shaping.rules_of(resource)
    told = [rules.warning] if rules.warning else []
    return [*told, *rules.warn(obj), *security.warnings(backend, resource, obj)]


def _check_fixed(resource: Resource, obj: Object, live: Object) -> list[FieldCause]:
    from syncline.apimachinery.schema import immutable

    return [
        FieldCause(found.path, f"FieldValue{found.message.split(' ', 1)[0].rstrip(':')}", found.message)
        for found in immutable.violations(live, obj, resource.gvk)
    ]


def count_generation(resource: Resource, obj: Object, live: Object) -> None:
    """Count what users change, and not what is reported."""
    if resource.bucket == _PRIORITY_CLASSES:
        return  # their generation never grows
    outside = _OUTSIDE_SPEC | {"status"} if resource.has_status or resource.custom is None else _OUTSIDE_SPEC
    changed = {key: value for key, value in obj.items() if key not in outside} != {
        key: value for key, value in live.items() if key not in outside
    }
    if resource.bucket == _DEPLOYMENTS and not changed:
        # Their annotations are copied to ReplicaSets, so these count too.
        changed = (obj["metadata"].get("annotations") or {}) != (live["metadata"].get("annotations") or {})
    if changed:
        obj["metadata"]["generation"] = int(live["metadata"].get("generation") or 0) + 1


def _check_finalizers(obj: Object, live: Object | None) -> list[FieldCause]:
    if live is None or "deletionTimestamp" not in live["metadata"]:
        return []
    was = live["metadata"].get("finalizers") or []
    added = [name for name in obj["metadata"].get("finalizers") or [] if name not in was]
    if not added:
        return []
    told = ", ".join(f'"{name}"' for name in added)
    text = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{told}}}"
    return [errors.forbidden_field("metadata.finalizers", text)]


def held(resource: Resource, obj: Object) -> bool:
    """Tell whether something still keeps a deleted object."""
    metadata = obj["metadata"]
    if metadata.get("finalizers") or (metadata.get("deletionGracePeriodSeconds") or 0) > 0:
        return True
    return resource.bucket == _NAMESPACES and bool((obj.get("spec") or {}).get("finalizers"))


def unchanged(obj: Object, live: Object) -> bool:
    """Compare all but the times at which managers wrote."""
    if obj == live:
        return True
    new, old = obj["metadata"], live["metadata"]
    if {**obj, "metadata": None} != {**live, "metadata": None}:
        return False
    if {**new, "managedFields": None} != {**old, "managedFields": None}:
        return False
    return _timeless(new.get("managedFields")) == _timeless(old.get("managedFields"))


def _timeless(entries: Any) -> list[Any]:
    return [{**entry, "time": None} for entry in entries or ()]
