"""What is special about comparing some kinds: aggregated roles, Endpoints, fields of custom kinds that hold core types.

Called by `syncline.core.compare.sides` on both sides of an object. Secrets are made ready in
`syncline.core.compare.prepare`; empty rules of roles go with all other empty lists.
"""

from __future__ import annotations

import functools
from typing import Any

import orjson

from syncline.apimachinery import duration
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.schema.stored import stored_form
from syncline.core.policy import globs
from syncline.model.settings import Settings
from syncline.model.settings_resources import KnownTypeField

_ROLES = ("Role", "ClusterRole")
_RBAC = "rbac.authorization.k8s.io"
_ROLLOUT = (KnownTypeField("spec.template.spec", "core/v1/PodSpec"),)
_TYPES: dict[str, tuple[str, str]] = {
    "core/v1/PodSpec": ("Pod", "spec"),
    "core/v1/PodTemplateSpec": ("PodTemplate", "template"),
    "core/v1/Container": ("Pod", "spec.containers.*"),
    "core/v1/EphemeralContainer": ("Pod", "spec.ephemeralContainers.*"),
    "core/v1/ResourceRequirements": ("Pod", "spec.containers.*.resources"),
    "core/v1/ResourceList": ("Pod", "spec.containers.*.resources.limits"),
    "core/v1/Volume": ("Pod", "spec.volumes.*"),
    "core/v1/VolumeMount": ("Pod", "spec.containers.*.volumeMounts.*"),
    "core/v1/EnvVar": ("Pod", "spec.containers.*.env.*"),
    "core/v1/Probe": ("Pod", "spec.containers.*.livenessProbe"),
    "core/v1/SecurityContext": ("Pod", "spec.containers.*.securityContext"),
    "core/v1/PodSecurityContext": ("Pod", "spec.securityContext"),
    "core/v1/Affinity": ("Pod", "spec.affinity"),
    "core/v1/Toleration": ("Pod", "spec.tolerations.*"),
    "core/v1/PersistentVolumeClaimSpec": ("PersistentVolumeClaim", "spec"),
    "core/v1/PersistentVolumeClaim": ("PersistentVolumeClaim", ""),
    "core/v1/PersistentVolumeSpec": ("PersistentVolume", "spec"),
    "core/v1/ServiceSpec": ("Service", "spec"),
    "core/v1/ServicePort": ("Service", "spec.ports.*"),
    "core/v1/ResourceQuotaSpec": ("ResourceQuota", "spec"),
}


def apply(obj: Object, gvk: GroupVersionKind, settings: Settings) -> Object:
    """Return the object as its kind is compared."""
    if gvk.group == _RBAC:
        return _without_aggregated_rules(obj, gvk, settings)
    if (gvk.group, gvk.kind) == ("", "Endpoints"):
        return _sorted_subsets(obj)
    if builtin.for_kind(gvk) is None:
        for field in _known_fields(gvk, settings):
            obj = _normal_at(obj, field.field.split("."), field.type)
    return obj


def _without_aggregated_rules(obj: Object, gvk: GroupVersionKind, settings: Settings) -> Object:
    """Leave out the rules of a role that the server fills in from others, where settings say so."""
    if gvk.kind not in _ROLES or not settings.compare.ignore_aggregated_roles or not obj.get("aggregationRule"):
        return obj
    return {name: value for name, value in obj.items() if name != "rules"}


def _sorted_subsets(obj: Object) -> Object:
    subsets = obj.get("subsets")
    if not isinstance(subsets, list):
        return obj
    return {**obj, "subsets": _sorted([_sorted_subset(subset) for subset in subsets])}


def _sorted_subset(subset: Any) -> Any:
    if not isinstance(subset, dict):
        return subset
    made = {name: _sorted(value) if isinstance(value, list) else value for name, value in subset.items()}
    if isinstance(made.get("ports"), list):
        ports = [{"protocol": "TCP", **port} if isinstance(port, dict) else port for port in made["ports"]]
        made["ports"] = _sorted(ports)
    return made


def _sorted(items: list[Any]) -> list[Any]:
    return sorted(items, key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))


@functools.lru_cache(maxsize=256)
def _known_fields(gvk: GroupVersionKind, settings: Settings) -> tuple[KnownTypeField, ...]:
    found = list(_ROLLOUT) if (gvk.group, gvk.kind) == ("argoproj.io", "Rollout") else []
    for override in settings.overrides:
        group, _, kind = override.pattern.rpartition("/")
        if override.known_type_fields and globs.matches(gvk.group, group) and globs.matches(gvk.kind, kind):
            found += override.known_type_fields
    return tuple(found)


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
    if kind == "core/Quantity":
        return stored_form({"quantity": value}, _QUANTITY)["quantity"]
    if kind == "meta/v1/Duration":
        return _duration(value)
    node = _node_of(kind)
    return stored_form(value, node) if node is not None and isinstance(value, dict) else value


_QUANTITY = Node(type="object", fields={"quantity": Node(type="string", format="quantity")})


def _duration(value: Any) -> Any:
    try:
        return duration.text(duration.parse(value)) if isinstance(value, str) else value
    except duration.InvalidDuration:
        return value


@functools.cache
def _node_of(kind: str) -> Node | None:
    if kind not in _TYPES:
        return None
    owner, path = _TYPES[kind]
    node = builtin.for_kind(GroupVersionKind("", "v1", owner))
    for name in filter(None, path.split(".")):
        node = None if node is None else node.elements if name == "*" else node.fields.get(name)
    return node
