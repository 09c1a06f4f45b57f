"""A repository at a commit is opened once for all who read it, and read without a hop to a thread once it is whole."""

import asyncio
import pathlib
import shutil
from typing import Any

import pytest

from syncline.adapters.git import blobs
from syncline.adapters.git import source as sources
from syncline.adapters.git.source import GitSource
from syncline.adapters.git.tree import open_commit
from syncline.model.errors import SourceError
from tests.support import git_http
from tests.support.git_http import Repository

_APPS = 40


class Counts:
    """How often a commit was opened, and how often a thread was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened = 0
        self.hops = 0
        opening, hopping = open_commit, asyncio.to_thread

        def opened(*arguments: Any) -> Any:
            self.opened += 1
            return opening(*arguments)

        async def hopped(*arguments: Any) -> Any:
            self.hops += 1
            return await hopping(*arguments)

        monkeypatch.setattr(sources, "open_commit", opened)
        monkeypatch.setattr(asyncio, "to_thread", hopped)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    return Counts(monkeypatch)


@pytest.fixture
def commit(shop: Repository) -> str:
    shop.git("config", "uploadpack.allowFilter", "true")
    return shop.commit({f"app{number}/a.yaml": str(number) for number in range(_APPS)})


async def test_many_apps_open_one_commit_once_even_at_the_same_time(
    url: str, commit: str, source: GitSource, counts: Counts
) -> None:
    trees = await asyncio.gather(*(source.tree(url, commit, f"app{number}") for number in range(_APPS)))
    assert [tree.read(f"app{number}/a.yaml") for number, tree in enumerate(trees)] == [
        str(number).encode() for number in range(_APPS)
    ]
    assert counts.opened == 1


async def test_what_is_at_hand_takes_no_thread(url: str, commit: str, source: GitSource, counts: Counts) -> None:
    await source.tree(url, commit, "app0")
    before = counts.hops
    for number in range(_APPS):
        assert (await source.tree(url, commit, f"app{number}")).read(f"app{number}/a.yaml")
    assert counts.hops == before
    assert counts.opened == 1


async def test_another_commit_is_opened_too_and_a_missing_path_says_what_is_near(
    url: str, commit: str, shop: Repository, source: GitSource, counts: Counts
) -> None:
    second = shop.commit({"app0/a.yaml": "new"})
    assert (await source.tree(url, commit, "app0")).read("app0/a.yaml") == b"0"
    assert (await source.tree(url, second, "app0")).read("app0/a.yaml") == b"new"
    assert counts.opened == 2
    with pytest.raises(SourceError, match="app path does not exist"):
        await source.tree(url, second, "app")


async def test_a_cache_that_is_deleted_is_not_read_from_memory(
    url: str, commit: str, source: GitSource, tmp_path: pathlib.Path
) -> None:
    await source.tree(url, commit, "app0")
    shutil.rmtree(tmp_path / "cache")
    assert (await source.tree(url, commit, "app1")).read("app1/a.yaml") == b"1"
    assert list((tmp_path / "cache").rglob("HEAD"))


async def test_many_folders_beside_one_another_are_fetched_in_a_few_requests(
    commit: str, server: git_http.Server, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "_SMALL", 10)
    for number in range(_APPS):
        assert (await source.tree(server.url("shop"), commit, f"app{number}")).read(f"app{number}/a.yaml")
    asked = sum(1 for request in server.requests if request.startswith("POST"))
    # The commit (a question and an answer each), eight folders, and the others together.
    assert asked <= 2 * 10
