"""Waits until every Application is Synced and Healthy, and every ApplicationSet has created its own.

Called by `syncline.cli.run.session` for `--once` and for the words that `demo` ends its start with. After the first
look at all Applications only those that change are looked at: a look at all of them after every change costs more than
delivering them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

from syncline.apimachinery.keys import GroupKind, Object, key_of
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.controller.live.index import LiveIndex


class View(Protocol):
    """A live view of the cluster that holds the Applications."""

    index: LiveIndex
    listeners: list[Callable[[Object], None]]


async def until_good(view: View) -> None:
    """Return when there are Applications, and all are Synced and Healthy after an operation that succeeded."""
    changed = asyncio.Event()
    unwell = {key_of(obj) for kind in _GOOD for obj in view.index.of_kind(kind) if not _GOOD[kind](obj)}

    def tell(obj: Object) -> None:
        key = key_of(obj)
        if is_good := _GOOD.get(key.group_kind):
            (unwell.discard if is_good(obj) or key not in view.index else unwell.add)(key)
            changed.set()

    view.listeners.append(tell)
    try:
        while unwell or not view.index.has_kind(APPLICATION):
            await changed.wait()
            changed.clear()
    finally:
        view.listeners.remove(tell)


def _is_good(app: Object) -> bool:
    status = app.get("status") or {}
    return (
        (status.get("sync") or {}).get("status") == "Synced"
        and (status.get("health") or {}).get("status") == "Healthy"
        and (status.get("operationState") or {}).get("phase") == "Succeeded"
    )


def _is_generated(appset: Object) -> bool:
    conditions = (appset.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "ResourcesUpToDate" and one.get("status") == "True" for one in conditions)


_GOOD: Mapping[GroupKind, Callable[[Object], bool]] = {APPLICATION: _is_good, APPLICATION_SET: _is_generated}
