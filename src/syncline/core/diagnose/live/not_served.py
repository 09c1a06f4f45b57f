"""Which objects are of a kind or version that the cluster does not serve, and what must have been meant by it.

Shared by the rules on versions (spelled wrongly, or removed from Kubernetes) and on kinds whose definition is missing.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, ObjectKey, gvk_of
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.live.written import item
from syncline.core.diagnose.messages.refusals import KIND_MISSING, refusals
from syncline.core.diagnose.subjects import App


class Unserved(msgspec.Struct, frozen=True):
    """An object that the cluster knows nothing of, with the apiVersion and kind to write instead, if any is near."""

    key: ObjectKey
    api_version: str = ""
    kind: str = ""
    removed: str = ""
    """Since which Kubernetes the version is gone; empty where it never was there."""


def unserved(app: App) -> list[Unserved]:
    """Return the objects that the last sync could not apply because of their kind or version."""
    found: dict[ObjectKey, Unserved] = {}
    for one in refusals(app):
        if one.by_sync and KIND_MISSING.search(one.message) and one.key not in found:
            found[one.key] = _meant(app, one.key)
    return [one for one in found.values() if one.key.group_kind not in app.assessment.kinds or one.api_version]


def _meant(app: App, key: ObjectKey) -> Unserved:
    written = item(app, key)
    if written is None:
        return Unserved(key)
    gvk = gvk_of(written.obj)
    gone = resources.removed(gvk)
    if gone is not None:
        return Unserved(key, api_version=gone.replacement, kind=key.kind, removed=gone.since)
    versions = {fact.kind: fact.versions for fact in app.assessment.snapshot.kinds}
    meant = _near(gvk, list(versions))
    if meant is None:
        return Unserved(key)
    served = versions[meant]
    if not served or (meant == gvk.group_kind and gvk.version in served):
        return Unserved(key)  # it is served by now
    version = served[0]
    return Unserved(key, api_version=f"{meant.group}/{version}" if meant.group else version, kind=meant.kind)


def _near(gvk: GroupVersionKind, served: list[GroupKind]) -> GroupKind | None:
    """Return the served kind that differs from this one by its version, or by one misspelled word."""
    if gvk.group_kind in served:
        return gvk.group_kind
    in_group = [kind.kind for kind in served if kind.group == gvk.group]
    if near := nearest(gvk.kind, in_group):
        return GroupKind(gvk.group, near[0]) if len(near[0]) - len(gvk.kind) in (-1, 0, 1) else None
    groups = [kind.group for kind in served if kind.kind == gvk.kind]
    near_groups = nearest(gvk.group, groups)
    return GroupKind(near_groups[0], gvk.kind) if near_groups else None
