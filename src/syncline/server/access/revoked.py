"""Sessions that somebody ended before their time: their tokens stay refused, also after a restart.

Kept in memory and in a ConfigMap of the installation, by a digest of the token's id and until the token expires by
itself, so that the list stays short; see docs/decisions/0013-ended-sessions.md. Asked for every request by
`syncline.server.access.tokens`.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from syncline.apimachinery.keys import GroupVersionKind, Object, ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError
from syncline.server.failures import UNAVAILABLE, Failure

KEPT_IN: Final = "syncline-ended-sessions"
AT_MOST: Final = 5_000
"""Entries of some sixty bytes each: well below what a ConfigMap holds."""
_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_MANAGER = "syncline-server"


class Revoked:
    """The ended sessions, of this process and of those before it."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._ended: dict[str, int] = {}

    def __contains__(self, token_id: str) -> bool:
        """Whether the session of a token was ended."""
        name = _name(token_id)
        return name in self._ended or name in self._data()

    async def add(self, token_id: str, until: float) -> None:
        """End a session, until its token would expire; 0 is for tokens that do not."""
        now = self._world.clock.now().timestamp()
        known = {**self._kept(), **self._ended}
        over = [name for name, end in known.items() if end and end < now]
        if len(known) - len(over) >= AT_MOST:
            raise Failure(UNAVAILABLE, "too many sessions were ended of late", hint="let this one expire")
        self._ended = {name: end for name, end in self._ended.items() if not end or end >= now}
        # A second more, so that the entry never goes before the token does.
        name, end = _name(token_id), int(until) + 1 if until else 0
        self._ended[name] = end
        await self._keep({name: str(end), **dict.fromkeys(over)})

    def _data(self) -> dict[str, Any]:
        """Return what the ConfigMap holds, as it is: every request asks."""
        key = ObjectKey("", "ConfigMap", self._world.settings.namespace, KEPT_IN)
        return (self._live.index.get(key) or {}).get("data") or {}

    def _kept(self) -> dict[str, int]:
        return {str(name): int(end) for name, end in self._data().items() if str(end).isdecimal()}

    async def _keep(self, entries: dict[str, Any]) -> None:
        try:
            try:
                stored = await self._patched(entries)
            except ApiError as error:
                if error.code != 404:
                    raise
                stored = await self._created(entries)
        except (ApiError, TransportError):
            # Without a right to write, or without a cluster, the list of this process is all there is.
            return
        self._live.note_write({"apiVersion": "v1", "kind": "ConfigMap", **stored})

    async def _patched(self, entries: dict[str, Any]) -> Object:
        home, namespace = self._world.home, self._world.settings.namespace
        return await home.patch(_CONFIG_MAPS, namespace, KEPT_IN, {"data": entries}, kind="merge", manager=_MANAGER)

    async def _created(self, entries: dict[str, Any]) -> Object:
        made = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": KEPT_IN, "namespace": self._world.settings.namespace},
            "data": {name: end for name, end in entries.items() if end is not None},
        }
        try:
            return await self._world.home.create(_CONFIG_MAPS, made, manager=_MANAGER)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
            # Another logout was first.
            return await self._patched(entries)


def _name(token_id: str) -> str:
    return hashlib.sha256(token_id.encode()).hexdigest()[:40]
