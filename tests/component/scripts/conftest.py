"""Real worker processes, ended after each test, and none of them left behind."""

from collections.abc import AsyncIterator

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.adapters.scripts.process import ScriptLimits
from tests.component.scripts import processes


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def evaluator() -> AsyncIterator[ScriptEvaluator]:
    before = processes.workers()
    # What a script may use of a processor is as ever; how long a busy machine takes to give it that is not tested.
    made = ScriptEvaluator(limits=ScriptLimits(wall_seconds=100.0))
    yield made
    await made.close()
    assert processes.workers() == before, "a worker or its remains are left behind"
