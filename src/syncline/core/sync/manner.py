"""How each object is applied: server-side, client-side, by replacement or by creation; forced, validated, migrated.

Called by `syncline.core.sync.plan` for every object; `syncline.controller.deliver.apply` does as it says. The odd fact:
without a word from app or object, Argo CD applies client-side, and Syncline server-side, except that an object which
still carries the last-applied annotation keeps the way it was applied until somebody opts in.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.sync import options
from syncline.model import names
from syncline.model.operation import SyncOperation
from syncline.model.plan import Manner, Method
from syncline.model.settings.settings import Compat

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
    obj: Object, live: Object | None, app_options: Sequence[str], sync: SyncOperation, compat: Compat
) -> Manner:
    """Return how an object is to be applied over what is live."""
    strategy = sync.sync_strategy
    forced = strategy is not None and any(way is not None and way.force for way in (strategy.apply, strategy.hook))
    said = _Said(
        app=tuple(app_options),
        own=options.object_options(obj),
        live=options.object_options(live),
        present=live is not None,
        applied_before=_carries_last_applied(live),
        force=forced,
        forceable=compat is Compat.ARGOCD or gvk_of(obj).group_kind not in HOLDS_OTHERS,
        argocd=compat is Compat.ARGOCD,
    )
    return _manner(said)


class _Said(NamedTuple):
    """Everything the way of applying depends on; most objects of an app agree in all of it."""

    app: tuple[str, ...]
    own: tuple[str, ...]
    live: tuple[str, ...]
    present: bool
    applied_before: bool
    force: bool
    forceable: bool
    argocd: bool


@functools.lru_cache(maxsize=256)
def _manner(said: _Said) -> Manner:
    return Manner(
        method=_method(said),
        force=said.forceable and (said.force or "Force=true" in (*said.own, *said.live)),
        validate=_validates(said),
        migrate="ClientSideApplyMigration=false" not in said.app,
        keep_ignored="RespectIgnoreDifferences=true" in said.app,
    )


def _validates(said: _Said) -> bool:
    return "Validate=false" not in (*said.app, *said.own)


def _method(said: _Said) -> Method:
    if "Replace=true" in (*said.app, *said.own, *said.live):
        return Method.REPLACE if said.present else Method.CREATE
    if "ServerSideApply=false" in said.own:
        return Method.CLIENT_SIDE
    if "ServerSideApply=true" in (*said.app, *said.own):
        return Method.SERVER_SIDE
    if said.argocd or "ServerSideApply=false" in said.app or said.applied_before:
        return Method.CLIENT_SIDE
    if not _validates(said):
        # Server-side apply never takes a field that the schema does not have, whatever is to be validated.
        return Method.CLIENT_SIDE
    return Method.SERVER_SIDE


def _carries_last_applied(live: Object | None) -> bool:
    return bool((((live or {}).get("metadata") or {}).get("annotations") or {}).get(names.LAST_APPLIED))
