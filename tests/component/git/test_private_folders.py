"""Caches, private folders and data are for the user who runs Syncline alone, whatever the umask is."""

import asyncio
import os
import pathlib
import stat
from collections.abc import Iterator

import pytest

from syncline import private_folders
from syncline.adapters.charts.source import ChartSource
from syncline.adapters.git.source import GitSource
from syncline.adapters.render import workspace
from syncline.adapters.store import FileStore
from syncline.ports.source import ChartRequest, RevisionRequest
from syncline.sandbox.store.journal import open_folder
from syncline.wiring import machine
from tests.support import chart_server, git_http, this_machine

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Let everything be made as open as it is asked for."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: pathlib.Path) -> set[str]:
    """Return the modes of the folder and of those on the way to it, from the first one that was made."""
    return {oct(stat.S_IMODE(one.stat().st_mode)) for one in (folder, *folder.rglob("*")) if one.is_dir()}


async def clone(cache: pathlib.Path, url: str) -> None:
    source = GitSource(str(cache), reach=this_machine.REACH)
    await source.tree(url, await source.resolve(RevisionRequest(url, "HEAD")), "")


async def test_the_cache_of_repositories_is_private_from_its_first_folder_on(
    tmp_path: pathlib.Path, shop: git_http.Repository, server: git_http.Server
) -> None:
    shop.commit({"a.yaml": "a: 1\n"})
    await clone(tmp_path / "home/cache/git", server.url("shop"))
    for folder in ("home", "home/cache", "home/cache/git"):
        assert oct(stat.S_IMODE((tmp_path / folder).stat().st_mode)) == "0o700"
    (repository,) = (tmp_path / "home/cache/git").glob("*/0")
    assert oct(stat.S_IMODE(repository.stat().st_mode)) == "0o700"


async def test_a_cache_that_an_older_version_left_open_is_shut(
    tmp_path: pathlib.Path, shop: git_http.Repository, server: git_http.Server
) -> None:
    shop.commit({"a.yaml": "a: 1\n"})
    cache = tmp_path / "git"
    await clone(cache, server.url("shop"))
    cache.chmod(0o755)
    shop.commit({"a.yaml": "a: 2\n"})
    await clone(cache, server.url("shop"))
    assert oct(stat.S_IMODE(cache.stat().st_mode)) == "0o700"


async def test_the_cache_of_charts_is_private(tmp_path: pathlib.Path) -> None:
    served = tmp_path / "served"
    served.mkdir()
    await asyncio.to_thread(chart_server.package, served, "web", "1.0.0")
    await asyncio.to_thread(chart_server.index, served)
    with chart_server.serve(served) as running:
        await ChartSource(str(tmp_path / "cache/charts"), reach=this_machine.REACH).tree(
            ChartRequest(running.url, "web", "1.0.0", "")
        )
    assert modes(tmp_path / "cache") == {"0o700"}


async def test_kept_renders_are_private(tmp_path: pathlib.Path) -> None:
    (tmp_path / "renders").mkdir(mode=0o755)
    await FileStore(str(tmp_path / "renders")).put("a", b"1")
    await FileStore(str(tmp_path / "new/renders")).put("a", b"1")
    assert modes(tmp_path / "renders") == modes(tmp_path / "new") == {"0o700"}


async def test_the_folder_of_a_render_is_private() -> None:
    async with workspace.opened() as space:
        assert oct(stat.S_IMODE(space.folder.stat().st_mode)) == "0o700"


def test_the_data_of_a_sandbox_is_private(tmp_path: pathlib.Path) -> None:
    open_folder(str(tmp_path / "new/data")).close()
    assert modes(tmp_path / "new") == {"0o700"}
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    (there / "objects.db").touch(mode=0o644)
    open_folder(str(there)).close()
    assert oct(stat.S_IMODE((there / "objects.db").stat().st_mode)) == "0o600"


def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    (tmp_path / "theirs").mkdir(mode=0o755)
    private_folders.shut(tmp_path / "theirs")
    assert oct(stat.S_IMODE((tmp_path / "theirs").stat().st_mode)) == "0o755"


async def test_the_folder_of_all_caches_is_private_and_shut_where_it_was_open(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for base in ("new", "old"):
        if base == "old":
            (tmp_path / base / "syncline").mkdir(parents=True)
        monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / base))
        folder = machine.usable_cache_folder()
        assert folder == tmp_path / base / "syncline"
        assert oct(stat.S_IMODE(folder.stat().st_mode)) == "0o700"
