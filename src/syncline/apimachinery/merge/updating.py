"""Gives a create, update or patch its place in managedFields.

The sandbox calls it with the object as it will be stored; the writer gains every field it added or changed.
Only what changes counts: a writer that sends what is there already owns nothing new, and its entry keeps its time.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import managers, ownership, values
from syncline.apimachinery.merge.fieldset import EMPTY, FieldSet
from syncline.apimachinery.merge.managers import UPDATE, Owner, OwnerId, Owners
from syncline.apimachinery.merge.ownership import Write
from syncline.apimachinery.merge.skeletons import skeleton
from syncline.apimachinery.merge.versions import NodeFor, ToVersion, Versions
from syncline.apimachinery.schema.node import Node

_CURRENT = OwnerId("current-operation", "", "", "")
"""The write itself, apart from what its writer owned before: only so is it known whether it changed anything."""


def update(
    old: Object | None,
    new: Object,
    *,
    manager: str,
    node: Node,
    now: str,
    subresource: str = "",
    ignored: FieldSet | None = None,
    node_for: NodeFor | None = None,
    to_version: ToVersion | None = None,
) -> Object:
    """Return the new object with managedFields as they are after a write that is not an apply.

    `old` is None on creation; `ignored` holds what this endpoint does not store (`status`, or all but it).
    An object the schema cannot follow keeps the owners it had.
    """
    owners = _starting_owners(old, new, subresource=subresource)
    known = managed_fields(old)
    # Nobody tracks an object whose managedFields were cleared until the next apply starts again: a plain update must
    # not make its writer the owner of everything.
    if old is not None and not owners:
        return with_managed_fields(new, [])
    bare = with_managed_fields(new, [])
    versions = Versions(str(new.get("apiVersion") or ""), node, node_for, to_version)
    writer = managers.owner_id(manager, UPDATE, versions.api_version, subresource)
    try:
        before = skeleton(new) if old is None else _bare(old, versions)
        write = Write(before, bare, writer, versions, ignored)
        owners = record(write, owners, now=now)
    except values.SchemaError:
        return with_managed_fields(new, known)
    entries = managers.encode(managers.capped(owners), known=known)
    # A write that changes nothing must not move times: else every no-op update would count up the resource version.
    if old is not None and entries != known and managers.same_but_times(entries, known) and values.equal(before, bare):
        entries = known
    return with_managed_fields(new, entries)


def _bare(old: Object, versions: Versions) -> Object:
    return without_managed_fields(versions.convert(old, versions.api_version) or old)


def record(write: Write, owners: Owners, *, now: str) -> Owners:
    """Return the owners after a write, the writer's gain joined with what it had."""
    owners = ownership.follow_schema(owners, write.versions)
    settled = ownership.settle(Write(write.before, write.after, _CURRENT, write.versions, write.ignored), owners)
    gained = settled.comparison.modified.union(settled.comparison.added)
    if write.ignored:
        gained = gained.recursive_difference(write.ignored)
    gained = gained.difference(ownership.NEVER_OWNED)
    out = settled.owners
    if gained:
        had = out[write.writer].fields if write.writer in out else EMPTY
        out[write.writer] = Owner(gained.union(had), write.versions.api_version, now)
    return out


def _starting_owners(old: Object | None, new: Object, *, subresource: str) -> Owners:
    """Return the owners a write starts from: those it sends itself, else live's; none after a reset."""
    sent = managed_fields(new)
    if not subresource:
        if managers.is_reset(sent):
            return {}
        try:
            owners = managers.decode(sent)
        except values.SchemaError:
            owners = {}
        if owners:
            return owners
    try:
        return managers.decode(managed_fields(old))
    except values.SchemaError:
        return {}


def managed_fields(obj: Object | None) -> Any:
    """Return an object's managedFields as they stand."""
    metadata = obj.get("metadata") if obj is not None else None
    return metadata.get("managedFields") if isinstance(metadata, dict) else None


def without_managed_fields(obj: Object) -> Object:
    """Return an object without managedFields; itself when it has none."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def with_managed_fields(obj: Object, entries: Any) -> Object:
    """Return an object with these managedFields, without any where there are none."""
    if not entries:
        return without_managed_fields(obj)
    return {**obj, "metadata": {**(meta.metadata(obj)), "managedFields": entries}}
