"""Killed between any two requests, a controller's successor finishes the job: every point is tried, not a sample.

Kill means freeze: nothing of the dead process runs again, no cleanup, no `finally`. `before` dies with the request
unsent, `after` dies when the server has acted but the answer was never seen.
"""

from typing import Literal

import pytest

from tests.support import kill_story
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

Moment = Literal["before", "after"]


def run_with_death(die_at: int | None, moment: Moment) -> int:
    """Play the story with a death at one request; return how many requests the first controller made."""
    counts: list[int] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        counts.append(await kill_story.deliver_with_death(bed, die_at=die_at, moment=moment))
        await bed.stop()

    run_simulated(main, fifo=True)
    return counts[0]


PARTS = 4
"""How many tests the points are dealt out to, so that they can run side by side."""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_operation_survives_a_kill_at_every_request_and_hooks_run_once(moment: Moment, part: int) -> None:
    total = run_with_death(None, moment)
    assert total > 100
    for die_at in range(1 + part, total + 1, PARTS):
        run_with_death(die_at, moment)
