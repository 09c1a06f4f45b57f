"""Who may read what over HTTP: passwords, tokens, certificates, proxies, redirects; nothing is sent elsewhere."""

import asyncio
import base64
import os
import pathlib
import ssl
from collections.abc import Iterator

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate, Repository, Way
from syncline.net import urls
from syncline.ports.source import RevisionRequest
from tests.support import certificates, git_http, http_proxy
from tests.support.git_http import Repository as Shop

PLAIN = Way()
BASIC = "Basic " + base64.b64encode(b"ada:canary").decode()


def one(url: str, credentials: Credentials, *, way: Way = PLAIN, project: str = "") -> SourceAccess:
    return SourceAccess(repositories=(Repository(url=url, credentials=credentials, way=way, project=project),))


def mode_of(path: pathlib.Path) -> int:
    return path.stat().st_mode & 0o777


def there(path: pathlib.Path) -> bool:
    return path.exists()


async def refusal(source: GitSource, url: str, project: str = "") -> str:
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, "main", project=project))
    assert "canary" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("login", "credentials"),
    [
        ({"password": "ada:canary"}, Credentials(username="ada", password="canary")),
        ({"bearer": "canary.token+/="}, Credentials(bearer_token="canary.token+/=")),
    ],
)
async def test_credentials_of_a_repository_are_used(
    shop: Shop,
    repositories: pathlib.Path,
    source: GitSource,
    login: dict[str, str],
    credentials: Credentials,
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories, **login) as server:  # type: ignore[arg-type]
        url = server.url("shop")
        assert (await refusal(source, url)).startswith("failed to list refs: authentication required")
        source.use(one(url, credentials))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
        source.use(SourceAccess())
        assert (await refusal(source, url)).startswith("failed to list refs: authentication required")


async def test_no_secret_is_in_arguments_or_environment_of_git(
    shop: Shop, repositories: pathlib.Path, source: GitSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    seen: list[str] = []
    start = asyncio.create_subprocess_exec

    async def recording(*arguments: str, **options: object) -> object:
        seen.extend(arguments)
        environment = options["env"]
        assert isinstance(environment, dict)
        seen.extend(f"{name}={value}" for name, value in environment.items())
        path = environment["GIT_CONFIG_GLOBAL"]
        if path.endswith("/config"):
            written.append(pathlib.Path(path))
            modes.update(mode_of(place) for place in (written[-1], written[-1].parent))
        return await start(*arguments, **options)  # type: ignore[arg-type]

    written: list[pathlib.Path] = []
    modes: set[int] = set()
    monkeypatch.setattr(asyncio, "create_subprocess_exec", recording)
    with git_http.serve(repositories, password="ada:canary") as server:
        url = server.url("shop")
        source.use(one(url, Credentials(username="ada", password="canary")))
        await source.resolve(RevisionRequest(url, "main"))
        await source.tree(url, sha, "")
    encoded = BASIC.removeprefix("Basic ")
    assert not [text for text in seen if "canary" in text or encoded in text]
    assert modes == {0o600, 0o700}
    assert written
    assert [path for path in written if there(path)] == []


async def test_a_template_is_for_its_host_alone(shop: Shop, repositories: pathlib.Path, source: GitSource) -> None:
    shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories) as server:
        template = CredentialTemplate(
            url=f"http://127.0.0.1:{server.port}", credentials=Credentials(username="ada", password="canary")
        )
        source.use(SourceAccess(templates=(template,)))
        await source.resolve(RevisionRequest(server.url("shop"), "main"))
        assert set(server.logins) == {BASIC}
        server.logins.clear()
        await source.resolve(RevisionRequest(server.url("shop").replace("127.0.0.1", "localhost"), "main"))
        assert set(server.logins) == {""}


async def test_credentials_of_a_project_are_for_its_apps_alone(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories, password="ada:canary") as server:
        url = server.url("shop")
        source.use(one(url, Credentials(username="ada", password="canary"), project="payments"))
        assert await source.resolve(RevisionRequest(url, "main", project="payments")) == sha
        await source.tree(url, sha, "", project="payments")
        assert (await refusal(source, url, "games")).startswith("failed to list refs: authentication required")
        with pytest.raises(SourceError, match="authentication required"):
            await source.tree(url, sha, "", project="games")


@pytest.fixture(scope="module")
def authority() -> certificates.Authority:
    return certificates.Authority()


@pytest.fixture
def private(shop: Shop, repositories: pathlib.Path, authority: certificates.Authority) -> Iterator[git_http.Server]:
    with git_http.serve(repositories, tls=authority.server_context("127.0.0.1")) as running:
        yield running


