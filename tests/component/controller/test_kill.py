"""Killed between any two requests, a controller's successor finishes the job: every point that differs is tried.

Kill means freeze: nothing of the dead process runs again, no cleanup, no `finally`. `before` dies with the request
unsent, `after` dies when the server has acted but the answer was never seen.
"""

from typing import Literal

import pytest

from syncline.ports.transport import Request
from tests.support import kill_story
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

Moment = Literal["before", "after"]


def run_with_death(die_at: int | None, moment: Moment) -> list[Request]:
    """Play the story with a death at one request; return the requests that the first controller made."""
    made: list[Request] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        made.extend(await kill_story.deliver_with_death(bed, die_at=die_at, moment=moment))
        await bed.stop()

    run_simulated(main, fifo=True)
    return made


PARTS = 4
"""How many tests the points are dealt out to: one goes with every change, the others with `make test-seeds`."""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.seeds) for part in range(1, PARTS))])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_operation_survives_a_kill_at_every_request_and_hooks_run_once(moment: Moment, part: int) -> None:
    requests = run_with_death(None, moment)
    points = kill_story.points(requests, moment)
    assert len(requests) > 100 > len(points) >= sum(map(kill_story.is_write, requests)) > 15
    for die_at in points[part::PARTS]:
        run_with_death(die_at, moment)
