"""The way to a chart: proxies of every kind, servers without one, and servers that ask us to come again."""

import contextlib
import hashlib
import pathlib
from collections.abc import Iterator

import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.ports.source import ChartRequest
from tests.support import certificates, chart_server, http_proxy, registry, socks_proxy
from tests.support.chart_server import Handler, Server

LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


@pytest.fixture(scope="module")
def authority() -> certificates.Authority:
    return certificates.Authority()


@pytest.fixture(params=["http", "https"])
def served(
    request: pytest.FixtureRequest, packed: pathlib.Path, authority: certificates.Authority
) -> Iterator[chart_server.Server]:
    tls = authority.server_context("127.0.0.1") if request.param == "https" else None
    with chart_server.serve(packed, password="ada:canary", tls=tls) as running:
        yield running


@contextlib.contextmanager
def running(kind: str, authority: certificates.Authority) -> Iterator[http_proxy.Proxy | socks_proxy.Proxy]:
    if kind.startswith("socks"):
        with socks_proxy.serve(password="bob:canary") as socks:
            yield socks
        return
    tls = authority.server_context("127.0.0.1") if kind == "https" else None
    with http_proxy.serve(password="bob:canary", tls=tls) as proxy:
        yield proxy


def access(url: str, way: Way, authority: certificates.Authority) -> SourceAccess:
    login = Credentials(username="ada", password="canary")
    repository = Repository(url=url, kind="helm", credentials=login, way=way)
    return SourceAccess(repositories=(repository,), certificates={"127.0.0.1": authority.certificate})


@pytest.mark.parametrize("kind", ["http", "https", "socks5", "socks5h"])
async def test_a_chart_is_fetched_through_the_proxy_of_its_repository(
    charts: ChartSource,
    served: Server,
    authority: certificates.Authority,
    kind: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trusted = tmp_path / "ca.pem"
    trusted.write_text(authority.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))  # a proxy's certificate is checked against the machine's
    with running(kind, authority) as proxy:
        way = Way(proxy=f"{kind}://bob:canary@127.0.0.1:{proxy.port}")
        charts.use(access(served.url, way, authority))
        tree = await charts.tree(ChartRequest(served.url, "web", "1.0.0"))
        assert tree.read("values.yaml") == b"size: 1\n"
        assert len(proxy.asked) == 2
        assert all(f"127.0.0.1:{served.port}" in place for place in proxy.asked)
        proxy.asked.clear()
        charts.use(access(served.url, Way(proxy=way.proxy, no_proxy=f"127.0.0.1:{served.port}"), authority))
        await charts.tree(ChartRequest(served.url, "web", "1.2.0"))
        assert proxy.asked == []


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("http", "the proxy requires other credentials"),
        ("socks5", "the proxy rejected the credentials"),
    ],
)
async def test_a_proxy_that_refuses_us_is_said_without_its_password(
    charts: ChartSource, packed: pathlib.Path, authority: certificates.Authority, kind: str, told: str
) -> None:
    with (
        chart_server.serve(packed, tls=authority.server_context("127.0.0.1")) as server,
        running(kind, authority) as proxy,
    ):
        charts.use(access(server.url, Way(proxy=f"{kind}://bob:canary2@127.0.0.1:{proxy.port}"), authority))
        with pytest.raises(SourceError) as caught:
            await charts.tree(ChartRequest(server.url, "web", "1.0.0"))
        assert str(caught.value) == f"{server.url}/index.yaml did not answer: {told}"


@pytest.mark.parametrize(
    ("status", "pause", "times", "told"),
    [
        (429, "0", 1, ""),
        (503, "0", 2, ""),
        (429, "0", 9, "too many requests: "),
        (429, "3600", 1, "too many requests: "),
        (503, "", 1, "answered 503"),
    ],
)
async def test_a_server_that_asks_us_to_come_again_is_asked_again(
    charts: ChartSource, server: Server, packed: pathlib.Path, status: int, pause: str, times: int, told: str
) -> None:
    left = [status] * times

    def answer(handler: Handler) -> None:
        if left:
            headers = {"Retry_After": pause} if pause else {}
            chart_server.send(handler, left.pop(), b"", **headers)
        else:
            chart_server.send(handler, 200, (packed / "web-1.0.0.tgz").read_bytes())

    server.answers["/web-1.0.0.tgz"] = answer
    if told:
        with pytest.raises(SourceError, match=told):
            await charts.tree(ChartRequest(server.url, "web", "1.0.0"))
    else:
        assert (await charts.tree(ChartRequest(server.url, "web", "1.0.0"))).read("values.yaml") == b"size: 1\n"


async def test_a_registry_is_asked_through_its_proxy(charts: ChartSource, packed: pathlib.Path) -> None:
    chart = (packed / "web-1.0.0.tgz").read_bytes()
    with registry.serve() as running_registry, http_proxy.serve() as proxy:
        running_registry.put("charts/web", "1.0.0", [(LAYER, chart)])
        url = f"oci://{running_registry.place}/charts"
        way = Way(oci=True, plain_http=True, proxy=f"127.0.0.1:{proxy.port}")
        charts.use(SourceAccess(repositories=(Repository(url=url, kind="helm", way=way),)))
        assert (await charts.tree(ChartRequest(url, "web", "1.0.0"))).read("values.yaml") == b"size: 1\n"
        assert [place.partition("/v2/")[2].split("/")[2] for place in proxy.asked] == ["manifests", "blobs"]


@pytest.mark.parametrize("content", [b"", b"other"])
async def test_a_registry_sends_us_to_its_storage_without_our_login_and_is_not_believed(
    charts: ChartSource, packed: pathlib.Path, tmp_path: pathlib.Path, content: bytes
) -> None:
    chart = (packed / "web-1.0.0.tgz").read_bytes()
    storage = tmp_path / "storage"
    storage.mkdir()
    with registry.serve(password="ada:canary") as running_registry, chart_server.serve(storage) as elsewhere:
        running_registry.put("charts/web", "1.0.0", [(LAYER, chart)])
        digest = "sha256:" + hashlib.sha256(chart).hexdigest()
        (storage / digest).write_bytes(content or chart)
        running_registry.storage = elsewhere.url
        url = f"oci://{running_registry.place}/charts"
        login = Credentials(username="ada", password="canary")
        known = Repository(url=url, kind="helm", credentials=login, way=Way(plain_http=True))
        charts.use(SourceAccess(repositories=(known,)))
        if content:
            with pytest.raises(SourceError, match="the content of a blob does not match its digest"):
                await charts.tree(ChartRequest(url, "web", "1.0.0"))
        else:
            assert (await charts.tree(ChartRequest(url, "web", "1.0.0"))).read("values.yaml") == b"size: 1\n"
        assert set(elsewhere.logins.values()) == {""}


async def test_a_registry_without_tls_is_named_as_such(charts: ChartSource) -> None:
    with registry.serve() as running_registry:
        url = f"oci://{running_registry.place}/charts"
        with pytest.raises(SourceError, match="did not answer: it does not speak TLS"):
            await charts.tree(ChartRequest(url, "web", "1.0.0"))
