"""Charts and artifacts of registries: pushed by the real helm, found by version, read with every kind of login."""

import io
import pathlib
import tarfile

import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.ports.source import ChartRequest
from tests.support import chart_server, registry, this_machine

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


def push(packed: pathlib.Path, place: str, *names: str) -> None:
    for name in names:
        chart_server.run("push", str(packed / f"{name}.tgz"), f"oci://{place}/charts", "--plain-http")


def access(place: str, username: str = "", password: str = "") -> SourceAccess:
    way = Way(oci=True, plain_http=True)
    credentials = Credentials(username=username, password=password)
    found = Repository(url=f"oci://{place}/charts", kind="helm", way=way, credentials=credentials)
    legacy = Repository(url=f"{place}/charts", kind="helm", way=way, credentials=credentials)
    return SourceAccess(repositories=(found, legacy))


def plain(url: str) -> SourceAccess:
    return SourceAccess(repositories=(Repository(url=url, way=Way(plain_http=True)),))


def packed_files(**files: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name.replace("__", "/") + ".yaml")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


async def refusal(charts: ChartSource, request: ChartRequest) -> str:
    with pytest.raises(SourceError) as caught:
        await charts.tree(request)
    assert "canary" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("prefix", ["oci://", ""])
async def test_a_chart_that_helm_pushed_is_read(
    charts: ChartSource, packed: pathlib.Path, tmp_path: pathlib.Path, prefix: str
) -> None:
    with registry.serve() as running:
        push(packed, running.place, "web-1.0.0", "web-1.2.10", "web-2.0.0-rc.1", "queue-3.1.4+build.5")
        charts.use(access(running.place))
        url = f"{prefix}{running.place}/charts"
        assert await charts.resolve(ChartRequest(url, "web", "1.x")) == "1.2.10"
        assert await charts.resolve(ChartRequest(url, "queue", "*")) == "3.1.4+build.5"
        tree = await charts.tree(ChartRequest(url, "web", "1.2.10"))
        assert tree.read("Chart.yaml") == b"apiVersion: v2\nname: web\nversion: 1.2.10\n"
        assert (await charts.tree(ChartRequest(url, "queue", "3.1.4+build.5"))).revision == "3.1.4+build.5"
        blobs = [request for request in running.requests if request.startswith("GET") and "/blobs/" in request]
        again = ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH)
        again.use(access(running.place))
        assert (await again.tree(ChartRequest(url, "web", "1.2.10"))).digest == tree.digest
        assert [one for one in running.requests if one.startswith("GET") and "/blobs/" in one] == blobs


@pytest.mark.parametrize("scheme", ["basic", "token"])
async def test_every_kind_of_login_is_understood(charts: ChartSource, scheme: str) -> None:
    with registry.serve(password="ada:canary", scheme=scheme) as running:
        running.put("charts/web", "1.0.0", [(CHART, packed_files(web__Chart="name: web"))])
        request = ChartRequest(f"oci://{running.place}/charts", "web", "1.0.0")
        charts.use(access(running.place))
        assert (await refusal(charts, request)).startswith(f"authentication required: oci://{running.place}/charts/web")
        charts.use(access(running.place, username="ada", password="canary"))
        assert (await charts.tree(request)).read("Chart.yaml") == b"name: web"
        if scheme == "token":
            sent = {path for path, header in running.logins if header.startswith("Basic")}
            assert sent == {"/token"}


async def test_our_password_is_not_sent_to_a_token_server_without_tls(charts: ChartSource) -> None:
    with registry.serve(password="ada:canary") as running, registry.serve(password="ada:canary") as evil:
        running.put("charts/web", "1.0.0", [(CHART, packed_files(web__Chart="x"))])
        running.realm = evil.realm
        charts.use(access(running.place, username="ada", password="canary"))
        told = await refusal(charts, ChartRequest(f"oci://{running.place}/charts", "web", "1.0.0"))
        assert "wants the password sent over plain http to 127.0.0.1" in told
        assert evil.requests == []


async def test_tags_come_in_pages(charts: ChartSource) -> None:
    with registry.serve() as running:
        running.page = 7
        for number in range(40):
            running.put("charts/web", f"1.{number}.0", [(CHART, packed_files(web__Chart="x"))])
        charts.use(access(running.place))
        url = f"oci://{running.place}/charts"
        assert await charts.resolve(ChartRequest(url, "web", "*")) == "1.39.0"
        assert sum("/tags/list" in request for request in running.requests) == 6


