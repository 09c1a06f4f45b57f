"""Applies and computes JSON Merge Patches (RFC 7386) as kube-apiserver does.

Handed documents by the sandbox and by whoever writes status; the result goes back to them.
The one odd fact: Kubernetes' library also drops nulls from objects inside the lists of a patch, where the RFC
keeps lists as they are written; and it does not when such a list replaces an object.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import errors


def apply(doc: Object, patch: Any) -> Object:
    """Return the document with the patch merged into it."""
    if patch is None:
        raise errors.malformed("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise errors.undecodable(patch, "map[string]interface {}")
    return _merge(doc, patch)


def make(before: Object, after: Object) -> Object | None:
    """Return the patch that turns one document into the other, or None where there is nothing to change.

    A null inside `after` cannot be expressed: the patch removes the field.
    """
    patch: Object = {}
    for key, value in after.items():
        if key not in before:
            patch[key] = value
            continue
        old = before[key]
        if isinstance(old, dict) and isinstance(value, dict):
            nested = make(old, value)
            if nested is not None:
                patch[key] = nested
        elif not equality.equal(old, value):
            patch[key] = value
    for key in before:
        if key not in after:
            patch[key] = None
    return patch or None


def three_way(original: Object, modified: Object, current: Object) -> Object:
    """Return the patch `kubectl apply` sends for kinds without a strategy, such as custom resources.

    It sets what `modified` says and `current` does not, and removes what only `original` (last applied) said.
    """
    patch: Object = {}
    for key, value in modified.items():
        live, applied = current.get(key), original.get(key)
        if isinstance(value, dict) and (isinstance(live, dict) or isinstance(applied, dict)):
            nested = three_way(
                applied if isinstance(applied, dict) else {}, value, live if isinstance(live, dict) else {}
            )
            if nested or not isinstance(live, dict):
                patch[key] = nested
        elif key not in current or not equality.equal(live, value):
            patch[key] = value
    for key in original:
        if key not in modified:
            patch[key] = None
    return patch


def _merge(doc: Object, patch: Object) -> Object:
    result = dict(doc)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
            continue
        current = result.get(key)
        if not isinstance(current, dict):
            result[key] = without_nulls(value)
        elif isinstance(value, dict):
            result[key] = _merge(current, value)
        else:
            result[key] = value
    return result


def without_nulls(value: Any) -> Any:
    """Return the value without null members of objects, itself where it holds none."""
    if not _holds_null(value):
        return value
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value]


def _holds_null(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        for item in value.values():
            if item is None or (type(item) is not str and _holds_null(item)):
                return True
    elif kind is list:
        return any(map(_holds_null, value))
    return False
