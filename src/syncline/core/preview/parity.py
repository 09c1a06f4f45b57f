"""Compares what we render for an Application with what Argo CD rendered for it, object by object.

Called by `syncline.cli.parity` with both, before anybody trusts the rest. Marks of tracking are Argo CD's own and do
not count; values of Secrets come masked from its API, so only their names are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import diff
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import builtin
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


def compared(ours: Iterable[Object], theirs: Iterable[Object], namespace: str) -> tuple[Unequal, ...]:
    """Return the objects in which two renders differ; `namespace` is that of the Application's destination."""
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
                for one in diff.diff(mine[key], others[key], builtin.for_kind(gvk_of(mine[key])))[:1]
            ]
    return tuple(found)


def _by_key(objects: Iterable[Object], namespace: str) -> dict[ObjectKey, Object]:
    found = {}
    for obj in objects:
        plain = _plain(obj)
        key = key_of(obj)
        found[ObjectKey(key.group, key.kind, key.namespace or namespace, key.name)] = plain
    return found


def _plain(obj: Object) -> Object:
    """Return an object without marks of tracking, without its namespace, and without values of Secrets."""
    metadata: dict[str, Any] = {
        name: value for name, value in (obj.get("metadata") or {}).items() if name != "namespace"
    }
    for part, marks in _MARKS.items():
        entries = metadata.get(part)
        if isinstance(entries, Mapping):
            left = {name: value for name, value in entries.items() if name not in marks}
            metadata.pop(part)
            metadata |= {part: left} if left else {}
    plain = {**obj, "metadata": metadata}
    if is_secret(obj):
        keys = sorted({name for part in _VALUES for name in obj.get(part) or {}})
        plain = {name: value for name, value in plain.items() if name not in _VALUES} | {"data": keys}
    return plain


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
