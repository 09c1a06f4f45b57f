"""What a sync costs beyond the API calls it makes.

Run: python -m bench fleet.overhead (on the sandbox) or fleet.real.overhead (on a real API server)
Goal: an Application is delivered in less than 1.2 times the time of its API calls alone. Raw is the same calls, with
the same bodies under other names, made once more by the same client with the same parallelism; sync and raw take
turns, so that whatever else the machine does slows both down, and the middle one of each counts. The controller has
delivered one app before, as one that runs for weeks has: else it alone would pay for the connections that raw then uses
too. On the sandbox writes are answered after `LATENCY`, as a real server does; alone it is faster than any cluster, so
that ratio is shown, but has no goal.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import orjson

from bench.fleet import apps, world
from bench.rows import Row
from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import APPLICATION
from syncline.model import names

OBJECTS = 200
TURNS = 7
_QUIET = 0.5
LATENCY = 0.02
"""Seconds an ordinary API server takes to answer a write: etcd has to sync its disk."""


async def compared(latency: float, kubeconfig: str) -> dict[str, float]:
    """Return the seconds of a delivery, and of its API calls alone."""
    named = [f"app-{turn}" for turn in range(TURNS)]
    repository = apps.Repository()
    folders = [folder for name in named for folder in (name, _before(name))]
    repository.commit(
        {f"{name}/{one}.yaml": apps.config_map(f"{name}-{one}") for name in folders for one in range(OBJECTS)}
    )
    pairs = [await _turn(repository, name, latency, kubeconfig) for name in named]
    return {"sync": median(sync for sync, _ in pairs), "bare": median(bare for _, bare in pairs)}


async def _turn(repository: apps.Repository, name: str, latency: float, kubeconfig: str) -> tuple[float, float]:
    async with world.fleet(repository, kubeconfig, latency) as fleet:
        await fleet.controller.start()
        await fleet.controller.live.ready()
        # Apps of earlier turns are looked at first.
        await asyncio.sleep(_QUIET)
        await _delivery(fleet, _before(name))
        await asyncio.sleep(_QUIET)
        fleet.writes.clear()
        sync = await _delivery(fleet, name)
        writes = list(fleet.writes)
        # Nobody is to watch the bare calls, and Events of the sync are not to slow them down.
        await fleet.controller.stop()
        await asyncio.sleep(_QUIET)
        return sync, await _bare(fleet, name, writes)


def _before(name: str) -> str:
    return f"first-{name}"


async def _delivery(fleet: world.Fleet, name: str) -> float:
    """Return the seconds from an Application's creation to its delivery."""
    waiting = asyncio.create_task(fleet.delivered(name))
    began = time.perf_counter()
    await world.add(fleet.user, [apps.application(name)])
    return await waiting - began


async def _bare(fleet: world.Fleet, name: str, writes: Sequence[world.Write]) -> float:
    """Make the calls of a delivery again, for an Application that nobody looks at."""
    other = f"raw-{name}"
    patches = [_renamed(item, name, other) for item in writes if "/applications/" in item.path]
    objects = [_renamed(item, name, other) for item in writes if "/configmaps/" in item.path]
    assert len(objects) == OBJECTS
    discovery = await fleet.client.discover()
    application, config_map = discovery.find(APPLICATION), discovery.find(GroupKind("", "ConfigMap"))
    assert application is not None
    assert config_map is not None
    slots = asyncio.Semaphore(world.PARALLEL)

    async def apply(obj: dict[str, Any]) -> None:
        async with slots:
            await fleet.client.apply(config_map, obj, manager="argocd-controller", validation="Strict")

    async def patch(body: dict[str, Any]) -> None:
        body["metadata"].pop("resourceVersion", None)
        await fleet.client.patch(application, apps.CONTROL, other, body, manager=names.STATUS_MANAGER)

    paused = apps.application(other)
    paused["metadata"]["annotations"] = {names.SKIP_RECONCILE: "true"}
    began = time.perf_counter()
    await world.add(fleet.user, [paused])
    for body in patches[:1]:
        await patch(body)
    await asyncio.gather(*(apply(obj) for obj in objects))
    for body in patches[1:]:
        await patch(body)
    return time.perf_counter() - began


def _renamed(write: world.Write, name: str, other: str) -> dict[str, Any]:
    body: dict[str, Any] = orjson.loads(write.body.replace(name.encode(), other.encode()))
    return body


def measured(place: str, serve: world.Serve, *, latency: float = 0.0, goal: bool = True) -> Row:
    """Return the row of one kind of cluster."""
    found = world.alone(serve, "overhead.compared", latency)
    return Row(
        name=f"sync of {OBJECTS} objects, {place}",
        figure=found["sync"] * 1000,
        unit="ms",
        raw=found["bare"] * 1000,
        raw_is="the same calls alone",
        at_most=found["bare"] * 1200 if goal else None,
    )


def rows() -> list[Row]:
    return [
        measured(f"sandbox, {LATENCY * 1000:g} ms per write", world.sandbox, latency=LATENCY),
        measured("sandbox", world.sandbox, goal=False),
    ]
