"""Charts and servers that mean harm: refused with a named reason, within limits, nothing written, nothing leaked."""

import gzip
import io
import pathlib
import tarfile
import time
from collections.abc import Callable, Iterator

import pytest

from syncline.adapters.charts import archive
from syncline.adapters.charts.source import ChartSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository
from syncline.net import urls
from syncline.ports.source import ChartRequest
from tests.support import chart_server, this_machine
from tests.support.chart_server import Handler, Server

LIMITS = archive.ArchiveLimits(packed=1_000_000, unpacked=200_000, files=50)
INDEX = "apiVersion: v1\nentries:\n  web:\n  - version: 1.0.0\n    urls:\n    - {url}\n"


def member(
    name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.size = kind, link, len(content) if kind == tarfile.REGTYPE else 0
    return found, content


def pack(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for found, content in members:
            packed.addfile(found, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0)


CHART = member("web/Chart.yaml")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pack(CHART, member("web/values.yaml", kind=tarfile.SYMTYPE, link="/etc/canary")), "out of bounds symlink"),
        (pack(CHART, member("web/values.yaml", kind=tarfile.LNKTYPE, link="web/Chart.yaml")), "out of bounds symlink"),
        (pack(CHART, member("web/device", kind=tarfile.CHRTYPE)), "web/device is not a regular file"),
        (pack(CHART, member("web/pipe", kind=tarfile.FIFOTYPE)), "web/pipe is not a regular file"),
        (pack(CHART, member("web/../../canary")), "points outside the archive"),
        (pack(CHART, member("/etc/canary-file")), "points outside the archive"),
        (pack(CHART, member("web\\..\\x")), "points outside the archive"),
        (pack(CHART, CHART), "web/Chart.yaml occurs twice in the archive"),
        (pack(CHART, member("other/Chart.yaml")), "holds 2 top-level entries"),
        (pack(member("Chart.yaml")), "holds 1 top-level entries"),
        (pack(CHART, member("web/" + "d/" * 600 + "x")), "is not a valid file path"),
        (pack(CHART, *(member(f"web/{number}") for number in range(60))), "has more than 50 files"),
        (pack(CHART, member("web/big", b"\0" * 300_000)), "unpacks to more than 200000 bytes"),
        (pack(member("web/sparse", b"\0" * 5_000_000)), "unpacks to more than 200000 bytes"),
        (pack(CHART)[:-20], "the archive cannot be read"),
        (b"\x1f\x8bjunk", "the archive cannot be read"),
        (b"", "the archive cannot be read"),
        (gzip.compress(b"\0" * 5_000, mtime=0), "holds 0 top-level entries"),
    ],
)
def test_an_archive_that_means_harm_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=r"web 1\.0\.0: ") as caught:
        archive.unpack(content, LIMITS, name="web 1.0.0")
    assert reason in str(caught.value)


def test_a_bomb_costs_no_more_than_the_limit() -> None:
    bomb = pack(member("web/zeros", b"\0" * 100_000_000))
    begun = time.process_time()
    with pytest.raises(SourceError, match="unpacks to more than 200000 bytes"):
        archive.unpack(bomb, LIMITS, name="web 1.0.0")
    assert time.process_time() - begun < 1


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    made = tmp_path / "repository"
    made.mkdir()
    (made / "index.yaml").write_text(INDEX.format(url="web-1.0.0.tgz"))
    (made / "web-1.0.0.tgz").write_bytes(pack(CHART))
    return made


@pytest.fixture
def server(folder: pathlib.Path) -> Iterator[Server]:
    with chart_server.serve(folder) as running:
        yield running


@pytest.fixture
def charts(tmp_path: pathlib.Path) -> ChartSource:
    return ChartSource(str(tmp_path / "cache"), limits=LIMITS, reach=this_machine.REACH)


async def refusal(charts: ChartSource, url: str, chart: str = "web", version: str = "1.0.0") -> str:
    with pytest.raises(SourceError) as caught:
        await charts.tree(ChartRequest(url, chart, version))
    assert "canary" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 100_000)


def short(handler: Handler) -> None:
    chart_server.send(handler, 200, b"x", Content_Length="5000")


def redirect(place: str) -> Callable[[Handler], None]:
    return lambda handler: chart_server.send(handler, 302, Location=place)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (endless, "/web-1.0.0.tgz is larger than 1000000 bytes"),
        (short, "/web-1.0.0.tgz ended early"),
        (redirect("/web-1.0.0.tgz"), "/web-1.0.0.tgz redirects more than 5 times"),
        (redirect("http://169.254.169.254/canary"), "which is not a repository address"),
        (
            redirect("file:///etc/canary"),
            "redirects to an address that is refused: its scheme is not one of http, https",
        ),
        (redirect("http://[fe80::1]/x"), "which is not a repository address"),
    ],
)
async def test_a_server_that_means_harm_is_left(
    charts: ChartSource, server: Server, answer: Callable[[Handler], None], reason: str, tmp_path: pathlib.Path
) -> None:
    server.answers["/web-1.0.0.tgz"] = answer
    assert reason in await refusal(charts, server.url)
    assert not written(tmp_path / "cache")


