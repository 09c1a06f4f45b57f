"""Which kinds are served in two shapes, and the way between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from syncline.sandbox.conversions import autoscalers, events
from syncline.sandbox.store.store import Bucket


class KindFamily(msgspec.Struct, frozen=True):
    """One kind in two shapes; the stored one comes first."""

    stored: GroupVersionKind
    other: GroupVersionKind
    bucket: Bucket
    to_stored: Callable[[Object], Object]
    from_stored: Callable[[Object], Object]

    def node(self, api_version: str) -> Node | None:
        """Return the schema in one of the two versions, None for any other."""
        found = next((gvk for gvk in (self.stored, self.other) if gvk.api_version == api_version), None)
        return None if found is None else builtin.for_kind(found)

    def convert(self, obj: Object, api_version: str) -> Object:
        """Return an object in one of the two versions; raises LookupError for any other."""
        given = obj.get("apiVersion")
        if api_version not in (self.stored.api_version, self.other.api_version):
            raise LookupError(api_version)
        if given == api_version:
            return obj
        changed = self.from_stored(obj) if given == self.stored.api_version else self.to_stored(obj)
        return {**changed, "apiVersion": api_version}


FAMILIES: Final = (
    KindFamily(
        stored=GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler"),
        other=GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"),
        bucket=Bucket("autoscaling", "horizontalpodautoscalers"),
        to_stored=autoscalers.to_v2,
        from_stored=autoscalers.to_v1,
    ),
    KindFamily(
        stored=GroupVersionKind("", "v1", "Event"),
        other=GroupVersionKind("events.k8s.io", "v1", "Event"),
        bucket=Bucket("", "events"),
        to_stored=events.to_core,
        from_stored=events.from_core,
    ),
)
_BY_KIND: Final = {gvk: family for family in FAMILIES for gvk in (family.stored, family.other)}


def family_of(gvk: GroupVersionKind) -> KindFamily | None:
    """Return the family a kind belongs to, None for one that has a single shape."""
    return _BY_KIND.get(gvk)
