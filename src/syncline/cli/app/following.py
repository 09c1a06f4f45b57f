"""Asks for an operation and follows it wave by wave until it ends, for `app sync` and `app rollback`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from syncline import wiring
from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupKind, Object
from syncline.cli.app.get import print_ended, rows_of
from syncline.cli.app.waiting import Identity, held_words, identity_of
from syncline.cli.options import Chosen
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource
from syncline.verbs.applications import StoredApplication, application_resource
from syncline.verbs.blocking import Chains
from syncline.verbs.home import Home

HEADER = ("TIMESTAMP", "GROUP", "KIND", "NAMESPACE", "NAME", "STATUS", "HEALTH", "HOOK", "MESSAGE")
_WIDTHS = (20, 10, 12, 14, 24, 10, 11, 8, 0)
_CHAIN_EVERY = 1.5


class FollowOptions(NamedTuple):
    """How to follow an operation: for how many seconds (0: to its end), and in which form its end is printed."""

    timeout: int = 0
    wait: bool = True
    output: str = "wide"


async def follow_operation(
    chosen: Chosen, start: Callable[[Home], Awaitable[StoredApplication]], manner: FollowOptions
) -> int:
    """Start an operation and follow it; exit 0 when it succeeded, 1 when it failed or took too long."""
    async with chosen.opened() as home:
        stored = await start(home)
        terminal.echo(home.words, err=True)
        if not manner.wait:
            terminal.echo(f"sync of {stored.key.name} requested")
            return 0
        async with home.waiting(stored) as following:
            resource = await application_resource(home.cluster)
            return await OperationFollower(home, resource, stored.obj, following).follow(manner)


def _progress(obj: Object) -> str:
    return held_words(str(_state(obj).get("message") or "waiting to start"))


def _state(obj: Object) -> dict[str, Any]:
    return (obj.get("status") or {}).get("operationState") or {}


class OperationFollower:
    """Looks at an Application until the sync that was just asked for is over."""

    def __init__(self, home: Home, resource: ApiResource, obj: Object, chains: Chains | None) -> None:
        self._home = home
        self._resource = resource
        self._obj = obj
        # What the operation before this one left behind stays in the status until this one is started.
        self._before = _state(obj)
        self._shown: dict[str, str] = {}
        # Whoever wants JSON gets nothing but that on standard output.
        self._aside = False
        self._clock = wiring.clock()
        self._began = self._clock.monotonic()
        self._chains = chains
        self._chained_at = self._began

    async def follow(self, manner: FollowOptions) -> int:
        """Show what happens; 0 when the sync succeeded, 1 when it failed or took too long."""
        self._aside = manner.output in ("json", "yaml")
        try:
            async with asyncio.timeout(manner.timeout or None):
                await self._until_over()
        except TimeoutError:
            nobody = "" if self._started() else " (is a controller running for this Application?)"
            terminal.echo(f"timed out after {manner.timeout} s: {self._words()}{nobody}", err=True)
            return 1
        await print_ended(self._home, self._obj, manner.output)
        return 0 if _state(self._obj)["phase"] == "Succeeded" else 1

    async def _until_over(self) -> None:
        namespace, name = self._obj["metadata"]["namespace"], self._obj["metadata"]["name"]
        terminal.echo(_line(HEADER), err=self._aside)
        while True:
            state = _state(self._obj)
            if not self._obj.get("operation") and state.get("phase") in ("Succeeded", "Failed", "Error"):
                self._show_rows()
                return
            await self._show()
            await asyncio.sleep(0.3)
            found = await self._home.cluster.get(self._resource, namespace, name)
            if found is None:
                raise NeedsUser(f"Application {name} was deleted during its sync")
            self._obj = found

    async def _show(self) -> None:
        """Print what is new since the last look: waves, rows that changed, and what is waited for, down to the pod."""
        if not self._obj.get("operation"):
            return
        self._show_rows()
        self._say("", f"{self._elapsed()} {self._words()}")
        if self._started() and self._clock.monotonic() - self._chained_at >= _CHAIN_EVERY:
            await self._show_chains()
            self._chained_at = self._clock.monotonic()

    def _show_rows(self) -> None:
        if not self._started():
            return
        rows = rows_of(self._obj)
        for title, identities in waves_of(self._obj):
            members = ", ".join(f"{kind}/{name}" for _, kind, _, name in identities)
            self._say(title, f"{self._elapsed()} {title}: {members}", once=True)
            for row in rows:
                if tuple(row[:4]) in identities:
                    self._say(
                        "/".join(row[:4]), _line([times.format_time(self._clock.now()), *row]), compared="  ".join(row)
                    )

    async def _show_chains(self) -> None:
        if self._chains is None:
            return
        rows = (_state(self._obj).get("syncResult") or {}).get("resources") or ()
        for row in rows:
            if row.get("hookPhase") == "Running":
                kind = GroupKind(row.get("group", ""), row["kind"])
                words = await self._chains.words(self._obj, kind, row.get("namespace", ""), row["name"])
                if words:
                    self._say(f"chain {words.partition(' ')[0]}", f"{self._elapsed()} {words}", compared=words)

    def _say(self, subject: str, line: str, *, compared: str = "", once: bool = False) -> None:
        """Print a line, unless the same was printed about its subject; times do not count."""
        said = "" if once else compared or line.partition(" ")[2]
        if self._shown.get(subject) != said:
            self._shown[subject] = said
            terminal.echo(line, err=self._aside)

    def _elapsed(self) -> str:
        return f"+{self._clock.monotonic() - self._began:.1f}s"

    def _started(self) -> bool:
        state = _state(self._obj)
        return any(state.get(name) != self._before.get(name) for name in ("startedAt", "operation"))

    def _words(self) -> str:
        return _progress(self._obj) if self._started() else "waiting to start"


def waves_of(obj: Object) -> list[tuple[str, set[Identity]]]:
    """Return the waves an operation has begun, in order: `Sync wave 0`, and what belongs to each."""
    waves = {
        identity_of(row): int(row.get("syncWave") or 0) for row in (obj.get("status") or {}).get("resources") or ()
    }
    found: dict[str, set[Identity]] = {}
    for row in (_state(obj).get("syncResult") or {}).get("resources") or ():
        title = f"{row.get('syncPhase') or 'Sync'} wave {waves.get(identity_of(row), 0)}"
        found.setdefault(title, set()).add(identity_of(row))
    return list(found.items())


def _line(cells: Sequence[str]) -> str:
    return " ".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()
