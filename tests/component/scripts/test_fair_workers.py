"""Projects share the workers: expressions of one that loop delay no script of another."""

import asyncio
import time

from syncline import turns
from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.adapters.scripts.process import ScriptLimits
from syncline.model.script import Evaluated
from tests.component.scripts.making import health

LIMIT = 2.0
"""Seconds of processor that a script may take here: longer than an innocent batch waits on a slow machine."""


async def evaluated(evaluator: ScriptEvaluator, project: str, texts: list[str]) -> list[Evaluated]:
    with turns.working_for(project):
        return list(await evaluator.evaluate([health(text) for text in texts]))


async def test_looping_scripts_of_one_project_take_no_worker_from_another() -> None:
    evaluator = ScriptEvaluator(workers=2, limits=ScriptLimits(seconds=LIMIT, wall_seconds=60.0))
    try:
        await evaluated(evaluator, "innocent", ["return {}"])
        loops = [[f"while {number * 10 + n} do end" for n in range(10)] for number in range(6)]
        hostile = [asyncio.create_task(evaluated(evaluator, "hostile", texts)) for texts in loops]
        await asyncio.sleep(1)
        began = time.monotonic()
        answers = await evaluated(evaluator, "innocent", ['return {status="Healthy"}'])
        waited = time.monotonic() - began
        assert answers == [Evaluated(value={"status": "Healthy"})]
        assert not any(task.done() for task in hostile)
        # Six batches of ten would keep two workers busy for a minute, and the first two for 20 seconds.
        assert waited < 10.0
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
    finally:
        await evaluator.close()


async def test_no_more_workers_stay_than_are_allowed() -> None:
    evaluator = ScriptEvaluator(workers=1)
    try:
        await asyncio.gather(*(evaluated(evaluator, f"p{n}", [f"return {{n={n}}}"]) for n in range(4)))
        assert len(evaluator._idle) == 1
    finally:
        await evaluator.close()
