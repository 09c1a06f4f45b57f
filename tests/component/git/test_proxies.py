"""Repositories through real proxies: forwarding, CONNECT and SOCKS 5, for http, https and ssh, and servers without."""

import contextlib
import pathlib
import shutil
from collections.abc import Callable, Iterator

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.net import urls
from syncline.ports.source import RevisionRequest
from tests.support import certificates, git_http, git_ssh, http_proxy, socks_proxy
from tests.support.git_http import Repository as Shop

Proxy = http_proxy.Proxy | socks_proxy.Proxy
SCHEMES = {"http": "http", "socks5": "socks5", "socks5h": "socks5h"}


@contextlib.contextmanager
def running(kind: str) -> Iterator[tuple[Proxy, str]]:
    """Run a proxy that wants a login; yield it with its address."""
    serve = http_proxy.serve if kind == "http" else socks_proxy.serve
    with serve(password="ada:canary") as proxy:
        yield proxy, f"{kind}://ada:canary@127.0.0.1:{proxy.port}"


@pytest.fixture(scope="module")
def authority() -> certificates.Authority:
    return certificates.Authority()


@pytest.fixture(scope="module")
def keys() -> tuple[str, str]:
    return git_ssh.key_pair()


@pytest.fixture(params=["http", "https", "ssh"])
def served(
    request: pytest.FixtureRequest,
    shop: Shop,
    repositories: pathlib.Path,
    authority: certificates.Authority,
    keys: tuple[str, str],
) -> Iterator[tuple[str, int, Callable[[Way], SourceAccess]]]:
    """A server of the shop repository: its address, its port, and what reads it in a given way."""
    if request.param == "ssh":
        if shutil.which("ssh") is None:
            pytest.skip("the program ssh is not on this machine")
        with git_ssh.serve(repositories, [keys[1]]) as ssh:
            url, key = ssh.url("shop"), Credentials(ssh_private_key=keys[0])
            hosts = ssh.known_hosts()
            yield (
                url,
                ssh.port,
                lambda way: SourceAccess(
                    repositories=(Repository(url=url, credentials=key, way=way),), known_hosts=hosts
                ),
            )
        return
    tls = authority.server_context("127.0.0.1") if request.param == "https" else None
    with git_http.serve(repositories, tls=tls) as server:
        place = server.url("shop")
        trusted = {"127.0.0.1": authority.certificate}
        yield (
            place,
            server.port,
            lambda way: SourceAccess(repositories=(Repository(url=place, way=way),), certificates=trusted),
        )


@pytest.mark.parametrize("kind", ["http", "socks5", "socks5h"])
async def test_a_repository_is_read_through_its_proxy(
    shop: Shop,
    source: GitSource,
    served: tuple[str, int, Callable[[Way], SourceAccess]],
    kind: str,
) -> None:
    url, port, access = served
    sha = shop.commit({"a.yaml": "1"})
    with running(kind) as (proxy, address):
        source.use(access(Way(proxy=address)))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
        assert proxy.asked
        assert all(f"127.0.0.1:{port}" in place for place in proxy.asked)
        proxy.asked.clear()
        source.use(access(Way(proxy=address, no_proxy="other.example, 127.0.0.0/8")))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert proxy.asked == []


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_a_proxy_that_refuses_us_is_said_without_its_password(
    shop: Shop,
    source: GitSource,
    served: tuple[str, int, Callable[[Way], SourceAccess]],
    kind: str,
) -> None:
    url, _, access = served
    shop.commit({"a.yaml": "1"})
    with running(kind) as (proxy, address):
        source.use(access(Way(proxy=address.replace("canary", "canary-wrong"))))
        with pytest.raises(SourceError) as caught:
            await source.resolve(RevisionRequest(url, "main"))
        assert "canary" not in str(caught.value)
        assert "proxy" in str(caught.value).lower()
        assert proxy.asked == []


async def test_names_are_looked_up_by_the_proxy(shop: Shop, server: git_http.Server, source: GitSource) -> None:
    sha = shop.commit({"a.yaml": "1"})
    url = server.url("shop").replace("127.0.0.1", "git.inside.invalid")
    with socks_proxy.serve(names={"git.inside.invalid": "127.0.0.1"}) as proxy:
        way = Way(proxy=f"socks5://127.0.0.1:{proxy.port}")
        source.use(SourceAccess(repositories=(Repository(url=url, way=way),)))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert set(proxy.asked) == {f"git.inside.invalid:{server.port}"}


async def test_a_proxy_of_the_environment_leads_to_no_forbidden_place(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    with http_proxy.serve() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        with pytest.raises(SourceError, match="which is not a repository address"):
            await source.resolve(RevisionRequest("http://169.254.169.254/shop", "main"))
        assert proxy.asked == []
