"""How fast a sandbox starts and takes writes: in the same process, over HTTP, and into a data folder.

Run: python -m bench sandbox.writes
Goals: start within 1 s; 2,000 in-process and 1,000 HTTP writes/s. Raw is a JSON round trip of the same body, or a bare
HTTP server that answers with it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from bench.rows import Row, microseconds
from syncline import wiring
from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.serving import http

PATH = "/api/v1/namespaces/default/configmaps"
COUNT = 1_500
CONNECTIONS = 8
ROUNDS = 3
START = (
    "import asyncio, time; began = time.perf_counter()\n"
    "from syncline import wiring\n"
    "async def main():\n"
    "    made = wiring.sandbox(); await made.start(); await made.settled(); print(time.perf_counter() - began)\n"
    "    await made.stop()\n"
    "asyncio.run(main())"
)


def body(number: int) -> bytes:
    """Return a ConfigMap of about a kilobyte."""
    content = {f"key-{index}": "a line of some length " * 4 for index in range(8)}
    return orjson.dumps({"metadata": {"name": f"map-{number}", "labels": {"app": "bench"}}, "data": content})


async def in_process(settings: SandboxSettings) -> float:
    """Return creates per second through the transport."""
    made = wiring.sandbox(settings)
    await made.start()
    kube = made.transport()
    bodies = [body(number) for number in range(COUNT)]
    began = time.perf_counter()
    for content in bodies:
        answer = await kube.send(Request(method="POST", path=PATH, body=content))
        assert answer.status == 201
    spent = time.perf_counter() - began
    await made.stop()
    return COUNT / spent


async def over_http() -> float:
    """Return creates per second over kept-alive connections."""
    made = wiring.sandbox(SandboxSettings(simulate=False))
    await made.start()
    async with http.serve(made) as served:
        rate = await _post_all(served.address, f"Bearer {served.token}", [body(number) for number in range(COUNT)])
    await made.stop()
    return rate


async def bare_http() -> float:
    """Return the same requests per second on a server that does nothing."""
    from aiohttp import web

    content = body(0)

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(status=201, body=content)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    rate = await _post_all(f"http://127.0.0.1:{runner.addresses[0][1]}", "none", [content] * COUNT)
    await runner.cleanup()
    return rate


async def _post_all(address: str, authorization: str, bodies: list[bytes]) -> float:
    host, port = address.removeprefix("http://").split(":")
    began = time.perf_counter()
    await asyncio.gather(*(_post(host, port, authorization, bodies[one::CONNECTIONS]) for one in range(CONNECTIONS)))
    return len(bodies) / (time.perf_counter() - began)


async def _post(host: str, port: str, authorization: str, bodies: list[bytes]) -> None:
    reader, writer = await asyncio.open_connection(host, int(port))
    for content in bodies:
        head = (
            f"POST {PATH} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {authorization}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 201"), answer
        length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
    writer.close()
    await writer.wait_closed()


def best(measure: Callable[[], Awaitable[float]]) -> float:
    """Return the best of several rounds, each on a fresh loop."""

    async def once() -> float:
        return await measure()

    return max(asyncio.run(once()) for _ in range(ROUNDS))


def started() -> float:
    """Return seconds from the first import to a settled sandbox, in a process of its own."""
    command = [sys.executable, "-c", START]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(ROUNDS))


async def _into(folder: str) -> float:
    return await in_process(SandboxSettings(simulate=False, data=folder))


def in_folder() -> float:
    """Return creates per second with a data folder."""
    rates: list[Any] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            rates.append(asyncio.run(_into(folder)))
    return float(max(rates))


def rows() -> list[Row]:
    content = orjson.loads(body(0))
    trips = 1e6 / microseconds(lambda: orjson.loads(orjson.dumps(content)))
    plain = best(lambda: in_process(SandboxSettings(simulate=False)))
    simulated = best(lambda: in_process(SandboxSettings()))
    kept, served, bare = in_folder(), best(over_http), best(bare_http)
    trip = "JSON round trips"
    return [
        Row(name="sandbox start", figure=started() * 1000, unit="ms", at_most=1000),
        Row(name="sandbox writes, bare API", figure=plain, unit="/s", at_least=2000, raw=trips, raw_is=trip),
        Row(name="sandbox writes, simulated", figure=simulated, unit="/s", at_least=2000, raw=trips, raw_is=trip),
        Row(name="sandbox writes, data folder", figure=kept, unit="/s", at_least=2000, raw=plain, raw_is="in memory"),
        Row(name="sandbox writes, HTTP", figure=served, unit="/s", at_least=1000, raw=bare, raw_is="bare server"),
    ]
