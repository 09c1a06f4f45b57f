"""What an Application says whose render backs off, or waits for its turn."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from syncline.adapters.render.programs import Programs, limits
from syncline.adapters.render.renderer import ToolRenderer
from syncline.controller.live.cluster import LiveCluster
from syncline.model import names
from syncline.model.settings.settings import Settings
from syncline.verbs.explain import explain
from syncline.verbs.look import ClusterView, standing_view
from tests.support.neighbours import CHARTS
from tests.support.world import API, SandboxBed

HARD = {"metadata": {"annotations": {names.REFRESH: "hard"}}}
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


class Counting(ToolRenderer):
    """Counts what is rendered."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Programs(parallel=1, limits=limits(seconds)))
        self.count = 0

    async def render(self, *arguments: Any, **named: Any) -> Any:
        self.count += 1
        return await super().render(*arguments, **named)

    def adjust(self, settings: Settings) -> None:
        """Keep the limits of the test."""


async def condition(bed: SandboxBed, kind: str, name: str) -> str:
    """Wait for a condition of an Application, and return its message."""
    found: list[str] = []

    async def is_there() -> bool:
        conditions = (await bed.app_status(name)).get("conditions") or ()
        found[:] = [item["message"] for item in conditions if item["type"] == kind]
        return bool(found)

    await bed.until(is_there, f"{name} has a {kind}")
    return found[0]


async def started(bed: SandboxBed, *apps: str) -> None:
    await bed.start()
    bed.source.commit({f"apps/web/{path}": text for path, text in CHARTS.files.items()})
    for name in apps:
        await bed.apply(bed.application(name))


def test_render_that_ran_into_its_limit_is_not_tried_again_until_a_person_asks() -> None:
    async def main() -> None:
        bed = SandboxBed()
        renderer = bed.renderer = Counting(2.0)
        await started(bed, "web")
        controller = bed.controller()
        await controller.start()
        try:
            message = await condition(bed, "ComparisonError", "web")
            expected = rf"helm gave no answer within 2 seconds.*not tried again before {TIME}; push a commit or ask for"
            assert re.search(expected, message)
            # The interval at which sources are asked again, and what else wakes an Application.
            await bed.patch("Application", "web", {"metadata": {"labels": {"a": "b"}}}, API, bed.control)
            await bed.clock.sleep(8)
            assert renderer.count == 1
            assert controller.applications.sources.backing_off() == 1
            await bed.patch("Application", "web", HARD, API, bed.control)
            await bed.until(lambda: _reached(renderer, 2), "a hard refresh renders again")
        finally:
            await controller.stop()
            await bed.stop()
        assert not bed.failures

    asyncio.run(main())


def test_why_uses_the_recorded_failure_of_a_render_that_backs_off() -> None:
    async def main() -> None:
        bed = SandboxBed()
        renderer = bed.renderer = Counting(2.0)
        await started(bed, "web")
        controller = bed.controller()
        await controller.start()
        try:
            message = await condition(bed, "ComparisonError", "web")
            async with looking(bed) as view:
                told = (await explain(view, await bed.app("web"))).explanation
                (finding,) = [one for one in told.findings if one.code == "SRC-001"]
                until = re.search(rf"not tried again before {TIME}", message)
                assert until is not None
                assert until[0] in finding.message
                assert renderer.count == 1
            bed.source.commit({"apps/web/values.yaml": "other: files\n"})
            async with looking(bed) as view:
                await explain(view, await bed.app("web"))
                assert renderer.count > 1, "another commit is rendered"
        finally:
            await controller.stop()
            await bed.stop()
        assert not bed.failures

    asyncio.run(main())


@asynccontextmanager
async def looking(bed: SandboxBed) -> AsyncIterator[ClusterView]:
    """Look as a server does, which has another memory than the controller."""
    world = bed.world()
    live = LiveCluster(world.home, world.settings, world.clock, on_change=lambda _obj: None)
    await live.load()
    async with standing_view(world, live) as view:
        yield view


async def _reached(renderer: Counting, count: int) -> bool:
    return renderer.count >= count


def test_application_whose_render_waits_says_so() -> None:
    async def main() -> None:
        bed = SandboxBed()
        renderer = bed.renderer = Counting(60.0)
        await started(bed, "first", "second")
        controller = bed.controller()
        await controller.start()
        try:
            await bed.until(lambda: _reached(renderer, 2), "both are to be rendered")
            await bed.clock.sleep(21)
            waiting = [wait.subject.rpartition("/")[2] for wait in renderer.figures().waits]
            (name,) = waiting
            message = await condition(bed, "RenderWaitingWarning", name)
            why = "other renders of project default run"
            assert re.match(rf"WaitingForRender: the render waits for its turn since {TIME}: {why} \(", message)
            assert [wait.own_runs for wait in renderer.figures().waits] == [True]
            assert not bed.violations
        finally:
            await controller.stop()
            await bed.stop()
        assert not bed.failures

    asyncio.run(main())
