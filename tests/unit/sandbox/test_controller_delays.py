"""How long simulated controllers wait before they look again."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from syncline import wiring
from syncline.sandbox.controllers.runtime import ControllerWorker
from syncline.sandbox.timers import Timers

_FINER_THAN_ANY_CLOCK = 1e-14


def test_a_wait_that_is_finer_than_the_clock_still_ends() -> None:
    looks: list[float] = []

    async def main() -> None:
        clock = wiring.virtual_clock()
        # So far on that so little added to the time is nothing.
        await clock.sleep(5000.0)
        since, over = clock.monotonic(), asyncio.Event()

        def reconcile(_place: object) -> float | None:
            looks.append(clock.monotonic())
            if clock.monotonic() > since or len(looks) > 50:
                over.set()
                return None
            return _FINER_THAN_ANY_CLOCK

        backend = cast("Any", SimpleNamespace(clock=clock, timers=Timers(clock)))
        worker = ControllerWorker(cast("Any", SimpleNamespace(reconcile=reconcile)), backend)
        running = asyncio.ensure_future(worker.run())
        worker.add(cast("Any", "a place"))
        await over.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    wiring.run_in_virtual_time(main())
    assert len(looks) == 2
