"""Clock jumps: the wall clock of the controller leaps by years, and nothing is written, pruned or judged because of it.

A process reads the wall clock of the machine, which no namespace changes: here the controller runs inside the test on
the sandbox with a clock that leaps: it takes its time by the port `syncline.ports.clock`.
"""

from __future__ import annotations

import pytest

from tests.support.manifests import files
from tests.support.played import app_with, config, namespace, tell
from tests.support.stories import AUTO
from tests.support.world import SandboxBed

YEAR = 365 * 86400.0


@pytest.mark.parametrize(
    "leap", [3600.0, -3600.0, 20 * YEAR, -20 * YEAR], ids=["hour", "hour-back", "years", "years-back"]
)
def test_leap_of_the_wall_clock_writes_and_prunes_nothing(leap: float) -> None:
    async def story(bed: SandboxBed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("a"), b=config("b")))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_delivered()
        begun = len(bed.writes)
        assert [line for line in bed.writes if f"/namespaces/{bed.target}/" in line], "no write is noted at all"
        for _ in range(3):
            bed.clock.shift(leap)  # type: ignore[attr-defined]
            await bed.clock.sleep(30)
        written = [line for line in bed.writes[begun:] if f"/namespaces/{bed.target}/" in line]
        assert written == []
        assert await bed.status() == ("Synced", "Healthy")
        bed.source.commit(files(a=config("a")))
        bed.clock.reset()  # type: ignore[attr-defined]

        async def pruned() -> bool:
            return await bed.get("ConfigMap", "b", "v1") is None

        await bed.until(pruned, "the next commit is delivered as if nothing had happened")

    tell(story)
