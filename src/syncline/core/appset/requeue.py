"""After how many seconds the generators of a set are asked again: the shortest of what each says or needs.

Asked by `syncline.controller.appsets.reconcile`. Lists never change by themselves, and clusters are watched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_SLOW = 1800.0
_SLOW_KINDS = ("scmProvider", "pullRequest", "plugin")
_POLLED_KINDS = ("git", "clusterDecisionResource")


def requeue_after(generators: Iterable[Any], default: float) -> float | None:
    """Return when to look again; None where nothing has to be asked."""
    return min(_all(generators, default), default=None)


def _all(generators: Iterable[Any], default: float) -> Iterator[float]:
    for entry in generators:
        if not isinstance(entry, Mapping):
            continue
        for kind, block in entry.items():
            if not isinstance(block, Mapping):
                continue
            if kind in ("matrix", "merge"):
                yield from _all(block.get("generators") or (), default)
            elif kind in _SLOW_KINDS or kind in _POLLED_KINDS:
                given = block.get("requeueAfterSeconds")
                seconds = float(given) if given is not None else _SLOW if kind in _SLOW_KINDS else default
                if seconds > 0:
                    yield seconds
