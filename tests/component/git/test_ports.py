"""Who is permitted one port of this machine is permitted no other: not for repositories, nor for what they lead to."""

import pathlib
from collections.abc import Iterator

import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.adapters.git.source import GitSource
from syncline.adapters.render.remote import Base, RemoteSources
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.model.sources.source import ApplicationSource
from syncline.net import urls
from syncline.ports.render import RenderRequest
from syncline.ports.source import ChartRequest, RevisionRequest
from tests.component.git.test_submodules import link
from tests.support import chart_server, git_http, this_machine
from tests.support.git_http import Repository as Shop

MACHINE = "127.0.0.1 is this machine"


@pytest.fixture
def other(repositories: pathlib.Path) -> Iterator[git_http.Server]:
    """A second server of this machine, that nobody wrote down."""
    with git_http.serve(repositories) as running:
        yield running


@pytest.fixture
def source(tmp_path: pathlib.Path, server: git_http.Server) -> GitSource:
    """The controller's reader, with a Secret for the first server."""
    made = GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    made.use(SourceAccess(repositories=(Repository(url=server.url("shop"), way=Way(lfs=True), secret="one"),)))
    return made


async def test_the_port_of_a_secret_is_asked(source: GitSource, shop: Shop, server: git_http.Server) -> None:
    sha = shop.commit({"a.yaml": "1"})
    assert await source.resolve(RevisionRequest(server.url("shop"), "main")) == sha


async def test_another_port_is_not_asked(source: GitSource, shop: Shop, other: git_http.Server) -> None:
    shop.commit({"a.yaml": "1"})
    with pytest.raises(SourceError, match=MACHINE):
        await source.resolve(RevisionRequest(other.url("shop"), "main"))
    assert other.requests == []


async def test_a_redirect_to_another_port_is_not_followed(
    source: GitSource, shop: Shop, server: git_http.Server, other: git_http.Server
) -> None:
    shop.commit({"a.yaml": "1"})
    server.moved["/shop"] = f"http://127.0.0.1:{other.port}/shop"
    with pytest.raises(SourceError, match=MACHINE):
        await source.resolve(RevisionRequest(server.url("shop"), "main"))
    assert other.requests == []


async def test_a_submodule_on_another_port_is_not_fetched(
    source: GitSource, shop: Shop, server: git_http.Server, other: git_http.Server
) -> None:
    first = shop.commit({"a.yaml": "1"})
    sha = link(shop, "vendor", other.url("shop"), first)
    with pytest.raises(SourceError, match=MACHINE):
        (await source.tree(server.url("shop"), sha, "")).files()
    assert other.requests == []


async def test_large_files_on_another_port_are_not_fetched(
    source: GitSource, shop: Shop, server: git_http.Server, other: git_http.Server
) -> None:
    sha = shop.commit({"big.yaml": server.keep(b"large")})
    server.large_place = f"http://127.0.0.1:{other.port}"
    tree = await source.tree(server.url("shop"), sha, "")
    with pytest.raises(SourceError, match=MACHINE):
        tree.read("big.yaml")
    assert other.requests == []


async def test_a_remote_base_on_another_port_is_not_fetched(
    source: GitSource, shop: Shop, other: git_http.Server
) -> None:
    shop.commit({"a.yaml": "1"})
    asked = RenderRequest(
        app_name="a", namespace="a", project="", source=ApplicationSource(other.url("shop")), source_repos=("*",)
    )
    with pytest.raises(SourceError, match=MACHINE):
        await RemoteSources(source=source).base(asked, Base(other.url("shop"), "", "main"))
    assert other.requests == []


async def test_charts_on_another_port_are_not_fetched(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    chart_server.package(folder, "web", "1.0.0")
    with chart_server.serve(folder) as declared, chart_server.serve(folder) as undeclared:
        chart_server.index(folder, undeclared.url)
        charts = ChartSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
        charts.use(SourceAccess(repositories=(Repository(url=declared.url, kind="helm"),)))
        with pytest.raises(SourceError, match=MACHINE):
            await charts.tree(ChartRequest(declared.url, "web", "1.0.0"))
        assert declared.requests == ["/index.yaml"]
        with pytest.raises(SourceError, match=MACHINE):
            await charts.resolve(ChartRequest(undeclared.url, "web", "*"))
        with pytest.raises(SourceError, match=MACHINE):
            await charts.resolve(ChartRequest(f"oci://127.0.0.1:{undeclared.port}/charts", "web", "*"))
        assert undeclared.requests == []


async def test_the_login_of_a_template_for_one_port_is_not_sent_to_another(
    tmp_path: pathlib.Path, shop: Shop, other: git_http.Server
) -> None:
    shop.commit({"a.yaml": "1"})
    source = GitSource(str(tmp_path / "cache"), reach=this_machine.REACH)
    shorter = f"http://127.0.0.1:{str(other.port)[:-1]}"
    login = Credentials(username="ada", password="canary")
    source.use(SourceAccess(templates=(CredentialTemplate(url=shorter, credentials=login),)))
    address = source._address(other.url("shop"), "")
    assert not address.credentials
