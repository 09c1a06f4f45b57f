"""Charts to read: from a Helm repository that the real helm made, and from a registry."""

import pathlib
from collections.abc import Iterator

import pytest

from syncline.adapters.charts.source import ChartSource
from tests.support import chart_server, this_machine


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with charts as helm packs and indexes them."""
    folder = tmp_path_factory.mktemp("charts")
    for version in ("0.9.0", "1.0.0", "1.2.0", "1.2.10", "2.0.0-rc.1"):
        chart_server.package(folder, "web", version)
    chart_server.package(folder, "web-extra", "5.0.0")
    chart_server.package(folder, "queue", "3.1.4+build.5")
    chart_server.index(folder)
    return folder


@pytest.fixture
def server(packed: pathlib.Path) -> Iterator[chart_server.Server]:
    with chart_server.serve(packed) as running:
        yield running


@pytest.fixture
def charts(tmp_path: pathlib.Path) -> ChartSource:
    return ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH)
