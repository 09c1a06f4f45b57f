"""A controller and a cluster for the measurements beside this file: the sandbox, or the server of a kubeconfig.

Everything but the repository is what `syncline up` runs. A measurement of memory runs in a process of its own
(`alone`): the sandbox is then in that process, a real API server is not.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from bench.fleet import apps
from syncline import wiring
from syncline.cli.run.install import create, missing
from syncline.controller.app_key import APPLICATION
from syncline.controller.controller import Controller
from syncline.model.progress import Progress
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiResource, Cluster
from syncline.ports.transport import Request, Response, Transport
from syncline.sandbox.cluster.settings import SandboxSettings

SETTINGS = Settings(namespace=apps.CONTROL, refresh_interval=1.0, refresh_jitter=0.0)
PARALLEL = 20
"""As many writes at a time as a sync has under way."""
_PAUSE = 0.5
_SAMPLE = 0.05


class Write(NamedTuple):
    """A request that wrote something."""

    method: str
    path: str
    body: bytes


class Wire:
    """A transport that notes what is written, and answers writes later where a latency is played."""

    def __init__(self, inner: Transport, writes: list[Write], latency: float = 0.0) -> None:
        self._inner = inner
        self._writes = writes
        self._latency = latency

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send; a write is noted."""
        if request.method != "GET":
            self._writes.append(Write(request.method, request.path, request.body))
            if self._latency:
                await asyncio.sleep(self._latency)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        """Release the inner transport."""
        await self._inner.close()


class Silent:
    """Tells nobody."""

    def emit(self, event: Progress) -> None:
        """Drop an event."""


@dataclass(slots=True)
class Fleet:
    """What a measurement works with: `user` writes on its own behalf, `client` and `writes` are the controller's."""

    user: Cluster
    client: Cluster
    controller: Controller
    writes: list[Write]

    async def synced(self, count: int) -> float:
        """Wait until so many Applications are delivered; return when that was, to half a second."""
        while True:
            # Looking at thousands takes time itself, so it is done seldom.
            await asyncio.sleep(_PAUSE)
            found = sum(delivered(obj) for obj in self.controller.live.index.of_kind(APPLICATION))
            if found >= count:
                return time.perf_counter()

    async def delivered(self, name: str, revision: str = "") -> float:
        """Wait until one Application is delivered (at a revision); return when that was."""
        done = asyncio.Event()
        reached = [0.0]

        def look(obj: dict[str, Any]) -> None:
            if obj["metadata"]["name"] == name and obj["kind"] == "Application" and delivered(obj, revision):
                reached[0] = reached[0] or time.perf_counter()
                done.set()

        self.controller.live.listeners.append(look)
        await done.wait()
        self.controller.live.listeners.remove(look)
        return reached[0]

    async def drained(self) -> None:
        """Wait until Events are written too."""
        before = -1
        while before != len(self.writes):
            before = len(self.writes)
            await asyncio.sleep(2)


def delivered(obj: dict[str, Any], revision: str = "") -> bool:
    """Whether an Application is Synced and Healthy, with no operation left; with a revision, at that one."""
    status = obj.get("status") or {}
    history = status.get("history") or [{}]
    return (
        (status.get("sync") or {}).get("status") == "Synced"
        and (status.get("health") or {}).get("status") == "Healthy"
        and "operation" not in obj
        and revision in ("", history[-1].get("revision"))
    )


@asynccontextmanager
async def fleet(repository: apps.Repository, kubeconfig: str = "", latency: float = 0.0) -> AsyncIterator[Fleet]:
    """Yield a cluster, a sandbox where no kubeconfig is named, and a controller that is not started yet."""
    writes: list[Write] = []
    async with AsyncExitStack() as stack:
        connect = await _cluster(stack, kubeconfig)
        user, client = wiring.client(connect("admin")), wiring.client(Wire(connect("syncline"), writes, latency))
        await create(user, await missing(user, SETTINGS.namespace))
        ports = wiring.world(client, SETTINGS, Silent())
        ports.source = repository
        controller = wiring.controller(ports)
        stack.push_async_callback(ports.evaluator.close)
        stack.push_async_callback(controller.stop)
        yield Fleet(user, client, controller, writes)


async def _cluster(stack: AsyncExitStack, kubeconfig: str) -> Callable[[str], Transport]:
    """Return what connects to a cluster; on the sandbox under a name, on a real server as the kubeconfig says."""
    if not kubeconfig:
        made = wiring.sandbox(SandboxSettings(simulate=False))
        await made.start()
        stack.push_async_callback(made.stop)
        return lambda user: made.transport(user=user)

    def connected(_user: str) -> Transport:
        from syncline.adapters.clock import SystemChance
        from syncline.adapters.kube import config
        from syncline.adapters.kube.http import HttpTransport
        from syncline.adapters.kube.retry import Retrying

        clock = wiring.clock()
        connection = config.connect(environment=os.environ, clock=clock, kubeconfig=kubeconfig)
        transport = Retrying(HttpTransport(connection), clock=clock, chance=SystemChance())
        stack.push_async_callback(transport.close)
        return transport

    return connected


async def add(cluster: Cluster, objects: Sequence[dict[str, Any]]) -> None:
    """Create Applications, several at a time."""
    kind = (await cluster.discover()).find(APPLICATION)
    assert isinstance(kind, ApiResource)
    slots = asyncio.Semaphore(PARALLEL)

    async def one(obj: dict[str, Any]) -> None:
        async with slots:
            await cluster.create(kind, obj, manager="bench")

    await asyncio.gather(*(one(obj) for obj in objects))


Serve = Callable[[], AbstractContextManager[str]]
"""Starts a cluster and says where its kubeconfig is; nowhere is the sandbox, in the process that measures."""


def sandbox() -> AbstractContextManager[str]:
    """Start nothing: the sandbox is in the process that measures."""
    return nullcontext("")


def alone(serve: Serve, function: str, *arguments: float) -> dict[str, float]:
    """Measure in a process of its own; `mebibytes` is the most memory that it has had, and its children beside it."""
    with serve() as kubeconfig:
        return _alone(f"{function}({', '.join(map(repr, (*arguments, kubeconfig)))})")


def _alone(call: str) -> dict[str, float]:
    code = f"import asyncio, json; from bench.fleet import delivery, overhead; print(json.dumps(asyncio.run({call})))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    most = 0
    while process.poll() is None:
        most = max(most, tree_kibibytes(process.pid))
        time.sleep(_SAMPLE)
    output = process.stdout.read() if process.stdout else b""
    if process.returncode:
        raise RuntimeError(f"`{call}` failed with exit code {process.returncode}; its own words are above")
    found: dict[str, float] = orjson.loads(output)
    return {**found, "mebibytes": most / 1024}


def tree_kibibytes(pid: int) -> int:
    """Return the most resident memory a process has had, and all below it; what is gone meanwhile counts nothing."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    resident = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
    return resident + sum(tree_kibibytes(int(child)) for child in children)
