"""Short facts that outlive a process: entries of one ConfigMap of the installation.

Used for ended sessions (`syncline.server.access.revoked`) and failed logins (`syncline.server.access.throttle`), which
hold for this process all the same where nothing can be written. That is told, once for as long as it lasts: whoever
runs the server should know what a restart forgets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind, Object, ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_MANAGER = "syncline-server"


class KeptEntries:
    """The entries of a ConfigMap. `what` is said of them where they cannot be stored."""

    def __init__(self, world: World, live: LiveCluster, name: str, what: str, say: Callable[[str], None]) -> None:
        self._world = world
        self._live = live
        self._name = name
        self._what = what
        self._say = say
        self._told = False

    def data(self) -> dict[str, Any]:
        """Return the entries as they are: every request may ask."""
        key = ObjectKey("", "ConfigMap", self._world.settings.namespace, self._name)
        return (self._live.index.get(key) or {}).get("data") or {}

    async def keep(self, entries: dict[str, str | None]) -> None:
        """Store entries, and take away those that are None; what cannot be stored is told."""
        try:
            stored = await self._stored(entries)
        except (ApiError, TransportError) as error:
            if not self._told:
                why = error.message if isinstance(error, ApiError) else str(error)
                self._say(f"{self._what}, for the ConfigMap {self._name} cannot be written: {why}")
            self._told = True
            return
        self._told = False
        if stored is not None:
            self._live.note_write({"apiVersion": "v1", "kind": "ConfigMap", **stored})

    async def _stored(self, entries: dict[str, str | None]) -> Object | None:
        try:
            return await self._patched(entries)
        except ApiError as error:
            if error.code != 404:
                raise
        wanted = {name: text for name, text in entries.items() if text is not None}
        if not wanted:
            return None
        made = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": self._name, "namespace": self._world.settings.namespace},
            "data": wanted,
        }
        try:
            return await self._world.home.create(_CONFIG_MAPS, made, manager=_MANAGER)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
            # Somebody else was first.
            return await self._patched(entries)

    async def _patched(self, entries: dict[str, str | None]) -> Object:
        home, namespace = self._world.home, self._world.settings.namespace
        return await home.patch(_CONFIG_MAPS, namespace, self._name, {"data": entries}, kind="merge", manager=_MANAGER)
