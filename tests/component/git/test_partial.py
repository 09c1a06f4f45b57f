"""Files come when they are read: commits first, then the files of a folder in one batch, each of them once."""

import pathlib

import pytest

from syncline.adapters.git import blobs
from syncline.adapters.git.source import GitSource
from syncline.ports.source import RevisionRequest
from tests.support import git_http
from tests.support.git_http import Repository


@pytest.fixture
def filtering(shop: Repository) -> Repository:
    """The shop, on a server that sends commits without files when asked to."""
    shop.git("config", "uploadpack.allowFilter", "true")
    return shop


def posts(server: git_http.Server) -> int:
    return sum(1 for request in server.requests if request.startswith("POST"))


def packs(folder: pathlib.Path) -> dict[str, int]:
    """Return the packs of the cache and their sizes."""
    return {path.name: path.stat().st_size for path in (folder / "cache").rglob("*.pack")}


async def test_a_small_commit_takes_two_requests_and_its_files_none(
    filtering: Repository, server: git_http.Server, source: GitSource
) -> None:
    sha = filtering.commit({f"app{number}/a.yaml": str(number) for number in range(50)})
    tree = await source.tree(server.url("shop"), sha, "app7")
    asked = list(server.requests)
    assert tree.read("app7/a.yaml") == b"7"
    assert tree.read("app8/a.yaml") == b"8"
    assert [file.size for file in tree.below("app49").files()] == [2]
    assert server.requests == asked


async def test_of_a_large_commit_only_the_folders_that_are_read_are_fetched(
    filtering: Repository, server: git_http.Server, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "_SMALL", 10)
    sha = filtering.commit({f"app{number}/{name}.yaml": f"{number}{name}" for number in range(20) for name in "abc"})
    tree = await source.tree(server.url("shop"), sha, "app7")
    before = posts(server)
    assert tree.read("app7/b.yaml") == b"7b"
    assert posts(server) == before
    # In the middle of a loop, as a renderer may: the folder comes whole.
    assert tree.read("app8/a.yaml") == b"8a"
    assert posts(server) == before + 1
    assert tree.read("app8/c.yaml") == b"8c"
    assert [file.path for file in tree.below("app8").files()] == ["app8/a.yaml", "app8/b.yaml", "app8/c.yaml"]
    assert posts(server) == before + 1


async def test_the_next_commit_brings_only_what_changed(
    filtering: Repository, server: git_http.Server, source: GitSource, tmp_path: pathlib.Path
) -> None:
    big = "x" * 200_000
    first = filtering.commit({"big.bin": big, "a.yaml": "1"})
    await source.tree(server.url("shop"), first, "")
    before = packs(tmp_path)
    second = filtering.commit({"a.yaml": "2"})
    assert (await source.tree(server.url("shop"), second, "")).read("a.yaml") == b"2"
    new = {name: size for name, size in packs(tmp_path).items() if name not in before}
    assert 0 < sum(new.values()) < 2_000


async def test_a_server_that_cannot_leave_files_out_sends_them_at_once(
    shop: Repository, server: git_http.Server, source: GitSource
) -> None:
    sha = shop.commit({"app/a.yaml": "1", "b.yaml": "2"})
    tree = await source.tree(server.url("shop"), sha, "app")
    asked = list(server.requests)
    assert tree.read("b.yaml") == b"2"
    assert server.requests == asked


async def test_history_is_searched_for_a_short_sha_without_fetching_files(
    filtering: Repository, server: git_http.Server, source: GitSource, tmp_path: pathlib.Path
) -> None:
    old = filtering.commit({"a.yaml": "x" * 100_000})
    filtering.commit({"a.yaml": "y" * 100})
    assert await source.resolve(RevisionRequest(server.url("shop"), old[:9])) == old
    assert sum(packs(tmp_path).values()) < 20_000
    assert (await source.tree(server.url("shop"), old, "")).read("a.yaml") == b"x" * 100_000
