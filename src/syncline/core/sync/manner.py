"""How each object is applied: server-side, client-side, by replacement or by creation; forced, validated, migrated.

Called by `syncline.core.sync.plan` for every object; `syncline.controller.deliver.apply` does as it says. The odd fact:
without a word from app or object, Argo CD applies client-side, and Syncline server-side, except that an object which
still carries the last-applied annotation keeps the way it was applied until somebody opts in, and that a list which
repeats a key goes the way that can tell its items apart.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.apimachinery.schema import repeated
from syncline.model import names
from syncline.model.operation import SyncOperation
from syncline.model.plan import ApplyMethod, Method
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions

HOLDS_OTHERS = frozenset(
    (
        GroupKind("", "Namespace"),
        GroupKind("", "PersistentVolume"),
        GroupKind("", "PersistentVolumeClaim"),
        GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"),
    )
)
"""Kinds whose deletion takes objects or data of others along: only under Argo CD's rules does Force delete them."""


def manner_of(
    obj: Object, live: Object | None, app_options: SyncOptions, sync: SyncOperation, compat: Compat
) -> ApplyMethod:
    """Return how an object is to be applied over what is live."""
    strategy = sync.sync_strategy
    forced = strategy is not None and any(way is not None and way.force for way in (strategy.apply, strategy.hook))
    said = _Said(
        app=app_options,
        own=SyncOptions.of(obj),
        live=SyncOptions.of(live),
        present=live is not None,
        applied_before=_is_patched_as_before(obj, live),
        refused_server_side=repeated.refused_server_side(obj),
        force=forced,
        forceable=compat is Compat.ARGOCD or gvk_of(obj).group_kind not in HOLDS_OTHERS,
        argocd=compat is Compat.ARGOCD,
    )
    return _manner(said)


class _Said(NamedTuple):
    """Everything the way of applying depends on; most objects of an app agree in all of it."""

    app: SyncOptions
    own: SyncOptions
    live: SyncOptions
    present: bool
    applied_before: bool
    refused_server_side: bool
    force: bool
    forceable: bool
    argocd: bool


@functools.lru_cache(maxsize=256)
def _manner(said: _Said) -> ApplyMethod:
    return ApplyMethod(
        method=_method(said),
        force=said.forceable and (said.force or said.own.force or said.live.force),
        validate=_validates(said),
        migrate=said.app.client_side_apply_migration,
        keep_ignored=said.app.respect_ignore_differences,
    )


def _validates(said: _Said) -> bool:
    return said.app.validate and said.own.validate


def _method(said: _Said) -> Method:
    if said.app.replace or said.own.replace or said.live.replace:
        return Method.REPLACE if said.present else Method.CREATE
    if said.own.server_side_apply is False:
        return Method.CLIENT_SIDE
    if said.app.server_side_apply or said.own.server_side_apply:
        return Method.SERVER_SIDE
    if said.argocd or said.app.server_side_apply is False or said.applied_before:
        return Method.CLIENT_SIDE
    if said.refused_server_side or not _validates(said):
        # Server-side apply refuses a list that repeats a key; kubectl's patches take it.
        # Server-side apply never takes a field that the schema does not have, whatever is to be validated.
        return Method.CLIENT_SIDE
    return Method.SERVER_SIDE


def _is_patched_as_before(obj: Object, live: Object | None) -> bool:
    """Whether live carries the last-applied annotation and a patch from it can tell all items of lists apart."""
    if live is None or not meta.annotation(live, names.LAST_APPLIED):
        return False
    return not (repeated.ambiguous_in_patches(obj) or repeated.ambiguous_in_patches(live))
