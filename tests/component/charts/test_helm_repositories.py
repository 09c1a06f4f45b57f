"""Charts of Helm repositories: versions, constraints, credentials, caches, and what is said when something is wrong."""

import hashlib
import pathlib

import pytest

from syncline.adapters.charts import helm, index
from syncline.adapters.charts.source import ChartSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.ports.source import ChartRequest
from tests.support import certificates, chart_server, this_machine
from tests.support.chart_server import Server


async def refusal(charts: ChartSource, request: ChartRequest) -> str:
    with pytest.raises(SourceError) as caught:
        await charts.tree(request)
    assert "\n" not in str(caught.value)
    assert "canary" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("version", "exact"),
    [
        ("*", "1.2.10"),
        ("1.x", "1.2.10"),
        ("^1.0", "1.2.10"),
        ("~1.0", "1.0.0"),
        ("<1", "0.9.0"),
        (">=2.0.0-0", "2.0.0-rc.1"),
        ("1.2.0", "1.2.0"),
        ("7.7.7", "7.7.7"),
    ],
)
async def test_a_constraint_is_the_newest_version_that_fits(
    charts: ChartSource, server: Server, version: str, exact: str
) -> None:
    assert await charts.resolve(ChartRequest(server.url, "web", version)) == exact


async def test_the_charts_of_a_repository_are_listed_as_helm_wrote_its_index(
    charts: ChartSource, server: Server
) -> None:
    assert await charts.charts(server.url) == {
        "queue": ("3.1.4+build.5",),
        # Newest first, as helm sorts them.
        "web": ("2.0.0-rc.1", "1.2.10", "1.2.0", "1.0.0", "0.9.0"),
        "web-extra": ("5.0.0",),
    }


def test_a_chart_of_another_form_has_no_versions() -> None:
    assert index.charts("entries: {a: 1}", "https://charts.example") == {"a": ()}


@pytest.mark.parametrize(("text", "says"), [("entries: []", "has no entries"), ("{", "cannot be read")])
def test_an_index_of_another_form_is_refused(text: str, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        index.charts(text, "https://charts.example")
    assert says in str(caught.value)


async def test_a_chart_is_a_tree_of_its_files(charts: ChartSource, server: Server) -> None:
    tree = await charts.tree(ChartRequest(server.url, "web", "1.2.0"))
    assert tree.revision == "1.2.0"
    assert [file.path for file in tree.files()] == ["Chart.yaml", "templates/config.yaml", "values.yaml"]
    assert tree.read("values.yaml") == b"size: 1\n"
    below = tree.below("templates")
    assert [file.path for file in below.files()] == ["templates/config.yaml"]
    assert below.read("values.yaml") == b"size: 1\n"
    assert tree.digest_of("values.yaml") == hashlib.sha256(b"size: 1\n").hexdigest()
    assert tree.digest_of("templates") == below.digest
    assert tree.digest_of("nope") == ""
    with pytest.raises(SourceError, match="nearest existing path: templates"):
        tree.below("template")


async def test_equal_files_have_equal_digests_however_they_were_packed(
    charts: ChartSource, tmp_path: pathlib.Path
) -> None:
    folders = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        chart_server.package(folder, "web", "1.0.0")
        chart_server.index(folder)
        folders.append(folder)
    digests = []
    for folder in folders:
        with chart_server.serve(folder) as server:
            digests.append((await charts.tree(ChartRequest(server.url, "web", "1.0.0"))).digest)
    assert digests[0] == digests[1]


async def test_a_version_with_build_metadata_is_found(charts: ChartSource, server: Server) -> None:
    assert (await charts.tree(ChartRequest(server.url, "queue", "3.1.4+build.5"))).revision == "3.1.4+build.5"


async def test_an_archive_is_fetched_once_and_checked_when_read_again(
    charts: ChartSource, server: Server, tmp_path: pathlib.Path
) -> None:
    request = ChartRequest(server.url, "web", "1.0.0")
    first = await charts.tree(request)
    again = ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH)
    assert (await again.tree(request)).digest == first.digest
    assert server.requests.count("/web-1.0.0.tgz") == 1
    spoil(tmp_path / "cache")
    assert (await ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH).tree(request)).digest == first.digest
    assert server.requests.count("/web-1.0.0.tgz") == 2


def spoil(folder: pathlib.Path) -> None:
    for path in folder.rglob("*.tgz"):
        path.write_bytes(b"poison")


