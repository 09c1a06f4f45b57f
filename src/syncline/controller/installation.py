"""Follows what an installation is told by its ConfigMaps and Secrets: settings, and what sources may use.

Told of changes by `syncline.controller.controller`; new settings go back to it, credentials go to the readers of
sources. Several changes at once (a `kubectl apply` of a folder) are read together, a moment later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.clusters.access import CERTIFICATES, KNOWN_HOSTS, SIGNING_KEYS, read_access
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.settings import HOMES, settings_of
from syncline.controller.world import World
from syncline.model import names
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError
from syncline.ports.source import Accessible
from syncline.ports.transport import TransportError

CONFIG_MAP = GroupKind("", "ConfigMap")
SECRET = GroupKind("", "Secret")
_ACCESS_MAPS = frozenset({KNOWN_HOSTS, CERTIFICATES, SIGNING_KEYS})
_SETTING_MAPS = frozenset(map(str, HOMES))
_MOMENT = 0.5
_AGAIN_AFTER = 10.0


class Installation:
    """The settings and credentials in force. `overlay` puts what the command line said over what the cluster says."""

    def __init__(
        self,
        world: World,
        home: LiveCluster,
        *,
        overlay: Callable[[Settings], Settings] | None,
        readers: Sequence[Accessible] = (),
        on_settings: Callable[[Settings], None],
        on_access: Callable[[], None] = lambda: None,
        on_problems: Callable[[tuple[str, ...]], None] = lambda _problems: None,
    ) -> None:
        self._world = world
        self._home = home
        self._overlay = overlay
        self._readers = readers
        self._on_settings = on_settings
        self._on_access = on_access
        self._on_problems = on_problems
        self._settings_due = asyncio.Event()
        self._access_due = asyncio.Event()

    def changed(self, obj: Object) -> None:
        """Notice an object that may be part of the installation."""
        key = key_of(obj)
        if key.namespace != self._world.settings.namespace:
            return
        if key.group_kind == CONFIG_MAP:
            if key.name in _SETTING_MAPS:
                self._settings_due.set()
            if key.name in _ACCESS_MAPS:
                self._access_due.set()
        elif key.group_kind == SECRET:
            kind = str((meta.labels(obj)).get(names.SECRET_TYPE) or "")
            if kind.startswith(("repository", "repo-")):
                self._access_due.set()

    async def begin(self) -> None:
        """Hand on what sources may use, before the first of them is read."""
        if self._readers:
            self._access_due.clear()
            try:
                await self.read_access()
            except (ApiError, TransportError):
                self._access_due.set()

    async def follow_settings(self) -> None:
        """Hand on settings whenever they change; without an overlay they are fixed."""
        while self._overlay is not None:
            await self._settings_due.wait()
            await self._world.clock.sleep(_MOMENT)
            self._settings_due.clear()
            self._read_settings(self._overlay)

    async def follow_access(self) -> None:
        """Hand on credentials whenever they change."""
        while self._readers:
            await self._access_due.wait()
            await self._world.clock.sleep(_MOMENT)
            self._access_due.clear()
            try:
                await self.read_access()
            except (ApiError, TransportError):
                await self._world.clock.sleep(_AGAIN_AFTER)
                self._access_due.set()
            else:
                self._on_access()

    async def read_access(self) -> None:
        """Read what sources may use and hand it on; say what is wrong with it, a sentence each."""
        access = await read_access(self._world.home, self._world.settings.namespace)
        for reader in self._readers:
            reader.use(access)
        self._on_problems(access.problems)

    def _read_settings(self, overlay: Callable[[Settings], Settings]) -> None:
        namespace = self._world.settings.namespace
        keys = [ObjectKey("", "ConfigMap", namespace, home) for home in HOMES]
        found = [obj for key in keys if (obj := self._home.index.get(key)) is not None]
        settings = overlay(settings_of(found, namespace).settings)
        if settings != self._world.settings:
            self._on_settings(settings)