async def test_an_artifact_without_a_chart_name_is_known_by_its_digest(charts: ChartSource) -> None:
    with registry.serve() as running:
        url = f"oci://{running.place}/team/manifests"
        digest = running.put("team/manifests", "v1", [(LAYER, packed_files(base__deploy="kind: Deployment"))])
        charts.use(plain(url))
        assert await charts.resolve(ChartRequest(url, "", "v1")) == digest
        tree = await charts.tree(ChartRequest(url, "", digest))
        assert tree.revision == digest
        assert [file.path for file in tree.below("base").files()] == ["base/deploy.yaml"]
        running.put("team/manifests", "v1", [(LAYER, packed_files(base__deploy="kind: Job"))])
        assert await charts.resolve(ChartRequest(url, "", "v1")) != digest
        assert (await charts.tree(ChartRequest(url, "", digest))).read("base/deploy.yaml") == b"kind: Deployment"


@pytest.mark.parametrize(
    ("layers", "told"),
    [
        ([], "expected only a single oci layer, got 0: {url} v1 ({hint})"),
        ([(LAYER, b"a"), (LAYER, b"b")], "expected only a single oci layer, got 2: {url} v1 ({hint})"),
        (
            [("application/octet-stream", b"a")],
            "oci layer media type application/octet-stream is not in the list of allowed media types: {url}",
        ),
        ([(LAYER, b"not an archive")], "{url} v1: the archive cannot be read (package and publish the chart again)"),
    ],
)
async def test_what_is_no_artifact_of_files_is_refused(
    charts: ChartSource, layers: list[tuple[str, bytes]], told: str
) -> None:
    with registry.serve() as running:
        url = f"oci://{running.place}/team/manifests"
        running.put("team/manifests", "v1", layers)
        charts.use(plain(url))
        hint = "an image is not a source: push a chart or an artifact with one layer"
        assert await refusal(charts, ChartRequest(url, "", "v1")) == told.format(url=url, hint=hint)


async def test_a_blob_that_is_not_what_its_digest_says_is_refused(charts: ChartSource) -> None:
    with registry.serve() as running:
        running.put("charts/web", "1.0.0", [(CHART, packed_files(web__Chart="x"))])
        for digest in running.blobs:
            running.blobs[digest] = b"canary"
        charts.use(access(running.place))
        told = await refusal(charts, ChartRequest(f"oci://{running.place}/charts", "web", "1.0.0"))
        assert told.endswith("the content of a blob does not match its digest")


async def test_what_is_not_there_is_said(charts: ChartSource) -> None:
    with registry.serve() as running:
        charts.use(access(running.place))
        told = await refusal(charts, ChartRequest(f"oci://{running.place}/charts", "web", "1.0.0"))
        assert told == (
            f"not found: oci://{running.place}/charts/web version '1.0.0' (check repoURL, chart and targetRevision)"
        )


async def test_settings_say_which_layers_are_read_and_how_large_they_may_be(charts: ChartSource) -> None:
    with registry.serve() as running:
        url = f"oci://{running.place}/team/manifests"
        running.put("team/manifests", "v1", [("application/x-own", packed_files(base__deploy="kind: Deployment"))])
        charts.use(plain(url))
        with pytest.raises(SourceError, match="is not in the list of allowed media types"):
            await charts.tree(ChartRequest(url, "", "v1"))
        charts.adjust(SourceSettings(oci_media_types=("application/x-own",)))
        tree = await charts.tree(ChartRequest(url, "", "v1"))
        assert tree.read("base/deploy.yaml") == b"kind: Deployment"
        running.put("team/manifests", "v2", [("application/x-own", packed_files(base__deploy="x" * 5000))])
        charts.adjust(SourceSettings(oci_media_types=("application/x-own",), max_oci_bytes=4000))
        with pytest.raises(SourceError, match="the archive unpacks to more than 4000 bytes"):
            await charts.tree(ChartRequest(url, "", "v2"))
        charts.adjust(
            SourceSettings(oci_media_types=("application/x-own",), max_oci_bytes=4000, oci_size_limited=False)
        )
        assert len((await charts.tree(ChartRequest(url, "", "v2"))).read("base/deploy.yaml")) == 5000
