"""What is special about comparing some kinds: aggregated roles, Endpoints, fields of custom kinds that hold core types.

Called by `syncline.core.compare.sides` on both sides of an object. Secrets are made ready in
`syncline.core.compare.prepare`; empty rules of roles go with all other empty lists.
"""

from __future__ import annotations

import functools
from typing import Any

from syncline.apimachinery import duration, globs
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.schema.stored import stored_form
from syncline.core.compare import endpoints
from syncline.model.settings.resources import KnownTypeField, ResourceOverride
from syncline.model.settings.settings import Settings

_ROLES = ("Role", "ClusterRole")
_RBAC = "rbac.authorization.k8s.io"
_ROLLOUT = (KnownTypeField("spec.template.spec", "core/v1/PodSpec"),)


def apply(obj: Object, gvk: GroupVersionKind, settings: Settings) -> Object:
    """Return the object as its kind is compared."""
    if gvk.group == _RBAC:
        return _without_aggregated_rules(obj, gvk, settings)
    if (gvk.group, gvk.kind) == ("", "Endpoints"):
        return endpoints.repacked(obj)
    if builtin.for_kind(gvk) is None:
        for field in _known_fields(gvk, settings.overrides):
            obj = _normal_at(obj, field.field.split("."), field.type)
    return obj


def _without_aggregated_rules(obj: Object, gvk: GroupVersionKind, settings: Settings) -> Object:
    """Leave out the rules of a role that the server fills in from others, where settings say so."""
    if gvk.kind not in _ROLES or not settings.compare.ignore_aggregated_roles or not obj.get("aggregationRule"):
        return obj
    return {name: value for name, value in obj.items() if name != "rules"}


@functools.lru_cache(maxsize=256)
def _known_fields(gvk: GroupVersionKind, overrides: tuple[ResourceOverride, ...]) -> tuple[KnownTypeField, ...]:
    """Return the fields that settings know of a kind; those of a Rollout are known where settings say nothing of it."""
    found: list[KnownTypeField] = []
    for override in overrides:
        group, _, kind = override.pattern.rpartition("/")
        if override.known_type_fields and globs.matches(gvk.group, group) and globs.matches(gvk.kind, kind):
            found += override.known_type_fields
    return tuple(found) or (_ROLLOUT if (gvk.group, gvk.kind) == ("argoproj.io", "Rollout") else ())


def _normal_at(value: Any, path: list[str], kind: str) -> Any:
    """Return the value with the field at a path, in every item of lists on the way, written as its type prints it."""
    if isinstance(value, list):
        return [_normal_at(item, path, kind) for item in value]
    if not path:
        return _normal(value, kind)
    if not isinstance(value, dict) or path[0] not in value:
        return value
    old = value[path[0]]
    new = _normal_at(old, path[1:], kind)
    return value if new is old else {**value, path[0]: new}


def _normal(value: Any, kind: str) -> Any:
    node = builtin.for_type(kind)
    if node is builtin.DURATION:
        return _duration(value)
    return value if node is None else stored_form({"value": value}, Node(fields={"value": node})).get("value", value)


def _duration(value: Any) -> Any:
    try:
        return duration.text(duration.parse(value)) if isinstance(value, str) else value
    except duration.InvalidDuration:
        return value
