"""A render that ran into a limit is not tried over and over: the pause doubles until a commit or a person ends it."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec
import pytest

from syncline.controller.sources.backoffs import FIRST_PAUSE, LONGEST_PAUSE, RenderBackoffs
from syncline.controller.sources.render_stores import MemoryRenders
from syncline.controller.sources.renders import Look, RenderCache
from syncline.model.desired import Desired
from syncline.model.errors import RenderError
from syncline.model.settings.settings import Settings
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from tests.support.clocks import LoopClock
from tests.support.fake_source import MemoryTree
from tests.support.loops.simulated import run_simulated

REQUEST = RenderRequest(
    app_name="shop",
    namespace="shop",
    project="default",
    source=ApplicationSource(repo_url="https://git.example/shop.git", path="app"),
    awaited=False,
)
FIRST, SECOND = MemoryTree("sha1", {"app/x": "1"}), MemoryTree("sha2", {"app/x": "2"})


class Looping:
    """A renderer that runs into its limit, until it is told to be quick."""

    fingerprint = "tools"

    def __init__(self) -> None:
        self.attempts = 0
        self.error: RenderError | None = RenderError("helm took too long", passing=True, over_limit=True)

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        self.attempts += 1
        if self.error is not None:
            raise self.error
        return Desired((), revisions=(tree.revision,))

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        return True

    def adjust(self, settings: Settings) -> None:
        raise AssertionError("nobody has other settings here")


class Tried:
    """A cache before such a renderer."""

    def __init__(self) -> None:
        self.renderer = Looping()
        self.cache = RenderCache(self.renderer, memory=MemoryRenders(), backoffs=RenderBackoffs(LoopClock()))

    async def attempts(self, tree: MemoryTree = FIRST, **changes: Any) -> int:
        """Render once more; return how often the renderer was asked so far."""
        try:
            await self.cache.render(Look(msgspec.structs.replace(REQUEST, **changes), tree))
        except RenderError as error:
            self.error = error
        return self.renderer.attempts


def play(story: Callable[[Tried], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        await story(Tried())

    run_simulated(main)


def test_pause_doubles_up_to_an_hour() -> None:
    async def story(tried: Tried) -> None:
        pause, expected = FIRST_PAUSE, 1
        assert await tried.attempts() == expected
        for _ in range(9):
            await asyncio.sleep(pause - 1)
            assert await tried.attempts() == expected, "it is too early"
            await asyncio.sleep(1)
            expected += 1
            assert await tried.attempts() == expected
            pause = min(2 * pause, LONGEST_PAUSE)
        assert pause == LONGEST_PAUSE == 3_600

    play(story)


def test_error_says_when_it_is_tried_again_in_words_that_stay_the_same() -> None:
    async def story(tried: Tried) -> None:
        await tried.attempts()
        first = str(tried.error)
        await asyncio.sleep(30)
        await tried.attempts()
        assert str(tried.error) == first
        assert first == (
            "helm took too long (not tried again before 2030-01-01T00:01:00Z; "
            "push a commit or ask for a hard refresh to try it sooner)"
        )

    play(story)


@pytest.mark.parametrize(
    ("changes", "tree", "tried_again"),
    [
        ({}, SECOND, True),
        ({"fresh": True, "awaited": True}, FIRST, True),
        ({"fresh": True}, FIRST, False),
        ({"awaited": True}, FIRST, False),
        ({"app_name": "other"}, FIRST, True),
    ],
    ids=["new commit", "hard refresh by a person", "hard refresh by the clock", "normal refresh", "other app"],
)
def test_what_ends_a_pause(changes: dict[str, Any], tree: MemoryTree, tried_again: bool) -> None:
    async def story(tried: Tried) -> None:
        await tried.attempts()
        assert await tried.attempts(tree, **changes) == 1 + tried_again

    play(story)


def test_success_ends_the_row_of_failures() -> None:
    async def story(tried: Tried) -> None:
        failure = tried.renderer.error
        await tried.attempts()
        tried.renderer.error = None
        assert await tried.attempts(fresh=True, awaited=True) == 2
        tried.renderer.error = failure
        assert await tried.attempts(fresh=True, awaited=True) == 3
        await asyncio.sleep(FIRST_PAUSE)
        assert await tried.attempts(fresh=True) == 4, "the pause began from the first again"

    play(story)


def test_other_failures_of_the_machine_are_tried_each_time() -> None:
    async def story(tried: Tried) -> None:
        tried.renderer.error = RenderError("no space left", passing=True)
        assert await tried.attempts() == 1
        assert await tried.attempts() == 2

    play(story)
