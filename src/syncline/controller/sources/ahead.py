"""Compares what the server answered while other writes of the same wave are still under way.

Used by `syncline.controller.deliver.act` around a step with many writes; what it finds goes into the memo of the
Application, where the assessment after the step finds it. It decides nothing: without it the same comparison is done a
moment later, when everybody waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from syncline import tasks
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.assess import Assessment
from syncline.core.compare.compare import compare_object
from syncline.core.compare.memo import ComparisonMemo
from syncline.ports.clock import Clock

_PAUSE = 0.005
"""Answers come in bunches; after so many seconds the next writes are on their way, and there is time."""


@asynccontextmanager
async def comparing(
    assessment: Assessment, memo: ComparisonMemo | None, written: Mapping[ObjectKey, Object], clock: Clock
) -> AsyncIterator[None]:
    """Compare, for as long as this is open, every object that turns up in `written`; without a memo nothing."""
    if memo is None:
        yield
        return
    task = tasks.start(_compare(assessment, memo, written, clock), name="compare ahead")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _compare(
    assessment: Assessment, memo: ComparisonMemo, written: Mapping[ObjectKey, Object], clock: Clock
) -> None:
    items = {item.key: item for item in assessment.prepared.objects}
    done: set[ObjectKey] = set()
    while True:
        await clock.sleep(_PAUSE)
        new = [key for key in written if key not in done and key in items]
        memo.keep([(items[key], written[key]) for key in new], assessment.context, compare_object)
        done.update(new)
