"""Identities of clouds become tokens: of a Google service account, of an Azure principal, of an Azure pod."""

import base64
import contextlib
import http.server
import json
import pathlib
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from syncline.adapters.charts.source import ChartSource
from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository
from syncline.ports.source import ChartRequest, RevisionRequest
from tests.support import git_http, this_machine
from tests.support.git_http import Repository as Shop


class Office:
    """A server that gives out tokens, and what it was sent."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.status = 200
        self.elsewhere = ""
        self.answer: dict[str, object] = {"access_token": "canary-token", "expires_in": 3600}


@pytest.fixture
def office() -> Iterator[Office]:
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    found = Office(listener.server_address[1])

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            found.asked.append((self.path, {name: values[0] for name, values in form.items()}))
            body = json.dumps(found.answer).encode()
            self.send_response(found.status)
            if found.elsewhere:
                self.send_header("Location", found.elsewhere)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

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


def account(key: rsa.RSAPrivateKey, place: str) -> str:
    form = serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
    return json.dumps(
        {
            "type": "service_account",
            "client_email": "deploy@shop.example",
            "private_key_id": "canary-id",
            "private_key": pem,
            "token_uri": place,
        }
    )


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def use(source: GitSource, url: str, credentials: Credentials) -> None:
    source.use(SourceAccess(repositories=(Repository(url=url, credentials=credentials),)))


async def refusal(source: GitSource, url: str) -> str:
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, "main"))
    assert "canary" not in str(caught.value)
    return str(caught.value)


async def test_a_google_service_account_reads_with_a_token_that_is_asked_for_once(
    shop: Shop, repositories: pathlib.Path, source: GitSource, office: Office, key: rsa.RSAPrivateKey
) -> None:
    sha = shop.commit({"a.yaml": "1"})
    with git_http.serve(repositories, password="deploy@shop.example:canary-token") as server:
        url = server.url("shop")
        use(source, url, Credentials(gcp_service_account_key=account(key, f"{office.url}/token")))
        assert await source.resolve(RevisionRequest(url, "main")) == sha
        assert (await source.tree(url, sha, "")).read("a.yaml") == b"1"
    ((path, form),) = office.asked
    assert (path, form["grant_type"]) == ("/token", "urn:ietf:params:oauth:grant-type:jwt-bearer")
    head, claims, signature = form["assertion"].split(".")
    key.public_key().verify(decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    assert json.loads(decoded(head)) == {"alg": "RS256", "typ": "JWT", "kid": "canary-id"}
    content = json.loads(decoded(claims))
    assert {name: content[name] for name in ("iss", "scope", "aud")} == {
        "iss": "deploy@shop.example",
        "scope": "https://www.googleapis.com/auth/cloud-platform",
        "aud": f"{office.url}/token",
    }
    assert content["exp"] - content["iat"] <= 3600


PRINCIPAL = Credentials(azure_tenant_id="tenant-1", azure_client_id="client", azure_client_secret="canary-secret")
POD = Credentials(azure_workload_identity=True)


@pytest.mark.parametrize("pod", [False, True])
async def test_an_azure_identity_reads_with_a_token(
    shop: Shop,
    repositories: pathlib.Path,
    source: GitSource,
    office: Office,
    pod: bool,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import msgspec

    sha = shop.commit({"a.yaml": "1"})
    file = tmp_path / "federated"
    file.write_text("canary-assertion\n")
    variables = {
        "AZURE_TENANT_ID": "tenant-1",
        "AZURE_CLIENT_ID": "client",
        "AZURE_FEDERATED_TOKEN_FILE": str(file),
        "AZURE_AUTHORITY_HOST": f"{office.url}/",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    credentials = POD if pod else msgspec.structs.replace(PRINCIPAL, azure_endpoint=office.url)
    with git_http.serve(repositories, bearer="canary-token") as server:
        use(source, server.url("shop"), credentials)
        assert await source.resolve(RevisionRequest(server.url("shop"), "main")) == sha
    proof = (
        {
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": "canary-assertion",
        }
        if pod
        else {"client_secret": "canary-secret"}
    )
    scope = "499b84ac-1321-427f-aa17-267ca6975798/.default"
    form = {"grant_type": "client_credentials", "scope": scope, "client_id": "client", **proof}
    assert office.asked == [("/tenant-1/oauth2/v2.0/token", form)]


@pytest.mark.parametrize(
    ("credentials", "told"),
    [
        (
            Credentials(gcp_service_account_key="canary"),
            (
                "gcpServiceAccountKey is not a service account key in JSON"
                " (the file must have client_email and private_key, as downloaded from Google)"
            ),
        ),
        (
            Credentials(gcp_service_account_key='{"client_email": "a", "private_key": "canary"}'),
            "private_key of gcpServiceAccountKey is not a PEM private key",
        ),
        (
            Credentials(azure_client_secret="canary"),
            (
                "the Azure service principal of {url} is not named"
                " (set azureServicePrincipalTenantId and azureServicePrincipalClientId too)"
            ),
        ),
        (
            POD,
            (
                "the Azure workload identity of {url} is not available: AZURE_TENANT_ID, AZURE_CLIENT_ID,"
                " AZURE_FEDERATED_TOKEN_FILE are not set (the webhook of Azure workload identity sets them in pods"
                " whose service account is bound to an identity)"
            ),
        ),
    ],
)
async def test_an_identity_that_is_none_is_said_and_nobody_is_asked(
    server: git_http.Server,
    source: GitSource,
    credentials: Credentials,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    url = server.url("shop")
    use(source, url, credentials)
    assert await refusal(source, url) == told.format(url=url)
    assert server.requests == []


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("http://169.254.169.254/token", "169.254.169.254 is not contacted without TLS"),
        ("http://token.example/token", "token.example is not contacted without TLS"),
        ("https://169.254.169.254/token", "which is not a repository address"),
        ("file:///etc/passwd", "is refused: its scheme is not one of http, https"),
    ],
)
async def test_a_key_leads_to_no_forbidden_place(
    server: git_http.Server, source: GitSource, key: rsa.RSAPrivateKey, place: str, told: str
) -> None:
    use(source, server.url("shop"), Credentials(gcp_service_account_key=account(key, place)))
    assert told in await refusal(source, server.url("shop"))
    assert server.requests == []


async def test_a_refusal_is_told_without_what_the_server_wrote(
    server: git_http.Server, source: GitSource, office: Office, key: rsa.RSAPrivateKey
) -> None:
    office.status, office.answer = 400, {"error": "canary"}
    url = server.url("shop")
    use(source, url, Credentials(gcp_service_account_key=account(key, f"{office.url}/token")))
    assert await refusal(source, url) == (
        f"the Google service account of {url} was refused: {office.url}/token answered 400 (check gcpServiceAccountKey)"
    )
    office.status, office.answer = 200, {"expires_in": 3600}
    assert await refusal(source, url) == f"the Google service account of {url} got no token"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_what_proves_an_identity_is_not_carried_to_another_host(
    server: git_http.Server, source: GitSource, office: Office, key: rsa.RSAPrivateKey, status: int
) -> None:
    office.status, office.elsewhere = status, server.url("shop")
    url = server.url("shop")
    use(source, url, Credentials(gcp_service_account_key=account(key, f"{office.url}/token")))
    assert await refusal(source, url) == (
        f"no token for the Google service account of {url}: {office.url}/token redirects"
        " a request with credentials to 127.0.0.1"
    )
    assert server.requests == []


@pytest.mark.parametrize(
    ("credentials", "named"),
    [
        (Credentials(gcp_service_account_key="canary"), "Google service account"),
        (PRINCIPAL, "Azure service principal"),
        (POD, "Azure workload identity"),
        (Credentials(github_app_id=1, github_app_private_key="canary"), "GitHub App"),
    ],
)
@pytest.mark.parametrize("url", ["https://charts.example", "oci://registry.example/charts"])
async def test_charts_are_never_asked_for_as_nobody_where_an_identity_is_written(
    tmp_path: pathlib.Path, url: str, credentials: Credentials, named: str
) -> None:
    charts = ChartSource(str(tmp_path), reach=this_machine.REACH)
    charts.use(SourceAccess(repositories=(Repository(url=url, kind="helm", credentials=credentials),)))
    with pytest.raises(SourceError) as caught:
        await charts.tree(ChartRequest(url, "web", "1.0.0"))
    assert str(caught.value) == (
        f"the {named} of {url} cannot be used for charts and registries"
        " (put a username and password, or a bearer token, into the repository Secret)"
    )
