"""Keeps a Dex running as `dex.config` of argocd-cm wants it, and hands requests to it.

Made by `syncline.server.app`, which runs `keep_running` beside the server; asked by
`syncline.server.access.oidc.provider` and by the route below `/api/dex`. A change of the configuration, or of a Secret
that it names, starts Dex again; one that ends is started again after a pause. What hinders it is told once, to whoever
runs the server, and to everybody who wants to log in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from syncline import tasks
from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.ports.auth import DexError, DexProgram, RunningDex
from syncline.ports.web import WebAnswer, WebError, WebRequest
from syncline.server.access.oidc.dex_config import DexConfig, parse
from syncline.server.access.oidc.settings import InvalidOidc
from syncline.server.access.secret_entries import Entries, Remembered

NO_PROGRAM = "dex.config of argocd-cm is set, and no program named dex was found on this machine"
NO_PROGRAM_HINT = "install Dex and name it with --dex, or name a provider in oidc.config"
_KEY = "server.secretkey"
_STARTING = "Dex is being started"
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0


class KeptDex:
    """The Dex of this installation, where it wants one."""

    def __init__(self, world: World, live: LiveCluster, program: DexProgram | None, say: Callable[[str], None]) -> None:
        self._world = world
        self._live = live
        self._program = program
        self._say = say
        self._changed = asyncio.Event()
        self._running: RunningDex | None = None
        self._runs_with: DexConfig | None = None
        self._trouble = _STARTING
        self._told = ""
        self.runs = 0
        """Counts how often Dex was started: each time it has other keys."""
        self._config = Remembered(live, world.settings.namespace, _parsed, InvalidOidc)

    def config(self) -> DexConfig | None:
        """Return what is configured; None where nothing is. Raises `InvalidOidc`."""
        return self._config.value()

    def require_running(self) -> None:
        """Raise `InvalidOidc` with what hinders Dex, unless it runs as it is configured."""
        if self._running is None or self._runs_with != self.config():
            raise InvalidOidc(self._trouble)

    async def ask(self, path: str, request: WebRequest) -> WebAnswer:
        """Return Dex's answer to a request for a path below `/api/dex`; raises `WebError`."""
        if self._running is None or self._runs_with is None:
            raise WebError(self._trouble)
        # Dex serves below the path of its issuer, whatever whoever is in front of us has cut off.
        _host, _, base = self._runs_with.provider.issuer.partition("://")[2].partition("/")
        try:
            return await self._running.ask(f"/{base}{path}", request)
        except DexError as error:
            raise WebError(str(error)) from None

    async def keep_running(self) -> None:
        """Start, restart and stop Dex until cancelled."""
        self._live.listeners.append(self._on_change)
        pause = _FIRST_PAUSE
        try:
            while True:
                self._changed.clear()
                wanted = self._wanted()
                if wanted != self._runs_with or (wanted is not None and self._running is None):
                    await self._stop()
                    await self._start(wanted)
                if wanted is None or self._running is not None:
                    pause = _FIRST_PAUSE
                    await self._until_changed()
                else:
                    await self._until_changed(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
        finally:
            self._live.listeners.remove(self._on_change)
            await self._stop()

    def _wanted(self) -> DexConfig | None:
        try:
            return self.config()
        except InvalidOidc as error:
            self._tell(f"Dex is not started: {error}")
            return None

    async def _start(self, wanted: DexConfig | None) -> None:
        self._runs_with = wanted
        if wanted is None:
            return
        if self._program is None:
            self._tell(f"{NO_PROGRAM}: {NO_PROGRAM_HINT}")
            return
        self._trouble = _STARTING
        try:
            self._running = await self._program.start(wanted.content)
        except DexError as error:
            self._tell(self._scrubbed(str(error)))
        else:
            self._told = ""
            self.runs += 1
            self._say(f"Dex runs for {wanted.provider.issuer}")

    async def _stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            await running.stop()

    async def _until_changed(self, seconds: float | None = None) -> None:
        """Wait until the configuration may be another, Dex has ended, or so long."""
        waits: set[asyncio.Task[Any]] = {tasks.start(self._changed.wait(), name="until dex.config changes")}
        ending = tasks.start(self._running.ended(), name="until Dex ends") if self._running is not None else None
        if ending is not None:
            waits.add(ending)
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if ending is not None and ending.done():
                self._tell(f"Dex ended: {self._scrubbed(ending.result())}")
                await self._stop()
        finally:
            for one in waits:
                one.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def _scrubbed(self, words: str) -> str:
        """Return what Dex says without values of its configuration, which an error may quote."""
        for value in self._runs_with.hidden if self._runs_with is not None else ():
            words = words.replace(value, "***")
        return words

    def _tell(self, words: str) -> None:
        if words != self._told:
            self._say(words)
        self._trouble = self._told = words

    def _on_change(self, obj: Object) -> None:
        if obj.get("kind") in ("ConfigMap", "Secret") and meta.namespace(obj) == self._world.settings.namespace:
            self._changed.set()


def _parsed(entries: Entries) -> DexConfig | None:
    return parse(entries.config("argocd-cm"), entries.secret, entries.secret("", _KEY))
