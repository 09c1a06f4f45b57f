"""Applies and computes strategic merge patches, which know how each field of a kind is merged.

The sandbox hands documents to `apply`; whoever applies client-side takes `three_way`, as `kubectl apply`
computes it.
Schemas come as `syncline.apimachinery.schema.node.Node`; without one, maps are merged and lists replaced.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import errors, strategic_conflicts, strategic_diff, strategic_merge
from syncline.apimachinery.schema.node import Node


def apply(doc: Object, patch: Any, node: Node | None) -> Object:
    """Return the document with the patch merged into it."""
    if patch is None:
        return doc
    if not isinstance(patch, dict):
        raise errors.undecodable(patch, "map[string]interface {}", prefix="")
    return strategic_merge.merge_map(doc, patch, node, combine=False)


def three_way(
    original: Object, modified: Object, current: Object, node: Node | None, *, overwrite: bool = True
) -> Object:
    """Return the patch that brings the live object to what is applied now.

    It sets what `modified` says and `current` does not, and removes what `original` (last applied) said and
    `modified` no longer does; everything else in `current` belongs to others and stays. Without
    `overwrite`, a field that others changed differently since `original` is an error.
    """
    additions = strategic_diff.diff_maps(current, modified, node, strategic_diff.ADDITIONS)
    deletions = strategic_diff.diff_maps(original, modified, node, strategic_diff.DELETIONS)
    patch = strategic_merge.merge_map(deletions, additions, node, combine=True)
    if not overwrite:
        changed = strategic_diff.diff_maps(original, current, node, strategic_diff.UNORDERED)
        field = strategic_conflicts.first_conflict(patch, changed, node)
        if field is not None:
            raise errors.PatchError(f"patch conflicts with changes made from original to current: {field}", status=409)
    return patch
