"""Repositories to read: over HTTP from a real server, and from the disk."""

import pathlib
from collections.abc import Callable, Iterator

import pytest

from syncline.adapters.git.source import GitSource
from tests.support import git_http, this_machine


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def repositories(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "repositories"
    folder.mkdir()
    return folder


@pytest.fixture
def server(repositories: pathlib.Path) -> Iterator[git_http.Server]:
    with git_http.serve(repositories) as running:
        yield running


@pytest.fixture
def shop(repositories: pathlib.Path) -> git_http.Repository:
    return git_http.Repository(repositories / "shop")


@pytest.fixture
def source(tmp_path: pathlib.Path, repositories: pathlib.Path) -> GitSource:
    return GitSource(str(tmp_path / "cache"), local_folders=[str(repositories)], reach=this_machine.REACH)


@pytest.fixture(params=["http", "path", "file"])
def url(request: pytest.FixtureRequest, shop: git_http.Repository, server: git_http.Server) -> str:
    """The shop repository, over HTTP and by two local spellings."""
    addresses: dict[str, Callable[[], str]] = {
        "http": lambda: server.url("shop"),
        "path": lambda: str(shop.folder),
        "file": lambda: f"file://{shop.folder}",
    }
    return addresses[request.param]()
