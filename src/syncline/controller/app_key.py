"""The key of an Application, by which every part of the controller speaks of it."""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.controller.runtime.keys import Key
from syncline.model import names

APPLICATION = GroupKind(names.GROUP, "Application")


class AppKey(Key):
    """Namespace and name of an Application."""

    __slots__ = ()


def application_key(key: AppKey) -> ObjectKey:
    """Return the object key of an Application."""
    return ObjectKey(APPLICATION.group, APPLICATION.kind, key.namespace, key.name)
