"""Time that jumps does so while a child that stays only waits, and runs while it is asked."""

import asyncio
import sys

from syncline import in_flight
from syncline.adapters.virtual_time import HybridLoop


async def _child(*, stays: bool) -> float:
    async def start() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
        )

    if stays:
        with in_flight.staying():
            child = await start()
    else:
        child = await start()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    try:
        async with asyncio.timeout(None):
            await asyncio.sleep(3600 if stays else 0.05)
        return loop.time() - begun
    finally:
        child.kill()
        with in_flight.asked():
            await child.wait()


def test_an_hour_passes_at_once_beside_a_child_that_stays() -> None:
    with asyncio.Runner(loop_factory=HybridLoop) as runner:
        assert runner.run(_child(stays=True)) >= 3600


def test_beside_a_child_that_is_waited_for_time_runs() -> None:
    with asyncio.Runner(loop_factory=HybridLoop) as runner:
        assert 0.04 < runner.run(_child(stays=False)) < 60
