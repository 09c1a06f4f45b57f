"""Looks at Applications for many who ask: whose turn it is."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from syncline.server.insight.looks import Looks
from syncline.verbs.look import ClusterView
from tests.support.loops.simulated import run_simulated


class SlowView:
    """Never ends a look at an Application of one project."""

    async def see(self, app: dict[str, Any]) -> str:
        if app["spec"]["project"] == "hostile":
            await asyncio.Event().wait()
        return str(app["metadata"]["uid"])


class LoopClock:
    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def app(uid: str, project: str) -> dict[str, Any]:
    return {"metadata": {"uid": uid, "resourceVersion": "1"}, "spec": {"project": project}}


def test_looks_that_never_end_hold_up_no_other_project() -> None:
    async def story() -> None:
        looks = Looks(cast("ClusterView", SlowView()), cast("Any", LoopClock()))
        stuck = [asyncio.ensure_future(looks.see(app(f"h{number}", "hostile"))) for number in range(20)]
        await asyncio.sleep(1)
        async with asyncio.timeout(1):
            assert cast("Any", await looks.see(app("innocent", "team"))) == "innocent"
        for task in stuck:
            task.cancel()
        await looks.stop()

    run_simulated(story)
