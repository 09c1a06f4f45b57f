"""Counts failed logins, so that nobody can guess: five within five minutes lock an account for as long.

Only accounts that exist are counted, so that no number of made-up names pushes one out. A guess counts before it is
checked, so that guesses at the same time do not pass the limit together. The counts are kept in a ConfigMap too: a
process that was made to restart begins with them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupVersionKind, ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

MOST: Final = 5
WINDOW: Final = 300.0
KEPT_IN: Final = "syncline-login-failures"
_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_MANAGER = "syncline-server"


class Failures(msgspec.Struct, frozen=True):
    """How many guesses at an account failed in a row, and when the last one was."""

    count: int
    last: datetime


class Throttle:
    """The failed logins of all accounts."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._failed: dict[str, Failures] = {}

    def is_locked(self, name: str) -> bool:
        """Whether an account takes no guesses now."""
        found = self._known(name)
        return found is not None and found.count >= MOST

    def guess(self, name: str) -> None:
        """Count a guess, before it is checked."""
        found = self._known(name)
        self._failed[name] = Failures((found.count if found else 0) + 1, self._world.clock.now())

    async def failed(self, name: str) -> None:
        """Keep a guess that was wrong where a restart does not lose it."""
        await self._keep(name, self._failed.get(name))

    async def succeeded(self, name: str) -> None:
        """Forget the guesses at an account whose owner came."""
        had = self._kept(name) is not None
        self._failed.pop(name, None)
        if had:
            await self._keep(name, None)

    def _known(self, name: str) -> Failures | None:
        """Return the failures that count still, of this process and of those before it."""
        found = [one for one in (self._failed.get(name), self._kept(name)) if one is not None]
        now = self._world.clock.now()
        alive = [one for one in found if abs((now - one.last).total_seconds()) < WINDOW]
        return max(alive, key=lambda one: one.count, default=None)

    def _kept(self, name: str) -> Failures | None:
        key = ObjectKey("", "ConfigMap", self._world.settings.namespace, KEPT_IN)
        text = ((self._live.index.get(key) or {}).get("data") or {}).get(name, "")
        count, _, last = str(text).partition(" ")
        try:
            return Failures(int(count), times.parse(last))
        except (ValueError, times.InvalidTime):
            return None

    async def _keep(self, name: str, found: Failures | None) -> None:
        text = f"{found.count} {times.format_time(found.last)}" if found is not None else None
        home, namespace = self._world.home, self._world.settings.namespace
        try:
            try:
                stored = await home.patch(
                    _CONFIG_MAPS, namespace, KEPT_IN, {"data": {name: text}}, kind="merge", manager=_MANAGER
                )
            except ApiError as error:
                if error.code != 404 or text is None:
                    raise
                stored = await home.create(_CONFIG_MAPS, _config_map(namespace, name, text), manager=_MANAGER)
        except (ApiError, TransportError):
            # Without a right to write, or without a cluster, the counts of this process are all there is.
            return
        self._live.note_write({"apiVersion": "v1", "kind": "ConfigMap", **stored})


def _config_map(namespace: str, name: str, text: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": KEPT_IN, "namespace": namespace},
        "data": {name: text},
    }
