"""What follows from a change on the clusters, one kind of consequence per file, all told in the same words.

Called by `syncline.core.preview.preview` with the scene. Nobody asked a cluster: what a sync would do is read from both
sides in Git, and what depends on the cluster is said as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from syncline.core.preview.effects import (
    addresses,
    broken,
    endpoints,
    hooks,
    not_restarted,
    policies,
    prunes,
    recreations,
    restarts,
    stops,
    transfers,
    versions,
    windows,
)
from syncline.core.preview.effects.waves import timelines
from syncline.core.preview.scene import Scene
from syncline.model.finding import Finding
from syncline.model.preview import Effect, EffectKind

__all__ = ["effects", "timelines"]

_ALL = (
    broken.effects,
    recreations.effects,
    versions.effects,
    stops.effects,
    prunes.effects,
    transfers.effects,
    addresses.effects,
    endpoints.effects,
    restarts.effects,
    not_restarted.effects,
    hooks.effects,
    windows.effects,
)
_RANK = {kind: rank for rank, kind in enumerate(EffectKind)}


def effects(scene: Scene, new: Sequence[Finding]) -> tuple[Effect, ...]:
    """Return all consequences, the worst first; equal ones of several apps are one."""
    found = [one for part in _ALL for one in part(scene)]
    found += policies.effects(new)
    return tuple(sorted(_joined(found), key=lambda one: _RANK[one.kind]))


def _joined(found: Iterable[Effect]) -> list[Effect]:
    """Join what happens in several apps in the same words, as with one app per environment."""
    together: dict[tuple[EffectKind, str, str], Effect] = {}
    for one in found:
        key = one.kind, one.short, one.text
        if key in together:
            first = together[key]
            apps = tuple(dict.fromkeys((*first.apps, *one.apps)))
            one = msgspec.structs.replace(first, apps=apps, pods=first.pods + one.pods)
        together[key] = one
    return list(together.values())
