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


async def test_what_a_projects_secret_opens_is_open_to_that_project_and_address_alone(
    tmp_path: pathlib.Path, repositories: pathlib.Path, shop: Shop, server: git_http.Server
) -> None:
    shop.commit({"a.yaml": "1"})
    second = Shop(repositories / "second")
    sha = second.commit({"b.yaml": "2"})
    source = GitSource(str(tmp_path / "cache"))
    own = Repository(url=server.url("second"), project="team-a", secret="one")
    source.use(SourceAccess(repositories=(own,)))
    for project, name in (("team-b", "second"), ("", "second"), ("team-a", "shop")):
        with pytest.raises(SourceError, match=MACHINE):
            await source.resolve(RevisionRequest(server.url(name), "main", project=project))
        with pytest.raises(SourceError, match=MACHINE):
            await source.tree(server.url(name), sha, "", project=project)
    assert server.requests == []
    assert await source.resolve(RevisionRequest(server.url("second"), "main", project="team-a")) == sha
    # What was fetched for the one project is not handed to the other.
    with pytest.raises(SourceError, match=MACHINE):
        await source.tree(server.url("second"), sha, "", project="team-b")


async def test_what_a_projects_secret_opens_cannot_be_reached_through_another_repository(
    tmp_path: pathlib.Path, shop: Shop, server: git_http.Server, other: git_http.Server
) -> None:
    first = shop.commit({"a.yaml": "1"})
    sha = link(shop, "vendor", other.url("shop"), first)
    source = GitSource(str(tmp_path / "cache"))
    operators = Repository(url=server.url("shop"), secret="one")
    foreign = Repository(url=other.url("shop"), project="team-b", secret="two")
    source.use(SourceAccess(repositories=(operators, foreign)))
    with pytest.raises(SourceError, match=MACHINE):
        (await source.tree(server.url("shop"), sha, "", project="team-a")).files()
    server.moved["/shop"] = f"http://127.0.0.1:{other.port}/shop"
    with pytest.raises(SourceError, match=MACHINE):
        await source.resolve(RevisionRequest(server.url("shop"), "main", project="team-a"))
    assert other.requests == []


async def test_a_redirect_leads_to_no_server_of_this_machine_that_was_written_down_for_others(
    source: GitSource, tmp_path: pathlib.Path, shop: Shop, server: git_http.Server, other: git_http.Server
) -> None:
    shop.commit({"a.yaml": "1"})
    # Both are the operator's; the project was asked about the first address alone.
    both = tuple(Repository(url=one.url("shop"), secret="s") for one in (server, other))
    source.use(SourceAccess(repositories=both))
    server.moved["/shop"] = f"http://127.0.0.1:{other.port}/shop"
    with pytest.raises(SourceError, match=MACHINE):
        await source.resolve(RevisionRequest(server.url("shop"), "main"))
    assert other.requests == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_the_proxy_of_a_projects_secret_is_not_on_this_machine(
    tmp_path: pathlib.Path, other: git_http.Server, host: str
) -> None:
    url = "http://git.example/shop"
    way = Way(proxy=f"http://{host}:{other.port}")
    source = GitSource(str(tmp_path / "cache"))
    source.use(SourceAccess(repositories=(Repository(url=url, project="team-a", way=way, secret="one"),)))
    with pytest.raises(SourceError, match=f"the proxy of {url} is not permitted: {host} is this machine"):
        await source.resolve(RevisionRequest(url, "main", project="team-a"))
    charts = ChartSource(str(tmp_path / "charts"))
    charts.use(SourceAccess(repositories=(Repository(url=url, kind="helm", project="team-a", way=way),)))
    with pytest.raises(SourceError, match=f"{host} is this machine"):
        await charts.resolve(ChartRequest(url, "web", "*", "team-a"))
    assert other.requests == []


async def test_charts_that_a_projects_secret_opens_are_open_to_that_project_alone(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    chart_server.package(folder, "web", "1.0.0")
    chart_server.index(folder)
    with chart_server.serve(folder) as running:
        charts = ChartSource(str(tmp_path / "cache"))
        charts.use(SourceAccess(repositories=(Repository(url=running.url, kind="helm", project="team-a", secret="s"),)))
        assert await charts.resolve(ChartRequest(running.url, "web", "*", "team-a")) == "1.0.0"
        asked = len(running.requests)
        # The index was read a moment ago, and is not handed to another project.
        with pytest.raises(SourceError, match=MACHINE):
            await charts.resolve(ChartRequest(running.url, "web", "*", "team-b"))
        assert len(running.requests) == asked


async def test_an_index_does_not_lead_to_charts_that_the_project_does_not_permit(tmp_path: pathlib.Path) -> None:
    folder, private = tmp_path / "charts", tmp_path / "private"
    for one in (folder, private):
        one.mkdir()
        chart_server.package(one, "web", "1.0.0")
    with chart_server.serve(folder) as public, chart_server.serve(private) as closed:
        chart_server.index(folder, closed.url)
        login = Credentials(username="ada", password="canary")
        operators = (
            Repository(url=public.url, kind="helm", secret="one"),
            Repository(url=closed.url, kind="helm", secret="two", credentials=login),
        )
        template = CredentialTemplate(url=closed.url, credentials=login)
        charts = ChartSource(str(tmp_path / "cache"))
        charts.use(SourceAccess(repositories=operators, templates=(template,)))
        with pytest.raises(SourceError, match=MACHINE):
            await charts.tree(ChartRequest(public.url, "web", "1.0.0", "team-a", (public.url,)))
        assert closed.requests == []
        permitted = (public.url, closed.url)
        tree = await charts.tree(ChartRequest(public.url, "web", "1.0.0", "team-a", permitted))
        assert tree.revision == "1.0.0"
