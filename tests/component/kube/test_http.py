"""The HTTP transport against a real server on loopback: trust, tokens, time limits, and one sentence for what fails."""

import asyncio
import pathlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from syncline.adapters.kube.connection import Connection, Credential, Fixed
from syncline.adapters.kube.http import HttpTransport
from syncline.ports.transport import Request, TransportError
from tests.real import certificates

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
GET = Request(method="GET", path="/api")


@asynccontextmanager
async def serving(handler: Handler, trust: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Run a server with one handler and yield its address."""
    runner = web.ServerRunner(web.Server(handler), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=trust)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"{'https' if trust else 'http'}://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def exchange(connection: Connection, request: Request = GET, timeout: float = 5) -> tuple[int, bytes]:
    transport = HttpTransport(connection)
    try:
        response = await transport.send(request, timeout=timeout)
        try:
            return response.status, await response.read()
        finally:
            await response.close()
    finally:
        await transport.close()


async def echo(request: web.BaseRequest) -> web.Response:
    body = await request.read()
    groups = request.headers.getall("Impersonate-Group", [])
    text = f"{request.method} {request.raw_path} {request.headers.get('Authorization')} {groups} {body!r}"
    return web.Response(text=text)


async def test_a_request_arrives_letter_for_letter() -> None:
    async with serving(echo) as server:
        connection = Connection(
            server=f"{server}/prefix/",
            credentials=Fixed(Credential("Bearer t")),
            headers={"Impersonate-Group": ("a", "b")},
        )
        request = Request(method="PATCH", path="/api/x%2Fy:z?a=b%20c", body=b"{}")
        expected = b"PATCH /prefix/api/x%2Fy:z?a=b%20c Bearer t ['a', 'b'] b'{}'"
        assert await exchange(connection, request) == (200, expected)


async def test_name_that_leads_to_this_machine_is_not_asked_for_a_project() -> None:
    asked: list[str] = []

    async def note(request: web.BaseRequest) -> web.Response:
        asked.append(request.raw_path)
        return web.Response(text="{}")

    async with serving(note) as server:
        named = server.replace("127.0.0.1", "localhost")
        with pytest.raises(TransportError, match="may not have"):
            await exchange(Connection(server=named, ordinary_only=True))
        assert asked == []
        assert (await exchange(Connection(server=named)))[0] == 200


async def test_redirects_are_answers_and_cookies_are_forgotten() -> None:
    seen: list[str] = []

    async def login(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers.get("Cookie", ""))
        return web.Response(status=302, headers={"Location": "/login", "Set-Cookie": "a=b"})

    async with serving(login) as server:
        transport = HttpTransport(Connection(server=server))
        for _ in range(2):
            response = await transport.send(GET, timeout=5)
            assert (response.status, response.headers["location"]) == (302, "/login")
            await response.close()
        await transport.close()
    assert seen == ["", ""]


@pytest.fixture
def identity(tmp_path: pathlib.Path) -> ssl.SSLContext:
    certificates.write(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(tmp_path / "ca.crt"))
    context.load_cert_chain(tmp_path / "server.crt", tmp_path / "server.key")
    return context


async def test_a_server_is_trusted_by_its_authority(tmp_path: pathlib.Path, identity: ssl.SSLContext) -> None:
    authority = (tmp_path / "ca.crt").read_bytes()
    async with serving(echo, identity) as server:
        assert (await exchange(Connection(server=server, authority=authority)))[0] == 200
        assert (await exchange(Connection(server=server, insecure=True)))[0] == 200
        with pytest.raises(TransportError) as caught:
            await exchange(Connection(server=server))
        assert str(caught.value).startswith(f"cannot trust {server}: ")
        with pytest.raises(TransportError) as caught:
            await exchange(Connection(server=server, authority=authority, tls_server_name="another.example"))
        assert str(caught.value).startswith(f"cannot trust {server}: Hostname mismatch")
        with pytest.raises(TransportError, match="its certificate-authority contains no PEM certificate"):
            await exchange(Connection(server=server, authority=b"nonsense"))


async def test_a_client_certificate_is_shown_and_may_change(tmp_path: pathlib.Path, identity: ssl.SSLContext) -> None:
    identity.verify_mode = ssl.CERT_REQUIRED
    authority, certificate = (tmp_path / "ca.crt").read_bytes(), (tmp_path / "server.crt").read_bytes()
    good = Credential("", certificate, (tmp_path / "server.key").read_bytes())
    async with serving(echo, identity) as server:
        assert (await exchange(Connection(server=server, authority=authority, credentials=Fixed(good))))[0] == 200
        with pytest.raises(TransportError, match=f"cannot reach {server}: "):
            await exchange(Connection(server=server, authority=authority))
        mixed = Fixed(Credential("", certificate, (tmp_path / "accounts.key").read_bytes()))
        with pytest.raises(TransportError, match="cannot be read or do not belong together"):
            await exchange(Connection(server=server, authority=authority, credentials=mixed))


class Rotating:
    """Client certificates that are replaced: any file in PEM form that belongs to the key will do."""

    def __init__(self, certificate: bytes, key: bytes) -> None:
        self._certificate, self._key = certificate, key
        self.times = 0

    async def current(self) -> Credential:
        return Credential("", self._certificate + b"\n" * self.times, self._key)

    def forget(self) -> bool:
        return False


async def test_connections_of_an_old_certificate_are_closed_with_their_last_answer(
    tmp_path: pathlib.Path, identity: ssl.SSLContext
) -> None:
    rotating = Rotating((tmp_path / "server.crt").read_bytes(), (tmp_path / "server.key").read_bytes())
    authority = (tmp_path / "ca.crt").read_bytes()
    async with serving(echo, identity) as server:
        transport = HttpTransport(Connection(server=server, authority=authority, credentials=rotating))
        under_way = await transport.send(GET)
        for rotating.times in range(1, 5):
            response = await transport.send(GET, timeout=5)
            await response.read()
            await response.close()
            assert transport.certificates == 2
        assert await under_way.read()
        await under_way.close()
        assert transport.certificates == 1
        await transport.close()
        assert transport.certificates == 0


class Renewable:
    """A token that is good only after it was renewed once."""

    def __init__(self) -> None:
        self.token = "old"

    async def current(self) -> Credential:
        return Credential(f"Bearer {self.token}")

    def forget(self) -> bool:
        renewed, self.token = self.token == "old", "new"
        return renewed


@pytest.mark.parametrize(("accepted", "status", "asked"), [("new", 200, 2), ("none", 401, 2)])
async def test_a_refused_token_is_renewed_once(accepted: str, status: int, asked: int) -> None:
    tokens: list[str] = []

    async def check(request: web.BaseRequest) -> web.Response:
        tokens.append(request.headers["Authorization"])
        return web.Response(status=200 if tokens[-1] == f"Bearer {accepted}" else 401)

    async with serving(check) as server:
        found, _ = await exchange(Connection(server=server, credentials=Renewable()))
    assert (found, len(tokens)) == (status, asked)


async def test_a_watch_arrives_piece_by_piece_and_can_be_left() -> None:
    left = asyncio.Event()

    async def forever(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"event\n")
                await asyncio.sleep(0.02)
        finally:
            left.set()

    async with serving(forever) as server:
        transport = HttpTransport(Connection(server=server))
        response = await transport.send(GET)
        chunks = response.chunks()
        assert (await anext(chunks)).startswith(b"event\n")
        await response.close()
        await asyncio.wait_for(left.wait(), 60)
        await transport.close()


async def silent(_request: web.BaseRequest) -> web.Response:
    await asyncio.sleep(30)
    return web.Response()


async def cut_short(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "100"})
    await response.prepare(request)
    await response.write(b"half")
    if request.transport is not None:
        request.transport.abort()
    return response


@pytest.mark.parametrize(
    ("handler", "seconds", "sentence"),
    [
        (silent, 0.3, "cannot reach SERVER: no answer within 0.3 seconds"),
        (cut_short, 60, "cannot reach SERVER: the connection was reset"),
    ],
)
async def test_answers_that_do_not_come(handler: Handler, seconds: float, sentence: str) -> None:
    async with serving(handler) as server:
        with pytest.raises(TransportError) as caught:
            await exchange(Connection(server=server, credentials=Fixed(Credential("Bearer canary"))), timeout=seconds)
        assert str(caught.value) == sentence.replace("SERVER", server)


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        ("https://127.0.0.1:1", "cannot reach https://127.0.0.1:1: connection refused"),
        ("http://localhost:1", "cannot reach http://localhost:1: connection refused"),
        (
            "https://no-such-host.invalid",
            "cannot reach https://no-such-host.invalid: the host name no-such-host.invalid cannot be resolved",
        ),
    ],
)
async def test_servers_that_are_not_there(server: str, sentence: str) -> None:
    with pytest.raises(TransportError) as caught:
        await exchange(Connection(server=server))
    assert str(caught.value) == sentence


async def test_a_proxy_that_is_not_there_is_named_as_the_cause() -> None:
    with pytest.raises(TransportError) as caught:
        await exchange(Connection(server="http://kube.example", proxy="http://ada:canary@127.0.0.1:1"))
    assert str(caught.value) == "cannot reach http://kube.example: the proxy does not answer"


async def test_a_closed_transport_says_so() -> None:
    transport = HttpTransport(Connection(server="http://127.0.0.1:1"))
    await transport.close()
    with pytest.raises(TransportError, match="the client is closed"):
        await transport.send(GET, timeout=1)
