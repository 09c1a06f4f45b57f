"""Applies a configuration to a live object, server-side: the object, its owners, or the conflicts.

The sandbox answers apply requests with it, and comparison predicts what an apply would change. Fields the applier
had and no longer mentions go, unless somebody else owns them; fields others own with another value are conflicts.
Defaults come afterwards and belong to nobody. Nulls stay in the object: decoding drops them.
"""

from __future__ import annotations

from typing import NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.merge import (
    combining,
    conflicts,
    described,
    lastapplied,
    managers,
    ownership,
    pruning,
    updating,
    values,
)
from syncline.apimachinery.merge.conflicts import FieldConflict
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.managers import APPLY, UPDATE, Owner, OwnerId, Owners
from syncline.apimachinery.merge.ownership import Write
from syncline.apimachinery.merge.skeletons import skeleton
from syncline.apimachinery.merge.versions import NodeFor, ToVersion, Versions
from syncline.apimachinery.schema.node import Node


class Merged(NamedTuple):
    """What an apply leads to: with conflicts, the object is live as it was.

    `changed` is False for an apply that stores nothing and so must not count up the resource version.
    """

    obj: Object
    conflicts: tuple[FieldConflict, ...] = ()
    changed: bool = True


class _Request(NamedTuple):
    """One apply, its owner named and its fields listed."""

    live: Object
    config: Object
    fields: FieldSet
    ownable: FieldSet
    applier: OwnerId
    versions: Versions
    node: Node
    ignored: FieldSet | None


def apply(
    live: Object | None,
    config: Object,
    *,
    manager: str,
    node: Node,
    force: bool,
    now: str,
    subresource: str = "",
    ignored: FieldSet | None = None,
    node_for: NodeFor | None = None,
    to_version: ToVersion | None = None,
) -> Merged:
    """Merge a configuration into live; raises `SchemaError` for what the API server refuses to merge."""
    if updating.managed_fields(config) is not None:
        raise values.SchemaError("metadata.managedFields must be nil")
    fields = _mentioned(config, node)
    if ignored:
        fields = fields.recursive_difference(ignored)
    versions = Versions(str(config.get("apiVersion") or ""), node, node_for, to_version)
    request = _Request(
        live=(versions.convert(live, versions.api_version) or live) if live is not None else {},
        config=config,
        fields=fields,
        ownable=fields.difference(ownership.NEVER_OWNED),
        applier=managers.owner_id(manager, APPLY, "", subresource),
        versions=versions,
        node=node,
        ignored=ignored,
    )
    owners = _starting_owners(request, now=now, subresource=subresource)
    if _says_nothing_new(request, owners):
        return Merged(request.live, changed=False)
    merged, settled = _settle(request, owners)
    lost = settled.conflicts
    # kubectl may take fields from its own client-side past without --force: what it applied then and what is still so
    # is recorded as an update, and would be a conflict with itself.
    if lost and not force:
        if manager == lastapplied.KUBECTL:
            lost = _not_from_client_side(request, lost)
        if lost:
            return Merged(request.live, conflicts.from_owners(lost, owners), changed=False)
    return _stored(request, merged, settled.owners, now=now)


def _mentioned(config: Object, node: Node) -> FieldSet:
    try:
        return described.checked_set_of(config, node)
    except values.SchemaError as problem:
        metadata, gvk = meta.metadata(config), gvk_of(config)
        where = f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
        kind = f"{gvk.group}/{gvk.version}, Kind={gvk.kind}"
        raise values.SchemaError(f"failed to create typed patch object ({where}; {kind}): {problem}") from None


def _starting_owners(request: _Request, *, now: str, subresource: str) -> Owners:
    """Return live's owners; where nobody was tracked yet, what is there came before the first apply."""
    try:
        owners = managers.decode(updating.managed_fields(request.live), expected=request.ownable)
    except values.SchemaError as problem:
        raise values.SchemaError(f"failed to decode managed fields: {problem}") from None
    if owners or not request.live:
        return owners
    versions = request.versions
    writer = managers.owner_id("before-first-apply", UPDATE, versions.api_version, subresource)
    start = skeleton(request.config)
    return updating.record(Write(start, request.live, writer, versions, request.ignored), owners, now=now)


def _says_nothing_new(request: _Request, owners: Owners) -> bool:
    """Whether the only owner applies once more just what is there; most objects are looked at in this state."""
    last = owners.get(request.applier)
    if last is None or not last.fits or len(owners) != 1 or last.api_version != request.versions.api_version:
        return False
    if request.applier.manager == lastapplied.KUBECTL:
        return False
    return values.equal(request.live, combining.combine(request.live, request.config, request.node))


def _settle(request: _Request, owners: Owners) -> tuple[Object, ownership.Settled]:
    versions, applier = request.versions, request.applier
    fields = request.fields
    # Applying mostly the same fields again is usual: what is one object spares pruning, sorting and encoding.
    if applier in owners and not owners[applier].fits:
        fields = fields.sharing(owners[applier].fields)
    owners = ownership.follow_schema(owners, versions, fitting=fields)
    merged = combining.combine(request.live, request.config, request.node)
    last = owners.get(applier)
    if last is not None and (last.fits or request.ownable == last.fields):
        fields = last.fields
    owners[applier] = Owner(fields, versions.api_version, last.time if last is not None else None)
    merged = pruning.prune(merged, owners, applier, last, versions)
    write = Write(request.live, merged, applier, versions, request.ignored)
    return merged, ownership.settle(write, owners)


def _not_from_client_side(request: _Request, lost: dict[OwnerId, FieldSet]) -> dict[OwnerId, FieldSet]:
    allowed = lastapplied.still_as_applied(request.live, request.versions.api_version, request.node)
    left = {owner: fields.difference(allowed) for owner, fields in lost.items()}
    return {owner: fields for owner, fields in left.items() if fields}


def _stored(request: _Request, merged: Object, owners: Owners, *, now: str) -> Merged:
    live = request.live
    same = bool(live) and values.equal(live, merged)
    # As in the API server, fields that nobody may own take part in the merge and leave the set only afterwards.
    ownership.strip(owners, request.applier)
    if not same and request.applier in owners:
        owner = owners[request.applier]
        owners[request.applier] = Owner(owner.fields, owner.api_version, now)
    known = updating.managed_fields(live)
    entries = managers.encode(owners, known=known)
    if request.applier.manager == lastapplied.KUBECTL:
        refreshed = lastapplied.refreshed(merged, request.config)
        same, merged = same and refreshed is merged, refreshed
    if same and managers.same_but_times(entries, known):
        return Merged(live, changed=False)
    return Merged(updating.with_managed_fields(merged, entries), changed=True)
