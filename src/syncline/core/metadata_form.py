"""Whether the metadata of an object has the form that everything here relies on.

Asked by `syncline.core.compare.prepare` about what Git holds and by `syncline.api.object_files` about what files hold:
both may hold anything. What a cluster serves has this form always.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object

_TEXTS = ("name", "generateName", "namespace")
_MAPS = ("annotations", "labels")
_LISTS = {"finalizers": str, "ownerReferences": dict, "managedFields": dict}


def odd_metadata(obj: Object) -> tuple[str, str]:
    """Return the path of the first part that has not its form, and what it must be; two empty texts where all have."""
    metadata = obj.get("metadata")
    if metadata is None:
        return "", ""
    if not isinstance(metadata, dict):
        return "metadata", "must be a map"
    for name in _TEXTS:
        if not isinstance(metadata.get(name) or "", str):
            return f"metadata.{name}", "must be a text: quote it"
    for name in _MAPS:
        if not isinstance(metadata.get(name) or {}, dict):
            return f"metadata.{name}", "must be a map"
    for name, item in _LISTS.items():
        if not _is_list_of(metadata.get(name), item):
            return f"metadata.{name}", f"must be a list of {'strings' if item is str else 'maps'}"
    return "", ""


def _is_list_of(value: Any, item: type) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(one, item) for one in value))