async def test_a_certificate_of_the_installation_is_trusted_for_its_server(
    shop: Shop, private: git_http.Server, authority: certificates.Authority, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    told = await refusal(source, private.url("shop"))
    assert told.startswith("failed to list refs: x509: certificate signed by unknown authority (git says: ")
    assert told.endswith("; trust it with: syncline cert add-tls 127.0.0.1 --from FILE)")
    source.use(SourceAccess(certificates={"127.0.0.1": authority.certificate}))
    assert await source.resolve(RevisionRequest(private.url("shop"), "main")) == sha
    source.use(SourceAccess(certificates={"other.example": authority.certificate}))
    assert "unknown authority" in await refusal(source, private.url("shop"))


async def test_a_repository_may_leave_certificates_unchecked(
    shop: Shop, private: git_http.Server, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    source.use(one(private.url("shop"), Credentials(), way=Way(insecure=True)))
    assert await source.resolve(RevisionRequest(private.url("shop"), "main")) == sha


async def test_a_client_certificate_is_shown_to_the_server(
    shop: Shop, repositories: pathlib.Path, authority: certificates.Authority, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    context = authority.server_context("127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=authority.certificate)
    certificate, key = authority.client("ada")
    with git_http.serve(repositories, tls=context) as server:
        url = server.url("shop")
        credentials = Credentials(tls_client_certificate=certificate, tls_client_key=key)
        known = {"127.0.0.1": authority.certificate}
        source.use(SourceAccess(certificates=known))
        assert (await refusal(source, url)).startswith("failed to list refs: ")
        repository = Repository(url=url, credentials=credentials)
        source.use(SourceAccess(certificates=known, repositories=(repository,)))
        assert await source.resolve(RevisionRequest(url, "main")) == sha


async def test_a_repository_is_reached_through_its_proxy(
    shop: Shop, server: git_http.Server, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with http_proxy.serve(password="ada:canary") as proxy:
        url = server.url("shop")
        source.use(one(url, Credentials(), way=Way(proxy=f"http://ada:canary@127.0.0.1:{proxy.port}")))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert {place.split("/")[2] for place in proxy.asked} == {f"127.0.0.1:{server.port}"}
        proxy.asked.clear()
        way = Way(proxy=f"http://ada:canary@127.0.0.1:{proxy.port}", no_proxy="127.0.0.1")
        source.use(one(url, Credentials(), way=way))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert proxy.asked == []


@pytest.mark.parametrize(
    "proxy", ["http://h$(id):1", "ftp://canary@proxy", "http://a\nb", "--proxy", "http://proxy`id`:80"]
)
async def test_a_proxy_that_is_none_is_refused(server: git_http.Server, source: GitSource, proxy: str) -> None:
    source.use(one(server.url("shop"), Credentials(), way=Way(proxy=proxy)))
    assert (await refusal(source, server.url("shop"))).startswith("invalid proxy ")
    assert server.requests == []


async def test_a_moved_repository_is_followed_without_credentials_to_another_host(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories) as elsewhere, git_http.serve(repositories, password="ada:canary") as server:
        url = server.url("old")
        server.moved["/old/.git"] = f"http://127.0.0.1:{elsewhere.port}/shop/.git"
        source.use(one(url, Credentials(username="ada", password="canary")))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
        assert set(elsewhere.logins) == {""}


async def test_a_repository_that_moved_on_its_host_keeps_its_credentials(
    shop: Shop, repositories: pathlib.Path, source: GitSource
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories, password="ada:canary") as server:
        server.moved["/old/.git"] = "/shop/.git"
        source.use(one(server.url("old"), Credentials(username="ada", password="canary")))
        assert await source.resolve(RevisionRequest(server.url("old"), "main")) == sha


@pytest.mark.parametrize(
    "place",
    [
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/x",
        "ssh://git@127.0.0.1/x",
    ],
)
async def test_a_redirect_leads_to_no_forbidden_place(server: git_http.Server, source: GitSource, place: str) -> None:
    server.moved["/old/.git"] = place
    told = await refusal(source, server.url("old"))
    assert told.startswith("failed to list refs: http://127.0.0.1:")
    assert "is refused: " in told or "redirects to an address that is refused: " in told


async def test_a_redirect_loop_ends(server: git_http.Server, source: GitSource) -> None:
    server.moved["/old/.git"] = "/old/.git"
    assert "redirects more than 5 times" in await refusal(source, server.url("old"))


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", "127.0.0.1 is this machine"),
        ("localhost", "localhost is this machine"),
        ("2130706433", "2130706433 is this machine"),
        ("0x7f.1", "0x7f.1 is this machine"),
        ("[::1]", "::1 is this machine"),
        ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1 is this machine"),
        ("169.254.169.254", "169.254.169.254 resolves to 169.254.169.254, which is not a repository address"),
        ("0.0.0.0", "0.0.0.0 resolves to 0.0.0.0, which is not a repository address"),
    ],
)
async def test_places_where_no_repository_is_are_not_asked(
    tmp_path: pathlib.Path, server: git_http.Server, host: str, reason: str
) -> None:
    source = GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    told = await refusal(source, f"http://{host}:{server.port}/shop/.git")
    assert told.startswith(f"repository not permitted: http://{host}:{server.port}/shop/.git: {reason}")
    assert ("--allow-local" in told) is ("this machine" in reason)
    assert server.requests == []


async def test_a_host_an_operator_wrote_down_may_be_anywhere(
    tmp_path: pathlib.Path, shop: Shop, server: git_http.Server
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    source = GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False))
    source.use(one(server.url("shop"), Credentials()))
    assert await source.resolve(RevisionRequest(server.url("shop"), "main")) == sha


async def test_the_environment_of_the_user_is_not_handed_to_git(
    shop: Shop, server: git_http.Server, source: GitSource, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    trace = tmp_path / "trace"
    monkeypatch.setitem(os.environ, "GIT_TRACE", str(trace))
    monkeypatch.setitem(os.environ, "GIT_SSH_COMMAND", f"touch {trace}")
    assert await source.resolve(RevisionRequest(server.url("shop"), "main")) == sha
    assert not trace.exists()