async def test_the_index_is_asked_for_once_by_many_and_then_only_if_it_changed(server: Server) -> None:
    now = [0.0]
    repositories = helm.HelmRepositories(this_machine.REACH, lambda: now[0])
    repository, access = Repository(url=server.url), SourceAccess()
    for _ in range(5):
        assert await repositories.resolve(repository, access, "web", "*") == "1.2.10"
    assert server.requests == ["/index.yaml"]
    now[0] = 60.0
    assert await repositories.resolve(repository, access, "web", "<1") == "0.9.0"
    assert server.requests == ["/index.yaml", "/index.yaml"]


@pytest.mark.parametrize(
    ("chart", "version", "told"),
    [
        ("wbe", "1.0.0", "chart 'wbe' not found in {url} (did you mean web?)"),
        ("zzz", "1.0.0", "chart 'zzz' not found in {url} ({url} has 3 charts)"),
        ("web", "9.9.9", "chart 'web' version '9.9.9' not found in {url} (newest versions: {newest})"),
    ],
)
async def test_what_is_not_there_is_said_with_what_is(
    charts: ChartSource, server: Server, chart: str, version: str, told: str
) -> None:
    newest = "2.0.0-rc.1, 1.2.10, 1.2.0, 1.0.0, 0.9.0"
    request = ChartRequest(server.url, chart, version)
    assert await refusal(charts, request) == told.format(url=server.url, newest=newest)


async def test_a_constraint_that_nothing_fits_names_the_newest_versions(charts: ChartSource, server: Server) -> None:
    with pytest.raises(SourceError) as caught:
        await charts.resolve(ChartRequest(server.url, "web", "^8"))
    assert str(caught.value) == (
        f"chart 'web' version '^8' not found in {server.url} (newest versions: 2.0.0-rc.1, 1.2.10, 1.2.0, 1.0.0, 0.9.0)"
    )


async def test_a_folder_without_an_index_is_no_repository(charts: ChartSource, server: Server) -> None:
    told = await refusal(charts, ChartRequest(f"{server.url}/nothing", "web", "1.0.0"))
    assert told == f"not found: {server.url}/nothing/index.yaml (check repoURL: a Helm repository has an index.yaml)"


async def test_credentials_are_used_and_never_shown(charts: ChartSource, packed: pathlib.Path) -> None:
    with chart_server.serve(packed, password="ada:canary") as server:
        request = ChartRequest(server.url, "web", "1.0.0")
        told = await refusal(charts, request)
        assert told.startswith(f"authentication required: {server.url}/index.yaml (")
        template = CredentialTemplate(
            url=server.url, kind="helm", credentials=Credentials(username="ada", password="canary")
        )
        charts.use(SourceAccess(templates=(template,)))
        assert (await charts.tree(request)).revision == "1.0.0"
        charts.use(SourceAccess())
        inside = server.url.replace("http://", "http://ada:canary@")
        assert (await charts.tree(ChartRequest(inside, "web", "1.0.0"))).revision == "1.0.0"
        wrong = server.url.replace("http://", "http://ada:canary-wrong@")
        assert (await refusal(charts, ChartRequest(wrong, "web", "1.0.0"))).startswith("authentication required: ")


async def test_an_archive_on_another_host_does_not_get_the_credentials(
    charts: ChartSource, tmp_path: pathlib.Path
) -> None:
    folder, other = tmp_path / "index", tmp_path / "archives"
    for one in (folder, other):
        one.mkdir()
    with chart_server.serve(other) as elsewhere:
        chart_server.package(folder, "web", "1.0.0")
        chart_server.index(folder, elsewhere.url)
        (folder / "web-1.0.0.tgz").replace(other / "web-1.0.0.tgz")
        with chart_server.serve(folder, password="ada:canary") as server:
            access = Repository(url=server.url, credentials=Credentials(username="ada", password="canary"))
            charts.use(SourceAccess(repositories=(access,)))
            await charts.tree(ChartRequest(server.url, "web", "1.0.0"))
            assert server.logins["/index.yaml"] != ""
            assert elsewhere.logins == {"/web-1.0.0.tgz": ""}


async def test_tls_is_checked_against_the_certificates_of_the_installation(
    charts: ChartSource, packed: pathlib.Path
) -> None:
    authority = certificates.Authority()
    with chart_server.serve(packed, tls=authority.server_context("127.0.0.1")) as server:
        request = ChartRequest(server.url, "web", "1.0.0")
        assert "its certificate is not trusted" in await refusal(charts, request)
        charts.use(SourceAccess(certificates={"127.0.0.1": authority.certificate}))
        assert (await charts.tree(request)).revision == "1.0.0"
        charts.use(SourceAccess(repositories=(Repository(url=server.url, way=Way(insecure=True)),)))
        assert (await charts.tree(request)).revision == "1.0.0"
