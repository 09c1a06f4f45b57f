"""The key of an ApplicationSet, by which every part of its subject speaks of it."""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.controller.runtime.keys import Key
from syncline.model import names

APPLICATION_SET = GroupKind(names.GROUP, "ApplicationSet")


class AppSetKey(Key):
    """Namespace and name of an ApplicationSet."""

    __slots__ = ()


def appset_key(key: AppSetKey) -> ObjectKey:
    """Return the object key of an ApplicationSet."""
    return ObjectKey(APPLICATION_SET.group, APPLICATION_SET.kind, key.namespace, key.name)
