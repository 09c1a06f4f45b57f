"""A whole fleet from nothing to Synced, and one changed app among many.

Run: python -m bench fleet.delivery (on the sandbox) or fleet.real.delivery (on a real API server)
Goals: 1,000 Applications of 4 plain objects each within 60 s and 223 MiB; at most 5 writes for an Application of one
object; one changed app among 5,000 Synced within 1 s of the commit being seen; 5,000 unchanged apps at rest below 2 %
of a core. Memory is of the process tree of the controller, which on the sandbox holds the cluster too. Raw is the
number of objects applied by the same client, with nothing else, to the same kind of cluster.
"""

from __future__ import annotations

import asyncio
import time

from bench.fleet import apps, world
from bench.rows import Row
from syncline.apimachinery.keys import GroupKind

REST = 10.0
APPS, OBJECTS, MANY = 1000, 4, 5000


async def start(count: int, objects: int, kubeconfig: str = "") -> dict[str, float]:
    """Deliver a fleet; return seconds, the controller's own seconds on the processor, and writes per Application."""
    repository = apps.Repository()
    names = [f"app-{app}" for app in range(count)]
    files = {f"{name}/{one}.yaml": apps.config_map(f"{name}-{one}") for name in names for one in range(objects)}
    repository.commit(files)
    async with world.fleet(repository, kubeconfig) as fleet:
        await world.add(fleet.user, [apps.application(name) for name in names])
        began, used = time.perf_counter(), time.process_time()
        await fleet.controller.start()
        spent, used = await fleet.synced(count) - began, time.process_time() - used
        await fleet.drained()
        # The diagnosis is published once for all of them.
        writes = sum("/diagnoses/" not in write.path for write in fleet.writes)
        return {"seconds": spent, "processor": used, "writes": writes / count}


async def change(count: int, kubeconfig: str = "") -> dict[str, float]:
    """Deliver a fleet, rest, change one app; return the load at rest and the seconds the change took."""
    repository = apps.Repository()
    names = [f"app-{app}" for app in range(count)]
    repository.commit({f"{name}/0.yaml": apps.config_map(name) for name in names})
    async with world.fleet(repository, kubeconfig) as fleet:
        await world.add(fleet.user, [apps.application(name) for name in names])
        await fleet.controller.start()
        await fleet.synced(count)
        await fleet.drained()
        used, began = time.process_time(), time.perf_counter()
        await asyncio.sleep(REST)
        load = (time.process_time() - used) / (time.perf_counter() - began)
        name = names[count // 2]
        seen = asyncio.Event()
        fleet.controller.applications.triage.on_moved = lambda _key: seen.set()
        sha = repository.commit({f"{name}/0.yaml": apps.config_map(name, "red")})
        done = asyncio.create_task(fleet.delivered(name, sha))
        await seen.wait()
        began = time.perf_counter()
        return {"load": 100 * load, "seconds": await done - began}


async def bare(count: int, kubeconfig: str = "") -> dict[str, float]:
    """Return the seconds of so many bare applies, as many at a time as a sync has under way."""
    async with world.fleet(apps.Repository(), kubeconfig) as fleet:
        kind = (await fleet.client.discover()).find(GroupKind("", "ConfigMap"))
        assert kind is not None
        slots = asyncio.Semaphore(world.PARALLEL)

        async def one(number: int) -> None:
            metadata = {"name": f"map-{number}", "namespace": "default"}
            obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}}
            async with slots:
                await fleet.client.apply(kind, obj, manager="bench")

        began = time.perf_counter()
        await asyncio.gather(*(one(number) for number in range(count)))
        return {"seconds": time.perf_counter() - began}


def measured(place: str, serve: world.Serve) -> list[Row]:
    """Return the rows of one kind of cluster; every figure has a cluster of its own."""
    one = world.alone(serve, "delivery.start", 50, 1)
    fleet = world.alone(serve, "delivery.start", APPS, OBJECTS)
    raw = world.alone(serve, "delivery.bare", APPS * OBJECTS)
    changed = world.alone(serve, "delivery.change", MANY)
    return [
        Row(name=f"writes for an app of one object, {place}", figure=one["writes"], unit="writes", at_most=5),
        Row(
            name=f"{APPS:,} apps of {OBJECTS} objects, {place}", figure=fleet["seconds"], unit="s", raw=raw["seconds"],
            raw_is=f"{APPS * OBJECTS:,} bare applies", at_most=60,
        ),
        Row(name=f"processor for that, {place}", figure=fleet["processor"], unit="s"),
        Row(name=f"memory for that, {place}", figure=fleet["mebibytes"], unit="MiB", at_most=223),
        Row(name=f"one changed app of {MANY:,}, {place}", figure=changed["seconds"], unit="s", at_most=1),
        Row(name=f"{MANY:,} unchanged apps at rest, {place}", figure=changed["load"], unit="% core", at_most=2),
    ]  # fmt: skip


def rows() -> list[Row]:
    return measured("sandbox", world.sandbox)