def written(folder: pathlib.Path) -> list[pathlib.Path]:
    return list(folder.rglob("*"))


async def test_a_slow_server_is_left_after_its_time(
    server: Server, charts: ChartSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    from syncline.net import downloads

    def slow(handler: Handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)

    server.answers["/slow"] = slow
    begun = time.monotonic()
    request = downloads.DownloadRequest(url=f"{server.url}/slow", seconds=0.3)
    with pytest.raises(downloads.DownloadFailed, match=r"sent no complete response within 0\.3 seconds"):
        await downloads.fetch(request, downloads.Door(reach=this_machine.REACH))
    assert time.monotonic() - begun < 30


async def test_an_index_as_an_alias_bomb_is_refused(charts: ChartSource, server: Server, folder: pathlib.Path) -> None:
    lines = ["entries:", "  a: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"  b{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 10)]
    (folder / "index.yaml").write_text("\n".join([*lines, "  web: *a9", ""]))
    begun = time.process_time()
    assert "cannot be read" in await refusal(charts, server.url)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "text", ["", "- a\n", "entries: 5\n", "entries:\n  web: 5\n", "a: [", "\0", "entries:\n  web:\n  - 5\n"]
)
async def test_an_index_of_another_shape_is_refused(
    charts: ChartSource, server: Server, folder: pathlib.Path, text: str
) -> None:
    (folder / "index.yaml").write_text(text)
    told = await refusal(charts, server.url)
    assert told.startswith(("the index of ", "chart 'web' not found", "chart 'web' version '1.0.0' not found"))


@pytest.mark.parametrize(
    "place",
    ["file:///etc/passwd", "http://169.254.169.254/web.tgz", "gopher://x/y", "//[bad/x", "http://h$(id)/x"],
)
async def test_an_index_leads_to_no_forbidden_place(
    charts: ChartSource, server: Server, folder: pathlib.Path, place: str
) -> None:
    (folder / "index.yaml").write_text(INDEX.format(url=f'"{place}"'))
    told = await refusal(charts, server.url)
    assert "refused" in told or "is not asked" in told


async def test_a_redirect_to_another_host_goes_without_credentials(charts: ChartSource, folder: pathlib.Path) -> None:
    with chart_server.serve(folder) as elsewhere, chart_server.serve(folder, password="ada:canary") as server:
        server.answers["/web-1.0.0.tgz"] = redirect(f"{elsewhere.url}/web-1.0.0.tgz")
        repository = Repository(url=server.url, credentials=Credentials(username="ada", password="canary"))
        charts.use(SourceAccess(repositories=(repository,)))
        await charts.tree(ChartRequest(server.url, "web", "1.0.0"))
        assert server.logins["/web-1.0.0.tgz"] != ""
        assert elsewhere.logins == {"/web-1.0.0.tgz": ""}


@pytest.mark.parametrize(
    ("chart", "version", "reason"),
    [
        ("../web", "1.0.0", "invalid chart name '../web'"),
        ("web/../x", "1.0.0", "invalid chart name 'web/../x'"),
        ("-web", "1.0.0", "invalid chart name '-web'"),
        ("we b", "1.0.0", "invalid chart name 'we b'"),
        ("web", "--debug", "invalid version '--debug' of chart web"),
        ("web", "1.0\n0", "invalid version '1.0\\n0' of chart web"),
        ("web", "", "invalid version '' of chart web"),
        ("", "1.0.0", "no chart is named for "),
    ],
)
async def test_names_that_are_none_never_reach_a_server(
    charts: ChartSource, server: Server, chart: str, version: str, reason: str
) -> None:
    assert (await refusal(charts, server.url, chart, version)).startswith(reason)
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc",
        "ftp://x/y",
        "http://a\nb/",
        " http://a",
        "--x",
        "http://ada:canary@h$(id)/x",
        "oci://h$(id)/x",
        "http://x:99999/",
    ],
)
async def test_addresses_that_are_none_are_refused(charts: ChartSource, url: str) -> None:
    assert (await refusal(charts, url)).startswith("invalid repoURL ")


async def test_this_machine_is_asked_only_where_that_is_allowed(server: Server, tmp_path: pathlib.Path) -> None:
    charts = ChartSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    assert (await refusal(charts, server.url)).endswith("is refused: 127.0.0.1 is this machine")
    assert server.requests == []
