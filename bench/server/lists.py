"""Lists and filters of 8,000 Applications, and an event for 500 clients: through the whole server, without sockets.

Each request goes through sessions, policies (40 projects, some hundred lines) and JSON. The raw cost beside the list of
whole Applications is what it takes to make their JSON alone.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from bench.rows import Row
from syncline import tasks
from syncline.apimachinery.keys import Object
from tests.support.web import Browser, Site, site

_APPS, _PROJECTS, _CLIENTS = 8_000, 40, 500
_ROUNDS = 30
_EVENTS, _IDLE = 5, 5.5
_POLICY = "\n".join(
    [
        "g, ann, role:some",
        *(f"p, role:some, applications, get, team-{number}/*, allow" for number in range(_PROJECTS)),
        *(f"p, role:r{number}, applications, sync, team-{number}/app-{number}*, allow" for number in range(200)),
    ]
)


def rows() -> list[Row]:
    """Measure 95th percentiles."""
    return asyncio.run(_measured())


async def _measured() -> list[Row]:
    async with site(policy=_POLICY) as made:
        for number in range(_APPS):
            made.backend.live.note_write(_app(number))
        ann = await made.as_("ann")
        begin = time.perf_counter()
        made.backend.shelf.rows()
        first = (time.perf_counter() - begin) * 1000
        listed = "/api/v1/applications"
        filtered = await _p95(ann, f"{listed}?search=app-1&health=Degraded&sort=-since&limit=100")
        light = await _p95(ann, "/api/v1/syncline/fleet?sync=OutOfSync&limit=100")
        whole_fleet = await _p95(ann, "/api/v1/syncline/fleet?limit=0", rounds=10)
        slim = "fields=items.metadata.name,items.status.sync.status,items.status.health.status"
        names = await _p95(ann, f"{listed}?{slim}", rounds=5)
        raw = _raw()
        event, worked = await _event(made, ann)
    return [
        Row(name="rows of 8,000 apps, the first time", figure=first, unit="ms"),
        Row(name="filter, sort, page of 8,000 apps (p95)", figure=filtered, unit="ms", at_most=300),
        Row(name="fleet page of 8,000 apps (p95)", figure=light, unit="ms", at_most=300),
        Row(name="fleet, all 8,000 light rows (p95)", figure=whole_fleet, unit="ms", at_most=300),
        Row(
            name="list of 8,000 apps, three fields (p95)",
            figure=names,
            unit="ms",
            raw=raw,
            raw_is="decode and encode 8,000 apps",
        ),
        Row(name="one event to 500 stream clients (p95)", figure=event, unit="ms", at_most=100),
        Row(name="one event to 500 stream clients, processor", figure=worked, unit="ms", at_most=100),
    ]


async def _p95(browser: Browser, path: str, rounds: int = _ROUNDS) -> float:
    async def once() -> None:
        answer = await browser.get(path)
        assert answer.status == 200, answer.body[:200]

    return await _timed(once, rounds)


async def _timed(once: Callable[[], Awaitable[None]], rounds: int) -> float:
    await once()
    taken = []
    for _ in range(rounds):
        begin = time.perf_counter()
        await once()
        taken.append((time.perf_counter() - begin) * 1000)
    return statistics.quantiles(taken, n=20)[-1]


def _raw() -> float:
    kept = [orjson.dumps(_app(number)) for number in range(_APPS)]
    begin = time.perf_counter()
    orjson.dumps([orjson.loads(text) for text in kept])
    return (time.perf_counter() - begin) * 1000


async def _event(made: Site, ann: Browser) -> tuple[float, float]:
    """Return how long the slowest of 500 clients wait for a change, and how long the processor works for all of them.

    They follow one project and stay, as clients do, and every change comes after a while in which nothing happened.
    """
    heard: list[float] = []
    everybody = asyncio.Event()

    async def client() -> None:
        async for line in ann.lines(f"/api/v1/stream/applications?projects=team-1&resourceVersion={2**40}"):
            assert line["result"]["type"] == "MODIFIED"
            heard.append(time.perf_counter())
            if len(heard) == _CLIENTS:
                everybody.set()

    clients = [tasks.start(client(), name="client") for _ in range(_CLIENTS)]
    while len(made.backend.feed) < _CLIENTS:  # noqa: ASYNC110 - until all of them listen
        await asyncio.sleep(0.05)
    waited, worked = [], []
    for number in range(_EVENTS):
        await asyncio.sleep(_IDLE)
        heard.clear()
        everybody.clear()
        begun, busy = time.perf_counter(), time.process_time()
        made.backend.live.note_write(_app(1, version=999_999 + number))
        await everybody.wait()
        worked.append((time.process_time() - busy) * 1000)
        waited.append((statistics.quantiles(heard, n=20)[-1] - begun) * 1000)
    for one in clients:
        one.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    return statistics.median(waited), statistics.median(worked)


def _app(number: int, version: int = 0) -> Object:
    """Return an Application as a controller leaves it: ten objects, a history, a last operation."""
    health = ("Healthy", "Healthy", "Healthy", "Degraded", "Progressing")[number % 5]
    resources: list[Any] = [
        {"group": "apps", "version": "v1", "kind": "Deployment", "namespace": f"ns-{number}", "name": f"web-{one}"}
        for one in range(10)
    ]
    source = {"repoURL": f"https://git.example/team-{number % 40}.git", "path": f"apps/{number}"}
    revision = f"{number:040x}"
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": f"app-{number}",
            "namespace": "argocd",
            "uid": f"uid-{number}",
            "resourceVersion": str(version or 10_000 + number),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"team": f"team-{number % 40}"},
        },
        "spec": {
            "project": f"team-{number % 40}",
            "source": source,
            "destination": {"server": "https://kubernetes.default.svc", "namespace": f"ns-{number}"},
        },
        "status": {
            "sync": {"status": "OutOfSync" if number % 7 == 0 else "Synced", "revision": revision},
            "health": {"status": health, "lastTransitionTime": f"2026-01-01T{number % 24:02}:00:00Z"},
            "resources": [{**one, "status": "Synced", "health": {"status": health}} for one in resources],
            "history": [{"id": one, "revision": revision, "source": source} for one in range(5)],
            "operationState": {"phase": "Succeeded", "startedAt": "2026-01-01T00:00:00Z", "message": "synced"},
        },
    }
