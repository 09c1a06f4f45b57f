"""A command and a controller of one user share the cache on disk: their fetches take turns."""

import asyncio
import pathlib

from syncline.adapters.git import folder_lock
from syncline.adapters.git.source import GitSource
from tests.support import this_machine
from tests.support.git_http import Repository

_PROGRAMS = 6


def leave_locks(folder: pathlib.Path) -> None:
    (cache,) = folder.glob("*/0")
    for name in ("shallow.lock", "packed-refs.lock"):
        (cache / name).touch()


async def test_programs_that_fetch_at_the_same_time_do_not_get_in_each_others_way(
    url: str, shop: Repository, tmp_path: pathlib.Path, repositories: pathlib.Path
) -> None:
    shop.git("config", "uploadpack.allowAnySHA1InWant", "true")
    commits = [shop.commit({"a.yaml": str(number)}) for number in range(_PROGRAMS)]
    # Each knows nothing of the others but the folder.
    programs = [
        GitSource(str(tmp_path / "shared"), local_folders=[str(repositories)], reach=this_machine.REACH)
        for _ in commits
    ]
    trees = await asyncio.gather(*(program.tree(url, sha, "") for program, sha in zip(programs, commits, strict=True)))
    assert [tree.read("a.yaml") for tree in trees] == [str(number).encode() for number in range(_PROGRAMS)]


async def test_what_a_killed_git_left_holds_nobody_up(
    url: str, shop: Repository, source: GitSource, tmp_path: pathlib.Path
) -> None:
    first = shop.commit({"a.yaml": "1"})
    await source.tree(url, first, "")
    leave_locks(tmp_path / "cache")
    second = shop.commit({"a.yaml": "2"})
    assert (await source.tree(url, second, "")).read("a.yaml") == b"2"


async def test_whoever_comes_second_waits_until_the_first_is_done(tmp_path: pathlib.Path) -> None:
    order = []

    async def work(name: str) -> None:
        async with folder_lock.held(tmp_path / "cache"):
            order.append(f"{name} begins")
            await asyncio.sleep(0.1)
            order.append(f"{name} ends")

    await asyncio.gather(work("one"), work("other"))
    assert order in (
        ["one begins", "one ends", "other begins", "other ends"],
        ["other begins", "other ends", "one begins", "one ends"],
    )
