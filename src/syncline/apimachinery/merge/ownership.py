"""Decides who owns what after a write: the writer gains what it changed, everybody else loses it.

Shared by `syncline.apimachinery.merge.applying` (where losing is a conflict unless forced) and `updating`.
Also follows schemas that changed since: whoever owned parts of what is now replaced whole owns the whole.
"""

from __future__ import annotations

from typing import NamedTuple

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import comparing, paths
from syncline.apimachinery.merge.fieldset import EMPTY, LEAF, FieldSet, Tree
from syncline.apimachinery.merge.managers import OwnerId, Owners
from syncline.apimachinery.merge.versions import Versions
from syncline.apimachinery.schema.node import Node

NEVER_OWNED = FieldSet.of(
    paths.path("apiVersion"),
    paths.path("kind"),
    paths.path("metadata"),
    *(
        paths.path("metadata", name)
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)
"""Fields that identify an object or belong to the API server."""


class Write(NamedTuple):
    """One write as ownership sees it."""

    before: Object
    after: Object
    writer: OwnerId
    versions: Versions
    ignored: FieldSet | None = None


class Settled(NamedTuple):
    """The owners after a write, and the fields others lost through it."""

    owners: Owners
    comparison: comparing.FieldChanges
    conflicts: dict[OwnerId, FieldSet]


def settle(write: Write, owners: Owners) -> Settled:
    """Take changed and removed fields from everybody but the writer; owners of nothing are dropped."""
    versions = write.versions
    node = versions.node(versions.api_version)
    assert node is not None  # noqa: S101 - the writer's own version is always known
    compared = comparing.compare(write.before, write.after, node)
    by_version: dict[str, comparing.FieldChanges | None] = {versions.api_version: compared.without(write.ignored)}
    out: Owners = {}
    conflicts: dict[OwnerId, FieldSet] = {}
    for identity, owner in owners.items():
        if identity == write.writer:
            if owner.fields:
                out[identity] = owner
            continue
        if owner.api_version not in by_version:
            by_version[owner.api_version] = _compare_in(write, owner.api_version)
        comparison = by_version[owner.api_version]
        # The version this owner wrote in is no longer served, so its paths mean nothing any more. The API server drops
        # such owners without a conflict, and so do we.
        if comparison is None:
            continue
        changed = comparison.modified.union(comparison.added)
        lost = owner.fields.intersection(changed)
        if lost:
            conflicts[identity] = lost
        # A removed field is not a conflict: an apply removes only what no other owner holds (see `pruning`), and an
        # update may remove anything.
        left = owner.fields.difference(lost).difference(comparison.removed)
        if left:
            out[identity] = owner.with_fields(left)
    # Only the writer's gain is compared unfiltered: what is ignored leaves its set afterwards.
    return Settled(out, compared, conflicts)


def _compare_in(write: Write, api_version: str) -> comparing.FieldChanges | None:
    before = write.versions.convert(write.before, api_version)
    after = write.versions.convert(write.after, api_version)
    node = write.versions.node(api_version)
    if before is None or after is None or node is None:
        return None
    return comparing.compare(before, after, node).without(write.ignored)


def follow_schema(owners: Owners, versions: Versions, *, fitting: FieldSet = EMPTY) -> Owners:
    """Drop owners in versions that are gone; owners of parts of an atomic field own the field.

    What owners share with a set that is `fitting` the schema of today needs no look inside.
    """
    out: Owners = {}
    for identity, owner in owners.items():
        if owner.fits and owner.api_version == versions.api_version:
            out[identity] = owner
            continue
        node = versions.node(owner.api_version)
        if node is None:
            continue
        today = fitting.tree if owner.api_version == versions.api_version else LEAF
        tree = _followed(owner.fields.tree, node, today)
        out[identity] = owner if tree is owner.fields.tree else owner.with_fields(FieldSet(tree))
    return out


def _followed(tree: Tree, node: Node, fitting: Tree) -> Tree:
    changed: Tree | None = None
    fields, elements = node.fields, node.elements
    if not fields and (elements is None or not elements.type):
        return tree
    for name, below in tree.items():
        today = fitting.get(name, LEAF)
        if not below or below is today:
            continue
        child = (fields.get(name[2:]) if name[0] == "f" else None) or elements
        if child is None:
            continue
        # The list or map was granular when the owner wrote it. Its paths inside would match nothing now, and the owner
        # would lose the field silently to the next writer; so it gets the whole.
        if _is_atomic(child):
            part: Tree = LEAF
        else:
            part = _followed(below, child, today)
        if part is not below:
            changed = dict(tree) if changed is None else changed
            changed[name] = part
    return tree if changed is None else changed


def _is_atomic(node: Node) -> bool:
    if node.type == "array":
        return node.list_type == "atomic"
    return node.type == "object" and node.map_type == "atomic"


def strip(owners: Owners, identity: OwnerId) -> None:
    """Take the fields nobody may own from one owner, in place."""
    owner = owners.get(identity)
    if owner is not None:
        left = owner.fields.difference(NEVER_OWNED)
        if left:
            owners[identity] = owner.with_fields(left)
        else:
            del owners[identity]
