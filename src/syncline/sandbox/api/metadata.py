"""Checks the metadata of objects, in the API server's words.

Called by `syncline.sandbox.api.finishing` for every object; kinds add rules of their own afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

_CHECKS: Final = {
    ("", "Namespace"): names.label,
    ("", "Service"): names.label,
    ("apps", "StatefulSet"): names.label,
    ("rbac.authorization.k8s.io", "ClusterRole"): names.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): names.path_segment,
    ("rbac.authorization.k8s.io", "Role"): names.path_segment,
    ("rbac.authorization.k8s.io", "RoleBinding"): names.path_segment,
}
_STANDARD_FINALIZERS: Final = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_LIKE_CUSTOM: Final = frozenset({"apiextensions.k8s.io", "apiregistration.k8s.io", "policy"})
_MAX_ANNOTATIONS: Final = 256 * 1024


def check(group: str, kind: str, metadata: Mapping[str, Any], *, custom: bool) -> list[FieldCause]:
    """Return what is wrong with the metadata of an object; custom kinds may have finalizers of any name."""
    name = str(metadata.get("name") or "")
    check_name = _CHECKS.get((group, kind), names.subdomain)
    causes = _check_prefix(metadata.get("generateName"), check_name)
    causes += _refused("metadata.name", name, check_name(name)) if name else []
    if not name:
        causes.append(errors.required("metadata.name", "name or generateName is required"))
    causes += check_labels(metadata.get("labels") or {}, "metadata.labels")
    causes += _check_annotations(metadata.get("annotations") or {})
    for index, finalizer in enumerate(metadata.get("finalizers") or ()):
        where = f"metadata.finalizers[{index}]"
        causes += _refused("metadata.finalizers", finalizer, names.qualified(finalizer))
        if not custom and group not in _LIKE_CUSTOM:
            causes += _check_finalizer(where, finalizer)
    causes += _check_owners(metadata.get("ownerReferences") or [])
    return causes


def _check_prefix(prefix: Any, check_name: Callable[[str], list[str]]) -> list[FieldCause]:
    """Check the beginning of a name, which may end in a dash."""
    if not prefix:
        return []
    whole = f"{prefix[:-1]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
    return _refused("metadata.generateName", prefix, check_name(whole))


def check_labels(labels: Object, field: str) -> list[FieldCause]:
    """Return what is wrong with a map of labels."""
    causes: list[FieldCause] = []
    for key, value in labels.items():
        causes += _refused(field, key, names.qualified(key))
        causes += _refused(field, value, names.label_value(value))
    return causes


def _check_annotations(annotations: Object) -> list[FieldCause]:
    causes: list[FieldCause] = []
    size = 0
    for key, value in annotations.items():
        causes += _refused("metadata.annotations", key, names.qualified(key.lower()))
        size += len(key.encode()) + len(str(value).encode())
    if size > _MAX_ANNOTATIONS:
        causes.append(errors.too_long("metadata.annotations", _MAX_ANNOTATIONS))
    return causes


def _check_finalizer(field: str, finalizer: str) -> list[FieldCause]:
    if "/" in finalizer or finalizer in _STANDARD_FINALIZERS:
        return []
    text = "name is neither a standard finalizer name nor is it fully qualified"
    return [errors.invalid_value(field, f'"{finalizer}"', text)]


def _check_owners(owners: list[Object]) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, owner in enumerate(owners):
        where = f"metadata.ownerReferences[{index}]"
        causes += [
            errors.required(f"{where}.{field}", "must not be empty")
            for field in ("apiVersion", "kind", "name", "uid")
            if not owner.get(field)
        ]
    if sum(1 for owner in owners if owner.get("controller")) > 1:
        text = "Only one reference can have Controller set to true."
        causes.append(errors.invalid_value("metadata.ownerReferences", "[]", text))
    return causes


def _refused(field: str, value: str, complaints: list[str]) -> list[FieldCause]:
    return [errors.invalid_value(field, f'"{value}"', complaint) for complaint in complaints]
