"""Long computations of one project come one at a time, and leave as much time to the others as they took."""

import asyncio

from syncline import turns
from syncline.controller.deliver.courtesy import LARGE, Courtesy
from tests.support.clocks import LoopClock
from tests.support.loops.simulated import run_simulated


async def compute(courtesy: Courtesy, project: str, seconds: float, size: int = LARGE) -> float:
    """Compute for so long; return when that was done."""
    with turns.working_for(project):
        async with courtesy.computing(size):
            await asyncio.sleep(seconds)
            done = asyncio.get_running_loop().time()
    return done


def test_heavy_passes_of_one_project_pause_for_another() -> None:
    async def main() -> None:
        courtesy = Courtesy(LoopClock())
        with courtesy.present("heavy"), courtesy.present("light"):
            heavy = [asyncio.create_task(compute(courtesy, "heavy", 1.0)) for _ in range(3)]
            await asyncio.sleep(0.5)
            light = await compute(courtesy, "light", 0.2)
            assert light == 0.7, "it does not wait for the others"
            assert sorted(await asyncio.gather(*heavy)) == [1.0, 3.0, 5.0], "each pauses for as long as it took"

    run_simulated(main)


def test_nobody_pauses_where_no_other_project_has_a_pass_under_way() -> None:
    async def main() -> None:
        courtesy = Courtesy(LoopClock())
        with courtesy.present("heavy"), courtesy.present("heavy"):
            done = await asyncio.gather(*(compute(courtesy, "heavy", 1.0) for _ in range(3)))
            assert done == [1.0, 1.0, 1.0]

    run_simulated(main)


def test_small_applications_never_wait() -> None:
    async def main() -> None:
        courtesy = Courtesy(LoopClock())
        with courtesy.present("a"), courtesy.present("b"):
            done = await asyncio.gather(*(compute(courtesy, "a", 1.0, LARGE - 1) for _ in range(3)))
            assert done == [1.0, 1.0, 1.0]

    run_simulated(main)
