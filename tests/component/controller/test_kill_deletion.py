"""Killed between any two writes of an app's deletion, a successor finishes it, and hooks of deletion ran once."""

from typing import Literal

import pytest

from syncline.ports.transport import Request
from tests.support import manifests
from tests.support.kill import Incarnation, Interceptor
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import files
from tests.support.played import FINALIZER, config, sync
from tests.support.world import API, SandboxBed

Moment = Literal["before", "after"]


def counted(request: Request) -> bool:
    """Whether a request may be the last: every write but that of an Event, which nothing hangs on."""
    return request.method != "GET" and "/events" not in request.path


FILES = files(
    a=config("low"),
    b=config("high", wave=1),
    c=manifests.hook("before-end", "PreDelete", policy="HookSucceeded"),
    d=manifests.hook("after-end", "PostDelete", policy="HookSucceeded"),
)


def run_with_death(die_at: int | None, moment: Moment) -> int:
    """Delete an app with a death at one write; return how many writes the first controller made."""
    counts: list[int] = []

    async def main() -> None:
        bed = SandboxBed()
        bed.pause = 1.0
        await bed.start()
        maker = bed.controller()
        await maker.start()
        bed.source.commit(FILES)
        app = bed.application()
        app["metadata"]["finalizers"] = [FINALIZER]
        await bed.apply(app)
        await sync(bed)
        await bed.clock.sleep(2)
        await maker.stop()
        bed.writes.clear()
        await bed.delete("Application", "web", API, bed.control)
        first = Incarnation("first")
        wire = Interceptor(bed.transport(), first, die_at=die_at, moment=moment, counted=counted)
        first.start(bed.controller(wire).start())

        async def over() -> bool:
            return first.dead or await bed.find_app() is None

        await bed.until(over, "the first controller died or finished")
        counts.append(len(wire.requests))
        successor = bed.controller()
        await successor.start()

        async def gone() -> bool:
            return await bed.find_app() is None

        await bed.until(gone, f"killed {moment} write {die_at}, and the app is still there")
        created = [line for line in bed.writes if line.startswith("POST") and "/jobs" in line]
        assert len(created) == 2, f"killed {moment} write {die_at}: {bed.writes}"
        for kind, name, version in (("ConfigMap", "low", "v1"), ("ConfigMap", "high", "v1")):
            assert await bed.get(kind, name, version) is None
        await bed.clock.sleep(2)
        for name in ("before-end", "after-end"):
            assert await bed.get("Job", name, "batch/v1") is None
        assert not bed.failures
        await successor.stop()
        first.kill()
        await bed.stop()

    run_simulated(main, fifo=True)
    return counts[0]


PARTS = 3
"""How many tests the points are dealt out to, so that they can run side by side."""


@pytest.mark.timeout(240)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_deletion_survives_a_kill_at_every_write_and_its_hooks_run_once(moment: Moment, part: int) -> None:
    total = run_with_death(None, moment)
    assert total >= 8
    for die_at in range(1 + part, total + 1, PARTS):
        run_with_death(die_at, moment)
