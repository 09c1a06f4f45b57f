"""Compares what we render for an Application with what Argo CD rendered for it, object by object.

Called by `syncline.api.parity` with both, before anybody trusts the rest. Marks of tracking are Argo CD's own and do
not count; values of Secrets come masked from its API, so only their names are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from syncline.apimachinery import diff
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import builtin
from syncline.core.compare.context import NodeFor
from syncline.model import names
from syncline.model.masking import is_secret

_MARKS = {"annotations": (names.TRACKING_ID, names.INSTALLATION_ID), "labels": ("app.kubernetes.io/instance",)}
_VALUES = ("data", "stringData")


class Unequal(msgspec.Struct, frozen=True):
    """An object that is not the same, and the first field in which it differs; without a field one side lacks it."""

    key: ObjectKey
    path: str
    ours: str
    theirs: str


def compared(
    ours: Iterable[Object], theirs: Iterable[Object], namespace: str, node_for: NodeFor | None = None
) -> tuple[Unequal, ...]:
    """Return the objects in which two renders differ; `namespace` is that of the Application's destination.

    With `node_for` values are compared by what they mean, since a server may have spelled them otherwise.
    """
    mine, others = _by_key(ours, namespace), _by_key(theirs, namespace)
    found = []
    for key in sorted({*mine, *others}):
        if key not in others:
            found.append(Unequal(key, "", "there", "absent"))
        elif key not in mine:
            found.append(Unequal(key, "", "absent", "there"))
        else:
            found += [
                Unequal(key, one.path, _shown(one.before), _shown(one.after))
                for one in _differing(mine[key], others[key], node_for)[:1]
            ]
    return tuple(found)


def _differing(ours: Object, theirs: Object, node_for: NodeFor | None) -> Sequence[diff.FieldChange]:
    gvk = gvk_of(ours)
    if node_for is not None:
        return list(diff.diff(ours, theirs, node_for(gvk), by_value=True, ignore_order=True))
    return list(diff.diff(ours, theirs, builtin.for_kind(gvk)))


def _by_key(objects: Iterable[Object], namespace: str) -> dict[ObjectKey, Object]:
    found = {}
    for obj in objects:
        plain = _plain(obj)
        found[placed(key_of(obj), namespace)] = plain
    return found


def placed(key: ObjectKey, namespace: str) -> ObjectKey:
    """Return a key as both sides name it: in the namespace of the destination where it has none."""
    return ObjectKey(key.group, key.kind, key.namespace or namespace, key.name)


def _plain(obj: Object) -> Object:
    """Return an object without marks of tracking, without its namespace, and without values of Secrets."""
    metadata: dict[str, Any] = {
        name: value for name, value in (obj.get("metadata") or {}).items() if name != "namespace"
    }
    for part, marks in _MARKS.items():
        # A part that says nothing is none: the marks of the other side stand there.
        entries = metadata.pop(part, None)
        left = {name: value for name, value in entries.items() if name not in marks} if entries else {}
        metadata |= {part: left} if left else {}
    plain = {**obj, "metadata": metadata}
    if is_secret(obj):
        keys = sorted({name for part in _VALUES for name in obj.get(part) or {}})
        plain = {name: value for name, value in plain.items() if name not in _VALUES} | {"data": keys}
    return plain


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
