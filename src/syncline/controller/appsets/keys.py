"""The key of an ApplicationSet, by which every part of its subject speaks of it."""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.controller.runtime.keys import Key
from syncline.core.policy.set_tenancy import literal_project
from syncline.model import names

APPLICATION_SET = GroupKind(names.GROUP, "ApplicationSet")


class AppSetKey(Key):
    """Namespace and name of an ApplicationSet."""

    __slots__ = ()


def appset_key(key: AppSetKey) -> ObjectKey:
    """Return the object key of an ApplicationSet."""
    return ObjectKey(APPLICATION_SET.group, APPLICATION_SET.kind, key.namespace, key.name)


def tenant_of(appset: Object) -> str:
    """Return whose turn a set takes: that of its project; where its template decides, that of its namespace."""
    project = meta.annotation(appset, names.SET_PROJECT) or literal_project(appset)
    return project or f"{meta.namespace(appset)}/"
