"""What a person asks for is served within a second while a fleet starts, and while its Events are still to be sent.

Time is virtual, so the machine has no part in it: the API server answers a few writes at a time, each after a while, to
the person and to the controller alike. A fleet takes many seconds on it, and whoever had to wait for the others' turns
would wait as long.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.model import names
from syncline.ports.transport import Request, Response, Transport
from tests.support.loops.simulated import run_simulated
from tests.support.played import AUTO, config
from tests.support.world import API, USER, SandboxBed

APPS = 150
MINE = "mine"
AT_ONCE, SECONDS = 4, 0.05
"""The server answers so many writes at a time, each after so many seconds: 80 a second."""
LIMIT = 1.0
REFRESH = {"metadata": {"annotations": {names.REFRESH: "normal"}}}


class BusyServer:
    """A transport whose writes share a server with those of all others: in the order in which they came."""

    def __init__(self, inner: Transport, turns: asyncio.Semaphore) -> None:
        self._inner = inner
        self._turns = turns

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if request.method != "GET":
            async with self._turns:
                await asyncio.sleep(SECONDS)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


class BusyBed(SandboxBed):
    """A sandbox behind such a server."""

    def __init__(self) -> None:
        super().__init__()
        self._turns = asyncio.Semaphore(AT_ONCE)

    def transport(self) -> Transport:
        return BusyServer(super().transport(), self._turns)

    def person(self) -> KubeCluster:
        """Return a client of somebody who shares the server with the controller."""
        return KubeCluster(BusyServer(self.sandbox.transport(user=USER), self._turns))

    def told(self) -> int:
        """Return about how many Applications an Event was written."""
        return sum(write.startswith("POST ") and "/events" in write for write in self.writes) // 2


@dataclass
class Waited:
    """How long a person waited for what, and what the controller had still to do then."""

    seconds: dict[str, float] = field(default_factory=dict)
    undelivered: int = 0
    """Applications that were not delivered yet when the last was served that was asked for during the start."""
    start: float = 0.0
    """Seconds from the controller's start until the fleet was delivered."""
    untold: int = 0
    """Applications without an Event when the refresh after the start was served."""


def files(colour: str) -> dict[str, str]:
    made = {f"apps/app-{n}/map.yaml": config(f"app-{n}") for n in range(APPS)}
    return {**made, f"apps/{MINE}/map.yaml": config(MINE, colour=colour)}


def delivered(app: dict[str, Any]) -> bool:
    status = app.get("status") or {}
    phase = (status.get("operationState") or {}).get("phase")
    return phase == "Succeeded" and status["sync"]["status"] == "Synced" and "operation" not in app


class Story:
    """One start of a fleet, with a person who asks for something."""

    def __init__(self, bed: BusyBed) -> None:
        self._bed = bed
        self.waited = Waited()

    async def play(self) -> None:
        bed = self._bed
        bed.source.commit(files("blue"))
        for name in (*(f"app-{n}" for n in range(APPS)), MINE):
            source = {"repoURL": "https://git.example/repo.git", "path": f"apps/{name}", "targetRevision": "main"}
            policy = {"automated": AUTO, "syncOptions": ["CreateNamespace=true"]}
            await bed.apply(bed.application(name, source=source, syncPolicy=policy))
        controller = bed.controller()
        began = bed.clock.monotonic()
        await controller.start()
        first = await self._first_delivered()
        await self._ask("a refresh during the start", first, REFRESH, self._refreshed(first))
        while not delivered(await bed.app(MINE)):
            await self._ask("a refresh of one not delivered yet", MINE, REFRESH, self._refreshed(MINE))
        await self._ask("a sync during the start", MINE, _sync("ada"), self._synced_by("ada"))
        sha = bed.source.commit(files("red"))
        await self._ask("a commit during the start", MINE, REFRESH, self._delivered_at(sha))
        self.waited.undelivered = APPS + 1 - len(await self._delivered())
        while len(await self._delivered()) <= APPS:
            await bed.clock.sleep(0.1)
        self.waited.start = bed.clock.monotonic() - began
        await self._ask("a refresh while Events are to be sent", "app-1", REFRESH, self._refreshed("app-1"))
        self.waited.untold = APPS - bed.told()
        await controller.stop()

    async def _delivered(self) -> list[str]:
        resource = await self._bed.resource(API, "Application")
        listed = await self._bed.user.list(resource, namespace=self._bed.control)
        return [app["metadata"]["name"] for app in listed.items if delivered(app)]

    async def _first_delivered(self) -> str:
        while not (found := await self._delivered()):
            await self._bed.clock.sleep(0.1)
        return found[0]

    async def _ask(self, what: str, name: str, patch: dict[str, Any], done: Callable[[], Awaitable[bool]]) -> None:
        began = self._bed.clock.monotonic()
        person, resource = self._bed.person(), await self._bed.resource(API, "Application")
        await person.patch(resource, self._bed.control, name, patch, manager="kubectl-edit")
        while not await done():
            await self._bed.clock.sleep(0.01)
        self.waited.seconds[what] = self._bed.clock.monotonic() - began

    def _refreshed(self, name: str) -> Callable[[], Awaitable[bool]]:
        async def done() -> bool:
            return names.REFRESH not in ((await self._bed.app(name))["metadata"].get("annotations") or {})

        return done

    def _synced_by(self, who: str) -> Callable[[], Awaitable[bool]]:
        async def done() -> bool:
            app = await self._bed.app(MINE)
            by = ((app["status"]["operationState"]["operation"]).get("initiatedBy") or {}).get("username")
            return by == who and delivered(app)

        return done

    def _delivered_at(self, sha: str) -> Callable[[], Awaitable[bool]]:
        async def done() -> bool:
            app = await self._bed.app(MINE)
            return delivered(app) and app["status"]["history"][-1]["revision"] == sha

        return done


def _sync(who: str) -> dict[str, Any]:
    return {"operation": {"sync": {}, "initiatedBy": {"username": who}}}


@pytest.fixture(scope="module")
def waited() -> Waited:
    async def main() -> Waited:
        bed = BusyBed()
        await bed.start()
        story = Story(bed)
        try:
            await story.play()
        finally:
            await bed.stop()
        assert not bed.failures
        return story.waited

    return run_simulated(main)


def test_the_fleet_keeps_the_server_busy_for_much_longer(waited: Waited) -> None:
    assert waited.start > 4 * LIMIT
    assert waited.undelivered > APPS / 10, "what was asked for during the start came after it"
    assert waited.untold > APPS / 10, "the Events were sent before somebody asked"


@pytest.mark.parametrize(
    "what",
    [
        "a refresh during the start",
        "a refresh of one not delivered yet",
        "a sync during the start",
        "a commit during the start",
        "a refresh while Events are to be sent",
    ],
)
def test_whoever_asks_is_served_within_a_second(waited: Waited, what: str) -> None:
    assert waited.seconds[what] <= LIMIT, f"{what}: {waited.seconds}"
