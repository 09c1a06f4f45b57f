"""How long a list of 5,000 pods takes, how fast 100 watchers hear of a change, what 100,000 objects weigh.

Run: python -m bench sandbox.reads
Goals: the list within 0.5 s, the event within 50 ms, the objects within 1.5 GB.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any

import orjson

from bench.rows import Row
from bench.sandbox import writes
from syncline import wiring
from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.store.store import Bucket, ObjectStore, RowKey

PODS = 5_000
WATCHERS = 100
OBJECTS = 100_000
PATH = "/api/v1/namespaces/default/pods"


def pod(number: int) -> dict[str, Any]:
    """Return a running pod of about two kilobytes, as it is stored."""
    labels = {"app": f"web-{number % 50}", "pod-template-hash": "5d89bdb6c7"}
    variables = [{"name": f"SETTING_{index}", "value": f"value of setting {index}"} for index in range(10)]
    container = {"name": "web", "image": "shop/web:1", "env": variables, "imagePullPolicy": "IfNotPresent"}
    conditions = [
        {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": "2026-03-01T08:30:00Z"}
        for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    return {
        "metadata": {"name": f"web-{number}", "namespace": "default", "uid": f"uid-{number}", "labels": labels},
        "spec": {"containers": [container], "nodeName": "node", "restartPolicy": "Always"},
        "status": {"phase": "Running", "podIP": "10.244.0.7", "conditions": conditions},
    }


def fill(store: ObjectStore, count: int) -> None:
    """Put pods into a store."""
    bucket = Bucket("", "pods")
    for number in range(count):
        obj = pod(number)
        store.put(RowKey(bucket, "default", obj["metadata"]["name"]), obj, expected=None)


async def listed() -> tuple[float, float]:
    """Return seconds of a list, and of writing as many objects as JSON."""
    made = wiring.sandbox(SandboxSettings(simulate=False))
    await made.start()
    fill(made.backend.store, PODS)
    kube, found = made.transport(), []
    for _ in range(5):
        began = time.perf_counter()
        answer = await (await kube.send(Request(method="GET", path=PATH))).read()
        found.append(time.perf_counter() - began)
    items = orjson.loads(answer)
    assert len(items["items"]) == PODS
    began = time.perf_counter()
    orjson.dumps(items)
    raw = time.perf_counter() - began
    await made.stop()
    return min(found), raw


async def told() -> tuple[float, float]:
    """Return seconds until all watchers have an event, and until as many queues have been read."""
    made = wiring.sandbox(SandboxSettings(simulate=False))
    await made.start()
    kube, found = made.transport(), []
    for number in range(5):
        version = made.backend.store.version
        query = f"{writes.PATH}?watch=true&resourceVersion={version}"
        watches = [await kube.send(Request(method="GET", path=query)) for _ in range(WATCHERS)]
        readers = [asyncio.ensure_future(anext(aiter(watch.chunks()))) for watch in watches]
        await asyncio.sleep(0.01)
        began = time.perf_counter()
        await kube.send(Request(method="POST", path=writes.PATH, body=writes.body(number)))
        await asyncio.gather(*readers)
        found.append(time.perf_counter() - began)
        for watch in watches:
            await watch.close()
    queues: list[asyncio.Queue[bytes]] = [asyncio.Queue() for _ in range(WATCHERS)]
    waiting = [asyncio.ensure_future(queue.get()) for queue in queues]
    await asyncio.sleep(0.01)
    began = time.perf_counter()
    for queue in queues:
        queue.put_nowait(b"")
    await asyncio.gather(*waiting)
    raw = time.perf_counter() - began
    await made.stop()
    return min(found), raw


def megabytes() -> float:
    """Return the peak memory of a process that keeps many objects."""
    script = (
        "import resource, time; from bench.sandbox import reads; from syncline.sandbox.store.store import ObjectStore\n"
        f"kept = ObjectStore(monotonic=time.monotonic); reads.fill(kept, {OBJECTS})\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)


def rows() -> list[Row]:
    (list_time, dumped), (event, queues) = asyncio.run(listed()), asyncio.run(told())
    weight = len(orjson.dumps(pod(0))) * OBJECTS / 2**20
    return [
        Row(
            name="sandbox list of 5,000 pods",
            figure=list_time * 1000,
            unit="ms",
            raw=dumped * 1000,
            raw_is="JSON written",
            at_most=500,
        ),
        Row(
            name="sandbox event to 100 watchers",
            figure=event * 1000,
            unit="ms",
            raw=queues * 1000,
            raw_is="100 queues",
            at_most=50,
        ),
        Row(
            name="sandbox memory of 100,000 pods",
            figure=megabytes(),
            unit="MB",
            raw=weight,
            raw_is="their JSON",
            at_most=1536,
        ),
    ]
