"""Real worker processes, ended after each test, and none of them left behind."""

from collections.abc import AsyncIterator

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from tests.component.scripts import processes


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def evaluator() -> AsyncIterator[ScriptEvaluator]:
    before = processes.workers()
    made = ScriptEvaluator()
    yield made
    await made.close()
    assert processes.workers() == before, "a worker or its remains are left behind"
