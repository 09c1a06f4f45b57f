"""Servers that commands ask: each once in a run, and one that gave no answer not again within a minute."""

import asyncio

import pytest

from syncline.adapters.asked_once import ChartsAskedOnce, FilesAskedOnce, SilentServers, SourceAskedOnce
from syncline.model.errors import SourceError
from syncline.ports.source import ChartRequest, RevisionRequest
from tests.support.clocks import LoopClock
from tests.support.fake_source import MemorySource
from tests.support.stores import MemoryStore

pytestmark = pytest.mark.anyio

MAIN = RevisionRequest("https://git.example/shop", "main")


class Counted(MemorySource):
    """A repository that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.commit({"a": "b"})
        self.count = 0

    async def resolve(self, request: RevisionRequest) -> str:
        self.count += 1
        await asyncio.sleep(0)
        return await super().resolve(request)

    async def read(self, url: str) -> bytes:
        return (await self.resolve(RevisionRequest(url, "main"))).encode()


class Charts:
    """Charts whose server gives no answer."""

    def __init__(self) -> None:
        self.count = 0

    async def resolve(self, request: ChartRequest) -> str:
        self.count += 1
        raise SourceError("nobody answers")

    async def tree(self, request: ChartRequest) -> None:
        self.count += 1
        raise SourceError("nobody answers")


class Runs:
    """One command after the other, with one folder of caches."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.clock = LoopClock()
        self.store = store if store is not None else MemoryStore()
        self.source = Counted()

    def next(self, *, kept: bool = True, elsewhere: bool = True) -> SourceAskedOnce:
        return SourceAskedOnce(self.source, self.silent(kept=kept), lambda _url: elsewhere)

    def silent(self, *, kept: bool = True) -> SilentServers:
        return SilentServers(self.store if kept else None, self.clock)


async def sentence(asked: SourceAskedOnce, request: RevisionRequest = MAIN) -> str:
    with pytest.raises(SourceError) as caught:
        await asked.resolve(request)
    return str(caught.value)


async def test_all_who_ask_in_one_run_get_one_answer_and_the_next_run_asks_again() -> None:
    runs = Runs()
    run = runs.next()
    together = await asyncio.gather(*(run.resolve(MAIN) for _ in range(5)))
    assert {*together, await run.resolve(MAIN)} == {together[0]}
    assert runs.source.count == 1
    await runs.next().resolve(MAIN)
    assert runs.source.count == 2


async def test_silence_is_remembered_for_a_minute_with_a_word() -> None:
    runs = Runs()
    runs.source.silent = True
    first = await sentence(runs.next())
    runs.clock.shift(20)
    assert await sentence(runs.next()) == f"{first} (remembered, and asked again in 40 s)"
    other = RevisionRequest(MAIN.repo_url, "v1")
    assert "remembered" in await sentence(runs.next(), other)
    assert runs.source.count == 1
    runs.source.silent = False
    runs.clock.shift(41)
    await runs.next().resolve(MAIN)
    assert runs.source.count == 2


@pytest.mark.parametrize("shift", [-5, 61], ids=["a clock that was set back", "later"])
async def test_silence_is_not_remembered_for_longer(shift: float) -> None:
    runs = Runs()
    runs.source.silent = True
    await sentence(runs.next())
    runs.clock.shift(shift)
    await sentence(runs.next())
    assert runs.source.count == 2


@pytest.mark.parametrize(
    ("kept", "elsewhere", "request_"),
    [
        (False, True, MAIN),
        (True, False, MAIN),
        (True, True, RevisionRequest(MAIN.repo_url, "gone")),
    ],
    ids=["with logins", "of this machine", "a branch that is not there"],
)
async def test_what_may_change_at_any_moment_is_asked_in_every_run(
    request_: RevisionRequest, *, kept: bool, elsewhere: bool
) -> None:
    runs = Runs()
    runs.source.silent = request_ is MAIN
    for _ in range(2):
        run = runs.next(kept=kept, elsewhere=elsewhere)
        assert await sentence(run, request_) == await sentence(run, request_)
    assert runs.source.count == 2


async def test_charts_and_single_files_are_asked_for_in_the_same_way() -> None:
    runs, charts = Runs(), Charts()
    request = ChartRequest("https://charts.example", "web", "1.x")
    for _ in range(2):
        asked = ChartsAskedOnce(charts, runs.silent())  # type: ignore[arg-type]
        for question in (asked.resolve, asked.resolve, asked.tree):
            with pytest.raises(SourceError, match="nobody answers"):
                await question(request)
    assert charts.count == 2
    files = FilesAskedOnce(runs.source, runs.silent())
    assert await files.read("https://files.example/a.yaml") == await files.read("https://files.example/a.yaml")
    assert runs.source.count == 1


async def test_what_is_broken_on_disk_is_not_there() -> None:
    runs = Runs()
    await runs.store.put(f"git {MAIN.repo_url}", b"\xff{")
    await runs.next().resolve(MAIN)
    assert runs.source.count == 1
