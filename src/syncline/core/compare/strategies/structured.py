"""Predicts by structured merge: what a server-side apply with our own field manager, forced, would leave behind.

Called by `syncline.core.compare.sides`. Ownership left by client-side apply is taken over first, as the controller does
when it applies. Where nothing changes, the predicted object is the base itself.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import diff, merge
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.compare import attribution
from syncline.core.compare.context import Context
from syncline.core.compare.migration import assumed, migrated


def predict(desired: Object, base: Object, context: Context) -> Object:
    """Return what the cluster would hold after a server-side apply of `desired`; `base` is live as taken over."""
    node = context.node_for(gvk_of(desired))
    manager = context.settings.field_manager
    return merge.apply(base, desired, manager=manager, node=node, force=True, now=context.as_of).obj


def taken_over(live: Object, context: Context) -> Object:
    """Return the live object as it is after ownership by client-side apply was moved to us."""
    node, manager = context.node_for(gvk_of(live)), context.settings.field_manager
    moved = migrated(live, manager, node, context.migration_managers) if _migrates(context) else None
    return moved or assumed(live, manager, node) or live


def _migrates(context: Context) -> bool:
    """Whether a sync would move ownership; if not, a key removed from Git stays while its former writer holds it."""
    return context.sync_options.client_side_apply_migration


def forgotten_by_server(change: diff.FieldChange, base: Object, applied: Object, manager: str) -> bool:
    """Whether a field was applied with a zero value (false, 0, empty) and the server keeps no such values.

    It is still ours in managedFields (or said by last-applied), although it is not live: only then was it applied.
    """
    if change.before is not MISSING or not _is_zero(change.after):
        return False
    path = FieldPath.parse(change.path)
    return attribution.names(base, manager, path.steps) or path.resolve(applied) == change.after


def _is_zero(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_zero(member) for member in value.values())
    return not value and value is not MISSING
