"""Finds what a CustomResourceDefinition's schema would silently drop from a write.

Asked with a patch of an Application: what Syncline writes must survive Argo CD's schema,
and the API server prunes without a word. Walks along the patch, so the work follows the patch and not the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object

_KEEP = "x-kubernetes-preserve-unknown-fields"
_API_SERVERS_OWN = frozenset({"apiVersion", "kind", "metadata"})


def unknown_fields(status_or_patch: Object, crd: Object) -> tuple[str, ...]:
    """Return the paths of an object or merge patch that the CRD's stored version does not know, as `status.a[0].b`."""
    schema = next(version for version in crd["spec"]["versions"] if version["storage"])["schema"]["openAPIV3Schema"]
    own = {name: member for name, member in status_or_patch.items() if name not in _API_SERVERS_OWN}
    return tuple(_unknown(own, schema, ""))


def _unknown(value: Any, schema: Object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            here = f"{path}.{name}" if path else name
            if isinstance(inner, dict):
                yield from _unknown(member, inner, here)
            elif not inner and not schema.get(_KEEP):
                yield here
    elif isinstance(value, list):
        items = schema.get("items") or (schema if schema.get(_KEEP) else {})
        for position, member in enumerate(value):
            yield from _unknown(member, items, f"{path}[{position}]")
