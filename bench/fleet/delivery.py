"""A whole fleet from nothing to Synced, and one changed app among many.

Run: python -m bench fleet.delivery
Goals: 1,000 Applications of 4 plain objects each within 60 s and 223 MiB; at most 8 writes for an Application of one
object; one changed app among 5,000 Synced within 1 s of the commit being seen; 5,000 unchanged apps at rest below 2 %
of a core. All on the sandbox, in the same process; memory is of the whole process tree. Raw is the same number of bare
writes to the same sandbox.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import orjson

from bench.fleet import world
from bench.rows import Row
from syncline import wiring
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.observe import application_key
from syncline.controller.queue import AppKey
from syncline.ports.transport import Request
from syncline.sandbox.settings import SandboxSettings

REST = 10.0


async def start(apps: int, objects: int) -> dict[str, float]:
    """Deliver a fleet; return seconds, peak memory and writes per Application."""
    repository = world.Repository()
    files = {
        f"app-{app}/{number}.yaml": world.config_map(f"app-{app}-{number}")
        for app in range(apps)
        for number in range(objects)
    }
    repository.commit(files)
    async with world.fleet(repository) as fleet:
        await world.add(fleet.cluster, [f"app-{app}" for app in range(apps)])
        began = time.perf_counter()
        await fleet.controller.start()
        spent = await fleet.synced(apps) - began
        await _drained(fleet)
        return {"seconds": spent, "mebibytes": world.peak_mebibytes(), "writes": len(fleet.writes) / apps}


async def change(apps: int) -> dict[str, float]:
    """Deliver a fleet, rest, change one app; return the load at rest and the seconds the change took."""
    repository = world.Repository()
    repository.commit({f"app-{app}/0.yaml": world.config_map(f"app-{app}") for app in range(apps)})
    async with world.fleet(repository) as fleet:
        await world.add(fleet.cluster, [f"app-{app}" for app in range(apps)])
        await fleet.controller.start()
        await fleet.synced(apps)
        await _drained(fleet)
        used, began = time.process_time(), time.perf_counter()
        await asyncio.sleep(REST)
        load = (time.process_time() - used) / (time.perf_counter() - began)
        name = f"app-{apps // 2}"
        sha = repository.commit({f"{name}/0.yaml": world.config_map(name, "red")})
        seen = asyncio.Event()
        fleet.controller.on_moved = lambda _key: seen.set()
        await seen.wait()
        began = time.perf_counter()
        key = application_key(AppKey(world.SETTINGS.namespace, name))
        while not _delivered(fleet, key, sha):  # noqa: ASYNC110 - a listener would be told of 5,000 others too
            await asyncio.sleep(0.002)
        return {"load": 100 * load, "seconds": time.perf_counter() - began}


def _delivered(fleet: world.Fleet, key: ObjectKey, sha: str) -> bool:
    status = (fleet.controller.live.index.get(key) or {}).get("status") or {}
    history = status.get("history") or [{}]
    return bool(status["sync"]["status"] == "Synced" and history[-1].get("revision") == sha)


async def _drained(fleet: world.Fleet) -> None:
    """Wait until Events are written too."""
    before = -1
    while before != len(fleet.writes):
        before = len(fleet.writes)
        await asyncio.sleep(2)


async def bare(count: int) -> float:
    """Return the seconds of so many bare server-side applies."""
    sandbox = wiring.sandbox(SandboxSettings(simulate=False))
    await sandbox.start()
    kube = sandbox.transport()
    began = time.perf_counter()
    for number in range(count):
        body = orjson.dumps(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"map-{number}"}, "data": {"a": "b"}}
        )
        path = f"/api/v1/namespaces/default/configmaps/map-{number}?fieldManager=bench&force=true"
        headers = {"content-type": "application/apply-patch+yaml"}
        answer = await kube.send(Request(method="PATCH", path=path, headers=headers, body=body))
        assert answer.status in (200, 201)
    spent = time.perf_counter() - began
    await sandbox.stop()
    return spent


def alone(call: str) -> dict[str, float]:
    """Measure in a process of its own, so that memory is its own too."""
    code = f"import asyncio, json; from bench.fleet import delivery as d; print(json.dumps(asyncio.run(d.{call})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    found: dict[str, float] = orjson.loads(done.stdout)
    return found


def rows() -> list[Row]:
    one, fleet, changed = alone("start(50, 1)"), alone("start(1000, 4)"), alone("change(5000)")
    raw = asyncio.run(bare(4000))
    return [
        Row(name="writes for an app of one object", figure=one["writes"], unit="writes", at_most=8),
        Row(
            name="1,000 apps of 4 objects, sandbox",
            figure=fleet["seconds"],
            unit="s",
            raw=raw,
            raw_is="4,000 bare applies",
            at_most=60,
        ),
        Row(name="memory for that", figure=fleet["mebibytes"], unit="MiB", at_most=223),
        Row(name="one changed app of 5,000", figure=changed["seconds"], unit="s", at_most=1),
        Row(name="5,000 unchanged apps at rest", figure=changed["load"], unit="% core", at_most=2),
    ]
