"""Which live object belongs to which Application.

`syncline.core.compare.prepare` stamps desired objects with it, the controller's live index reads it back. An object
that carries the id of another object (copied by some operator) belongs to nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import InvalidKey, Object, ObjectKey, key_of
from syncline.model import names
from syncline.model.application import Application, Condition
from syncline.model.condition import ConditionType
from syncline.model.settings.settings import Settings, TrackingMethod

_CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")


def instance_name(app_namespace: str, app_name: str, settings: Settings) -> str:
    """Return the name under which an Application marks its objects."""
    return app_name if app_namespace in ("", settings.namespace) else f"{app_namespace}_{app_name}"


def tracking_id(instance: str, key: ObjectKey) -> str:
    """Return the tracking annotation's value for an object."""
    return f"{instance}:{key}"


def parse_tracking_id(value: str) -> tuple[str, ObjectKey] | None:
    """Return instance and object named by a tracking id, or None when it is not one."""
    instance, colon, rest = value.partition(":")
    if not colon or not instance:
        return None
    try:
        return instance, ObjectKey.parse(rest)
    except InvalidKey:
        return None


def with_tracking(obj: Object, instance: str, namespace: str, settings: Settings) -> Object:
    """Return the object marked as belonging to `instance`; CRDs are left as they are."""
    key = key_of(obj)
    if (key.group, key.kind) == _CRD:
        return obj
    metadata = dict(meta.metadata(obj))
    if settings.tracking is not TrackingMethod.LABEL:
        id_key = ObjectKey(key.group, key.kind, key.namespace or namespace, key.name)
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            names.TRACKING_ID: tracking_id(instance, id_key),
        }
    if settings.installation_id:
        mark = {names.INSTALLATION_ID: settings.installation_id}
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **mark}
    if settings.tracking is not TrackingMethod.ANNOTATION:
        metadata["labels"] = {**(metadata.get("labels") or {}), settings.instance_label: _label(instance, settings)}
    return {**obj, "metadata": metadata}


def _label(instance: str, settings: Settings) -> str:
    if settings.tracking is TrackingMethod.LABEL:
        return instance
    return re.sub(r"[^A-Za-z0-9]+$", "", instance[:63])


def marks(settings: Settings) -> frozenset[tuple[str, ...]]:
    """Return the paths of the fields that say to whom an object belongs."""
    found = {("metadata", "annotations", names.TRACKING_ID), ("metadata", "annotations", names.INSTALLATION_ID)}
    if settings.tracking is not TrackingMethod.ANNOTATION:
        found.add(("metadata", "labels", settings.instance_label))
    return frozenset(found)


def owner_of(obj: Object, settings: Settings) -> str:
    """Return the instance a live object says it belongs to; empty when it names none, or another object (a copy)."""
    instance, named = _named(obj, settings)
    return instance if named is None or names_itself(named, key_of(obj)) else ""


def _named(obj: Object, settings: Settings) -> tuple[str, ObjectKey | None]:
    """Return the instance an object names, and the object its tracking id is about (labels are about nothing)."""
    metadata = meta.metadata(obj)
    annotations = metadata.get("annotations") or {}
    if settings.installation_id and annotations.get(names.INSTALLATION_ID) != settings.installation_id:
        return "", None
    if settings.tracking is TrackingMethod.LABEL:
        return str((metadata.get("labels") or {}).get(settings.instance_label) or ""), None
    return parse_tracking_id(str(annotations.get(names.TRACKING_ID) or "")) or ("", None)


def shared(app: Application, objects: Iterable[Object], settings: Settings) -> tuple[Condition, ...]:
    """Return a warning for each live object of an app that says it belongs to another app."""
    metadata = app.metadata
    instance = instance_name(metadata.namespace, metadata.name, settings)
    mine = f"{metadata.namespace}/{metadata.name}" if metadata.namespace else metadata.name
    warnings = []
    for obj in objects:
        other, _ = _named(obj, settings)
        if other and other != instance:
            key = key_of(obj)
            text = f"{key.kind}/{key.name} is part of applications {mine} and {other.replace('_', '/')}"
            warnings.append(Condition(ConditionType.SHARED_RESOURCE_WARNING, text))
    return tuple(sorted(warnings, key=lambda warning: warning.message))


def names_itself(named: ObjectKey, key: ObjectKey) -> bool:
    """Whether a tracking id names the object it is on (cluster-scoped objects carry the app's namespace in it)."""
    same_object = (named.group, named.kind, named.name) == (key.group, key.kind, key.name)
    return same_object and key.namespace in ("", named.namespace)
