"""The key of a GitHub App becomes a token: asked for once, signed rightly, kept until it ends, never shown."""

import base64
import contextlib
import http.server
import json
import pathlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from syncline.adapters.git.addresses import parse
from syncline.adapters.git.source import GitSource
from syncline.adapters.git.tokens import Tokens
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, CredentialTemplate
from syncline.ports.source import RevisionRequest
from tests.support import git_http
from tests.support.git_http import Repository


class GitHub:
    """What the API was asked for, and with which statement."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v3"
        self.requests: list[str] = []
        self.statements: list[str] = []
        self.ends = "2030-01-01T01:00:00Z"
        self.status = 201


@pytest.fixture
def github() -> Iterator[GitHub]:
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    found = GitHub(listener.server_address[1])

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, *_arguments: object) -> None:
            pass

        def _answer(self) -> None:
            found.requests.append(f"{self.command} {self.path}")
            found.statements.append(self.headers["Authorization"].removeprefix("Bearer "))
            content: dict[str, Any] = {"id": 99, "token": "canary-token", "expires_at": found.ends}
            body = json.dumps(content).encode()
            self.send_response(found.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    listener.RequestHandlerClass = Answering
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    with contextlib.closing(listener.socket):
        yield found
        listener.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def pem(key: rsa.RSAPrivateKey) -> str:
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def access(server: git_http.Server, github: GitHub, key: rsa.RSAPrivateKey, installation: int) -> SourceAccess:
    credentials = Credentials(
        github_app_id=7,
        github_app_installation_id=installation,
        github_app_private_key=pem(key),
        github_app_base_url=github.url,
    )
    return SourceAccess(templates=(CredentialTemplate(url=f"http://127.0.0.1:{server.port}", credentials=credentials),))


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


@pytest.mark.parametrize(
    ("installation", "asked"),
    [
        (8, ["POST /api/v3/app/installations/8/access_tokens"]),
        (0, ["GET /api/v3/repos/shop/installation", "POST /api/v3/app/installations/99/access_tokens"]),
    ],
)
async def test_a_repository_is_read_with_the_token_of_the_app(
    shop: Repository,
    repositories: pathlib.Path,
    source: GitSource,
    github: GitHub,
    key: rsa.RSAPrivateKey,
    installation: int,
    asked: list[str],
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    github.ends = "2999-01-01T01:00:00Z"
    with git_http.serve(repositories, password="x-access-token:canary-token") as server:
        source.use(access(server, github, key, installation))
        url = server.url("shop").removesuffix("/.git")
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
    assert github.requests == asked
    head, claims, signature = github.statements[0].split(".")
    key.public_key().verify(decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    assert json.loads(decoded(head)) == {"alg": "RS256", "typ": "JWT"}
    content = json.loads(decoded(claims))
    assert content["iss"] == "7"
    assert content["exp"] - content["iat"] == 600


async def test_a_token_is_asked_for_again_before_it_ends(
    repositories: pathlib.Path, github: GitHub, key: rsa.RSAPrivateKey
) -> None:
    now = [1893456000.0]  # an hour before the token ends
    tokens = Tokens(lambda: now[0])
    with git_http.serve(repositories) as server:
        address = parse(server.url("shop"), access=access(server, github, key, 8))
        for _ in range(3):
            found = await tokens.exchanged(address)
        assert (found.username, found.password) == ("x-access-token", "canary-token")
        assert len(github.requests) == 1
        now[0] += 3600 - 299
        await tokens.exchanged(address)
        assert len(github.requests) == 2


async def test_a_token_that_has_ended_is_not_kept(
    repositories: pathlib.Path, github: GitHub, key: rsa.RSAPrivateKey
) -> None:
    now = [1893456000.0]
    tokens = Tokens(lambda: now[0])
    with git_http.serve(repositories) as server:
        for installation in (8, 9):
            await tokens.exchanged(parse(server.url("shop"), access=access(server, github, key, installation)))
        assert len(tokens) == 2
        now[0] += 3601
        await tokens.exchanged(parse(server.url("shop"), access=access(server, github, key, 8)))
        assert len(tokens) == 1


async def test_a_refusal_names_what_to_check_and_shows_nothing(
    repositories: pathlib.Path, source: GitSource, github: GitHub, key: rsa.RSAPrivateKey
) -> None:
    github.status = 401
    with git_http.serve(repositories) as server:
        source.use(access(server, github, key, 8))
        with pytest.raises(SourceError) as caught:
            await source.resolve(RevisionRequest(server.url("shop"), "main"))
    assert str(caught.value) == (
        f"the GitHub App of {server.url('shop')} was refused: {github.url}/app/installations/8/access_tokens "
        "answered 401 "
        "(check githubAppID, githubAppInstallationID and the key)"
    )


@pytest.mark.parametrize("text", ["canary", "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n"])
async def test_a_key_that_is_none_is_said_and_not_quoted(
    repositories: pathlib.Path, source: GitSource, text: str
) -> None:
    with git_http.serve(repositories) as server:
        credentials = Credentials(github_app_id=7, github_app_private_key=text)
        url = f"http://127.0.0.1:{server.port}"
        source.use(SourceAccess(templates=(CredentialTemplate(url=url, credentials=credentials),)))
        with pytest.raises(SourceError) as caught:
            await source.resolve(RevisionRequest(server.url("shop"), "main"))
    assert str(caught.value) == "githubAppPrivateKey is not a PEM private key"
