"""What a sync costs beyond the API calls it makes.

Run: python -m bench fleet.overhead
Goal: the sync of an Application takes less than 1.2 times as long as its writes alone, done by the same client with
the same parallelism in the same run. The API answers in `LATENCY`, as a real one does; the sandbox alone is much faster
than any cluster, so its ratio is shown, but has no goal.
"""

from __future__ import annotations

import asyncio
import time

from bench.fleet import world
from bench.rows import Row
from syncline import wiring
from syncline.apimachinery.keys import GroupKind
from syncline.ports.kube import Cluster
from syncline.ports.transport import Request, Response, Transport
from syncline.sandbox.settings import SandboxSettings

OBJECTS = 200
PARALLEL = 20
TURNS = 10
LATENCY = 0.02
"""Seconds an ordinary API server takes to answer a write: etcd has to sync its disk."""


class Slow:
    """A transport that answers writes later."""

    def __init__(self, inner: Transport, latency: float) -> None:
        self._inner = inner
        self._latency = latency

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send, and wait where something is written."""
        if request.method != "GET":
            await asyncio.sleep(self._latency)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        """Release the inner transport."""
        await self._inner.close()


async def synced(latency: float) -> float:
    """Return the seconds from an Application's creation to its being Synced."""
    repository = world.Repository()
    repository.commit({f"app/{number}.yaml": world.config_map(f"map-{number}") for number in range(OBJECTS)})
    async with world.fleet(repository, lambda inner: Slow(inner, latency)) as fleet:
        await fleet.controller.start()
        await fleet.controller.live.ready()
        began = time.perf_counter()
        await world.add(fleet.cluster, ["app"])
        return await fleet.synced(1) - began


async def bare(latency: float) -> float:
    """Return the seconds of the same writes alone: the objects, and two of the Application."""
    sandbox = wiring.sandbox(SandboxSettings(simulate=False))
    await sandbox.start()
    cluster: Cluster = wiring.client(Slow(sandbox.transport(), latency))
    kind = (await cluster.discover()).find(GroupKind("", "ConfigMap"))
    assert kind is not None
    slots = asyncio.Semaphore(PARALLEL)

    async def one(number: int) -> None:
        mark = {"argocd.argoproj.io/tracking-id": f"app:/ConfigMap:default/map-{number}"}
        obj = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"map-{number}", "namespace": "default", "annotations": mark},
            "data": {"colour": "blue", "size": "big"},
        }
        async with slots:
            await cluster.apply(kind, obj, manager="argocd-controller")

    began = time.perf_counter()
    await one(OBJECTS)
    await asyncio.gather(*(one(number) for number in range(OBJECTS)))
    await one(OBJECTS)
    spent = time.perf_counter() - began
    await sandbox.stop()
    return spent


def _best(latency: float) -> tuple[float, float]:
    """Return the best of both, taken in turns: whatever else the machine does then slows both down."""
    pairs = [(asyncio.run(synced(latency)), asyncio.run(bare(latency))) for _ in range(TURNS)]
    return min(sync for sync, _ in pairs), min(raw for _, raw in pairs)


def rows() -> list[Row]:
    found = []
    for latency, goal in ((LATENCY, True), (0.0, False)):
        sync, raw = _best(latency)
        name = f"sync of {OBJECTS} objects, {latency * 1000:g} ms per write"
        found.append(
            Row(
                name=name, figure=sync * 1000, unit="ms", raw=raw * 1000, raw_is="the writes alone",
                at_most=raw * 1200 if goal else None,
            )
        )  # fmt: skip
    return found
