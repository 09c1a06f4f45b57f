"""How long a sandbox in a process of its own takes to its first answer, and whether steady writes fill its memory.

Run: python -m bench sandbox.steady
Goals: first answer within 0.5 s; flat memory over the second half of 40,000 writes. Raw is a bare HTTP server started
the same way, and the memory before the first write.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from bench.rows import Row

ROUNDS = 3
WRITES = 40_000
# Both print the seconds from their first line to the first answer; Python itself starts before it.
FIRST = """\
import asyncio, time
began = time.perf_counter()
from syncline import wiring
from syncline.sandbox.serving import http
async def main():
    made = wiring.sandbox()
    await made.start()
    async with http.serve(made) as served:
        host, port = served.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /version HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        print(time.perf_counter() - began)
        writer.close()
    await made.stop()
asyncio.run(main())
"""
BARE = """\
import asyncio, time
began = time.perf_counter()
from aiohttp import web
async def main():
    app = web.Application()
    async def answer(request): return web.Response(text="{}")
    app.router.add_get("/version", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
    writer.write(b"GET /version HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    print(time.perf_counter() - began)
    writer.close()
    await runner.cleanup()
asyncio.run(main())
"""
STEADY = f"""\
import asyncio, gc
from bench.sandbox.writes import PATH, body
from syncline import wiring
from syncline.ports.transport import Request
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20
async def main():
    made = wiring.sandbox()
    await made.start()
    kube = made.transport()
    for number in range(200):
        await kube.send(Request(method="POST", path=PATH, body=body(number)))
    found = [resident()]
    for half in range(2):
        for number in range({WRITES} // 2):
            content = b'{{"data":{{"turn":"%d"}}}}' % (half * {WRITES} + number)
            kind = {{"Content-Type": "application/merge-patch+json"}}
            path = f"{{PATH}}/map-{{number % 200}}"
            answer = await kube.send(Request(method="PATCH", path=path, headers=kind, body=content))
            assert answer.status == 200
        found.append(resident())
    print(*found)
    await made.stop()
asyncio.run(main())
"""


def printed(program: str, bytecode: str) -> list[float]:
    """Run a program in a process of its own and return the numbers it prints; with bytecode, as installed programs."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    return [float(word) for word in run.stdout.split()]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as bytecode:
        # The first round writes it.
        first, bare = (min(printed(program, bytecode)[0] for _ in range(ROUNDS)) * 1000 for program in (FIRST, BARE))
        empty, middle, end = printed(STEADY, bytecode)
    name = f"sandbox memory, second {WRITES // 2:,} writes"
    return [
        Row(name="sandbox first answer", figure=first, unit="ms", raw=bare, raw_is="bare server", at_most=500),
        Row(name=name, figure=end, unit="MiB", raw=middle, raw_is="after the first half", at_most=middle * 1.02),
        Row(name="sandbox memory, all writes", figure=end, unit="MiB", raw=empty, raw_is="before them"),
    ]
