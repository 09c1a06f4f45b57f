"""Who asks repositories what, how often, and for how long: work and memory follow the Applications there are."""

import asyncio

import msgspec

from syncline.controller.app_key import AppKey
from syncline.controller.sources.revisions import RevisionResolver
from syncline.controller.world import World
from syncline.ports.source import RevisionRequest
from tests.support.fake_source import MemorySource
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

PAY, SHOP = AppKey("argocd", "pay"), AppKey("argocd", "shop")
MAIN = RevisionRequest("https://git.example/shop.git", "main")
FEATURE = RevisionRequest("https://git.example/shop.git", "feature")


class Counting(MemorySource):
    """A repository that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        for branch in ("main", "feature"):
            self.commit({"web.yaml": branch}, branch)

    async def resolve(self, request: RevisionRequest) -> str:
        self.asked.append(request.revision)
        return await super().resolve(request)


def world(source: MemorySource) -> World:
    bed = SandboxBed(0)
    bed.serve(source)
    return bed.world()


def polls() -> int:
    return sum(task.get_name().startswith("poll ") for task in asyncio.all_tasks())


def test_what_no_app_asks_for_any_more_is_not_polled() -> None:
    async def main() -> None:
        source = Counting()
        revisions = RevisionResolver(world(source), lambda _app: None)
        await revisions.newest(PAY, [MAIN])
        await revisions.newest(SHOP, [MAIN, FEATURE])
        assert (source.asked, polls()) == (["main", "feature"], 1)
        await revisions.newest(SHOP, [MAIN])
        assert source.asked == ["main", "feature"], "what an app still asks for is not asked anew"
        source.asked.clear()
        await asyncio.sleep(6)
        assert source.asked == ["main"]
        revisions.forget(PAY)
        revisions.forget(SHOP)
        await asyncio.sleep(6)
        assert (source.asked, polls()) == (["main"], 0)
        await revisions.newest(PAY, [MAIN])
        assert (source.asked, polls()) == (["main", "main"], 1)
        await revisions.stop()

    run_simulated(main)


def test_polling_ends_and_begins_with_the_refresh_interval() -> None:
    async def main() -> None:
        source = Counting()
        ports = world(source)
        revisions = RevisionResolver(ports, lambda _app: None)
        every_five = ports.settings
        ports.settings = msgspec.structs.replace(every_five, refresh_interval=0.0)
        await revisions.newest(PAY, [MAIN])
        await asyncio.sleep(60)
        assert (source.asked, polls()) == (["main"], 0)
        ports.settings = every_five
        await revisions.newest(PAY, [MAIN])
        await asyncio.sleep(6)
        assert source.asked == ["main", "main"]
        await revisions.stop()

    run_simulated(main)
