"""A repository that answers slowly holds up the sorting of no other project's commits."""

import asyncio

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.triage import Triage
from syncline.controller.runtime.queue import WorkQueue
from tests.support.clocks import LoopClock
from tests.support.loops.simulated import run_simulated


def test_slow_repository_delays_only_its_own_project() -> None:
    async def main() -> None:
        triage = Triage(Lookout(), Attention(), lambda key: key.namespace)
        queue = WorkQueue[AppKey](LoopClock(), width=100)

        async def concerns(key: AppKey) -> bool:
            if key.namespace == "slow":
                await asyncio.sleep(15)
            return True

        running = asyncio.create_task(triage.run(queue, concerns))
        for number in range(20):
            triage.moved_on(AppKey("slow", f"app-{number}"))
        triage.moved_on(AppKey("quick", "app"))
        assert await queue.take() == AppKey("quick", "app")
        assert asyncio.get_running_loop().time() < 1
        await asyncio.sleep(40)
        triage.moved_on(AppKey("slow", "late"))
        taken = [await queue.take() for _ in range(20)]
        assert taken == [AppKey("slow", f"app-{number}") for number in range(20)], "each once, in order"
        assert await queue.take() == AppKey("slow", "late")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_simulated(main)
