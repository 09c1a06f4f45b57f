"""What measurements share that run a program beside a real kube-apiserver: the program, who watches it, what it costs.

Used by `bench.fleet.real.growth`, which runs `syncline controller`, and by `bench.beside.delivery`, which runs Argo CD
too. Writes are counted in the server's audit log.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from bench.fleet import apps
from bench.fleet import world as fleets
from syncline import wiring
from syncline.model import names
from syncline.ports.kube import ApiError, ApiResource, Cluster, EventType
from tests.support import git_http

WATCHED = "watched"
"""An Application with a repository of its own, for what somebody asks for."""
_MANAGER = "bench"
_REFRESH = {"metadata": {"annotations": {names.REFRESH: "normal"}}}
_LIMIT = 3600.0
_QUIET = 8.0
"""Events begin a moment after everything else."""
_PATIENCE = 20.0
_TICK = os.sysconf("SC_CLK_TCK")
_UNCOUNTED = ("leases", "diagnoses")
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "Metadata", "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
        {"level": "None"},
    ],
}
"""Who wrote what, and nothing else: whole bodies would cost the server as much as the writes."""


@dataclass(slots=True)
class Fleet:
    """What is known of one fleet while it is delivered."""

    user: Cluster
    kind: ApiResource
    synced: dict[str, float] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    """Applications of which a refresh was asked for, and is not done yet."""
    watched: dict[str, Any] = field(default_factory=dict)
    """The one Application whose state is looked at, as it is now."""
    following: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        """Note who is Synced and whose refresh is done, for as long as it runs."""
        while True:
            listed = await self.user.list(self.kind, namespace=apps.CONTROL)
            for obj in listed.items:
                self._see(obj)
            # A version that is too old, as right after the kind was defined: list again.
            with contextlib.suppress(ApiError):
                async for event in self.user.watch(
                    self.kind, resource_version=listed.resource_version, namespace=apps.CONTROL
                ):
                    if event.type is not EventType.BOOKMARK:
                        self._see(event.obj)

    def _see(self, obj: dict[str, Any]) -> None:
        metadata = obj["metadata"]
        if fleets.delivered(obj):
            self.synced.setdefault(metadata["name"], time.perf_counter())
        if names.REFRESH not in (metadata.get("annotations") or {}):
            self.waiting.discard(metadata["name"])
        if metadata["name"] == WATCHED:
            self.watched = obj

    async def until(self, count: int) -> None:
        """Wait until so many are Synced."""
        async with asyncio.timeout(_LIMIT):
            while len(self.synced) < count:
                self._check()
                await asyncio.sleep(0.05)

    async def refresh(self, name: str) -> float:
        """Ask for a refresh; return the seconds until it was done."""
        self.waiting.add(name)
        return await self._asked(name, _REFRESH, lambda: name not in self.waiting)

    async def sync(self) -> float:
        """Ask for a sync; return the seconds until it was done."""
        mark = f"bench-{time.monotonic_ns()}"
        body = {"operation": {"sync": {}, "initiatedBy": {"username": mark}}}
        return await self._asked(
            WATCHED, body, lambda: fleets.delivered(self.watched) and self._last_asked_by() == mark
        )

    async def commit(self, repository: git_http.Repository, colour: str) -> float:
        """Change what an Application reads; return the seconds until that is delivered."""
        sha = await asyncio.to_thread(repository.commit, watched_files(colour))
        return await self._asked(WATCHED, _REFRESH, lambda: fleets.delivered(self.watched, sha))

    def _last_asked_by(self) -> str:
        state = (self.watched.get("status") or {}).get("operationState") or {}
        by: str = ((state.get("operation") or {}).get("initiatedBy") or {}).get("username", "")
        return by

    async def _asked(self, name: str, body: dict[str, Any], done: Callable[[], bool]) -> float:
        """Patch an Application; return the seconds until something came of it."""
        began = time.perf_counter()
        await self.user.patch(self.kind, apps.CONTROL, name, body, manager=_MANAGER)
        async with asyncio.timeout(_LIMIT):
            while not done():
                self._check()
                await asyncio.sleep(0.01)
        return time.perf_counter() - began

    def _check(self) -> None:
        """Do not wait for what nobody tells any more."""
        if self.following is not None and self.following.done():
            self.following.result()


def watched_files(colour: str) -> dict[str, str | None]:
    """Return the files of the watched Application."""
    return {f"{WATCHED}/0.yaml": apps.config_map(WATCHED, colour)}


@contextlib.asynccontextmanager
async def user_of(kubeconfig: str) -> AsyncIterator[Cluster]:
    async with wiring.connected(kubeconfig=kubeconfig, context="") as (user, _words):
        yield user


@contextlib.contextmanager
def controller(kubeconfig: str, place: pathlib.Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the controller; what it says goes to a file."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(place / "cache")}
    command = [str(pathlib.Path(sys.executable).with_name("syncline")), "controller", "--kubeconfig", kubeconfig]
    with (place / "controller.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


async def drained(log: pathlib.Path) -> int:
    """Wait until nobody writes any more; return how many writes there were."""
    before = -1
    while (found := writes(log)) != before:
        before = found
        await asyncio.sleep(_QUIET)
    return found


def writes(log: pathlib.Path) -> int:
    """Count what was written by others than this process; a Lease and the diagnosis are not for any app."""
    return sum(kinds(log).values())


def kinds(log: pathlib.Path) -> collections.Counter[str]:
    """Count writes by verb and kind."""
    found: collections.Counter[str] = collections.Counter()
    # The last line may be half written.
    for line in log.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            continue
        entry: dict[str, Any] = orjson.loads(line)
        reference = entry.get("objectRef") or {}
        ours = f"fieldManager={_MANAGER}" in entry["requestURI"]
        system = entry["user"]["username"].startswith("system:apiserver")
        if not ours and not system and reference.get("resource") not in _UNCOUNTED:
            found[f"{entry['verb']} {reference.get('resource')}"] += 1
    return found


def processor(pid: int) -> float:
    """Return the seconds on a processor of a process, of those it has waited for, and of those that still run."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(int(ticks) for ticks in text.rpartition(")")[2].split()[11:15]) / _TICK
    return own + sum(processor(int(child)) for child in children)
