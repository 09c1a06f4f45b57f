"""The life of workers: they are shared, replaced, and never outlive whoever started them."""

import asyncio
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.adapters.scripts.process import ScriptLimits
from syncline.model.script import Evaluated
from tests.component.scripts import processes
from tests.component.scripts.making import health

GOOD = health('return {status="Healthy", message=tostring(obj.spec.replicas)}')
HEALTHY = Evaluated(value={"status": "Healthy", "message": "3"})
LOOP = health("while true do end")


async def test_one_worker_serves_many_batches(evaluator: ScriptEvaluator) -> None:
    before, seen = processes.workers(), set[int]()
    for number in range(5):
        await evaluator.evaluate([health(f"return {{n={number}}}")])
        seen |= processes.workers() - before
    assert len(seen) == 1


async def test_a_worker_that_somebody_else_kills_costs_no_script_its_result(evaluator: ScriptEvaluator) -> None:
    before = processes.workers()
    await evaluator.evaluate([health("return {}")])
    (worker,) = processes.workers() - before
    os.kill(worker, signal.SIGKILL)
    assert await evaluator.evaluate([GOOD]) == [HEALTHY]


async def test_a_slow_batch_does_not_hold_up_another(evaluator: ScriptEvaluator) -> None:
    await asyncio.gather(evaluator.evaluate([LOOP]), evaluator.evaluate([health("return {}")]))
    # Both workers are up now, so what is quick does not wait for one to start.
    slow = asyncio.ensure_future(evaluator.evaluate([health("local n = 0 while true do n = n + 1 end")]))
    await asyncio.sleep(0)
    assert await evaluator.evaluate([GOOD]) == [HEALTHY]
    assert not slow.done()
    (ended,) = await slow
    assert ended.error.endswith("ran for more than 1 s")


async def test_a_caller_that_goes_away_takes_its_worker_along(evaluator: ScriptEvaluator) -> None:
    before = processes.workers()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.3):
            await evaluator.evaluate([LOOP])
    assert processes.workers() == before
    assert await evaluator.evaluate([GOOD]) == [HEALTHY]


async def test_a_worker_that_stands_still_is_killed_by_the_clock() -> None:
    before = processes.workers()
    evaluator = ScriptEvaluator(limits=ScriptLimits(wall_seconds=3.0))
    await evaluator.evaluate([health("return {}")])
    (worker,) = processes.workers() - before
    os.kill(worker, signal.SIGSTOP)
    assert await evaluator.evaluate([GOOD]) == [
        Evaluated(error="the Lua script was stopped: it did not answer within 3 s")
    ]
    assert await evaluator.evaluate([GOOD]) == [HEALTHY], "the next time it runs again"
    await evaluator.close()
    assert processes.workers() == before


async def test_without_a_worker_every_script_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    results = await ScriptEvaluator().evaluate([GOOD, LOOP])
    assert {result.error for result in results} == {"the worker process that runs scripts cannot be started"}


ORPHANING = """
import asyncio, os
from syncline.adapters.scripts.evaluator import ScriptEvaluator
from tests.component.scripts import processes
from tests.component.scripts.making import health

async def main():
    evaluator = ScriptEvaluator()
    await evaluator.evaluate([health("return {}")])
    print(*processes.workers(), flush=True)
    asyncio.ensure_future(evaluator.evaluate([health(TEXT, open_libraries=True)]))
    await asyncio.sleep(0.2)
    os._exit(0)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "text",
    ["return {}", "while true do end", 'string.find(string.rep("a", 3000), ".-.-.-.-.-.-b")'],
    ids=["idle", "in a loop", "inside C code"],
)
def test_a_worker_ends_soon_after_its_program(text: str) -> None:
    code = ORPHANING.replace("TEXT", repr(text))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    worker = pathlib.Path("/proc") / done.stdout.strip()
    deadline = time.monotonic() + 60
    while worker.exists() and "worker" in (worker / "cmdline").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not worker.exists() or "worker" not in (worker / "cmdline").read_text()
