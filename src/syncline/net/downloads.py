"""Fetches one thing over HTTP: limits on bytes and seconds, redirects checked, credentials never sent elsewhere.

Called by the adapters that read charts, registries and tokens; what an answer means is theirs to say. Addresses go
through `syncline.net.urls`, and the machine that a name leads to is checked on the connection itself. A redirect to
another host goes without credentials, one from https to http not at all. Bodies are never decompressed here.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import pathlib
import select
import socket
import ssl
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from syncline import tasks
from syncline.net import proxies, urls

_MAX_REDIRECTS = 5
_HARMLESS = ("accept", "content-type")
_REDIRECTS = (301, 302, 303, 307, 308)
_CONNECT_SECONDS = 15.0
_SILENCE_SECONDS = 30.0
_PIECE = 64 * 1024
_ATTEMPTS = 3
_LONGEST_PAUSE = 10


class DownloadFailed(Exception):
    """No usable answer came; the text says why, without credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """How one server is reached: who we are, whom we trust, and through which proxy."""

    authorization: str = field(default="", repr=False)
    certificates: str = ""
    client_certificate: str = field(default="", repr=False)
    client_key: str = field(default="", repr=False)
    insecure: bool = False
    proxy: str = field(default="", repr=False)
    no_proxy: str = ""
    direct: bool = False
    """Whether no proxy is used, whatever the environment says."""
    is_proxy_trusted: bool = True
    """Whether the operator named the proxy, which then may be anywhere; a project's is judged like any server."""
    reach: urls.Reach = field(default_factory=urls.Reach)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadRequest:
    """What to ask for, and what the answer may cost."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    limit: int = 16 * 1024 * 1024
    seconds: float = 60.0
    redirects: bool = True
    """Whether redirects are followed."""
    leaves_host: bool = True
    """Whether a redirect to another host is followed, without credentials."""


@dataclass(frozen=True, slots=True)
class Download:
    """Status, headers in lower case, and the whole body."""

    status: int
    headers: dict[str, str]
    body: bytes
    url: str


def basic(username: str, password: str) -> str:
    """Return the Authorization header of a user and password."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


async def fetch(request: DownloadRequest, door: Door | None = None) -> Download:
    """Return the answer, whatever its status; raises `DownloadFailed` where there is none or it is too much.

    A server that asks us to come again in a moment (429 or 503 with Retry-After) is asked again.
    """
    try:
        async with asyncio.timeout(request.seconds):
            for _ in range(_ATTEMPTS - 1):
                answer = await _asked(request, door or Door())
                pause = _pause(answer) if request.method in ("GET", "HEAD") else None
                if pause is None:
                    return answer
                await asyncio.sleep(pause)
            return await _asked(request, door or Door())
    except TimeoutError:
        shown = urls.scrub(request.url)
        raise DownloadFailed(f"{shown} sent no complete response within {request.seconds:g} seconds") from None


async def _asked(request: DownloadRequest, door: Door) -> Download:
    call = _Call()
    try:
        # Not a thread that others share: servers that do not answer would take them all.
        return await tasks.in_own_thread(lambda: call.follow(request, door))
    finally:
        call.abandon()


def _pause(answer: Download) -> float | None:
    """Return how long a server asks us to wait; None where it does not, or where that is longer than a moment."""
    text = answer.headers.get("retry-after", "").strip()
    if answer.status not in (429, 503) or not text.isdecimal() or int(text) > _LONGEST_PAUSE:
        return None
    return float(text)


class _Call:
    """One download in a thread of its own; `abandon` ends it from outside."""

    def __init__(self) -> None:
        self._abandoned = threading.Event()
        self._socket: socket.socket | None = None

    def abandon(self) -> None:
        """Close the connection, so that the thread ends at once."""
        self._abandoned.set()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def follow(self, request: DownloadRequest, door: Door) -> Download:
        """Ask, and follow redirects."""
        shown = urls.scrub(request.url)
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                answer = self._once(request, door)
            except urls.RefusedAddress as refused:
                raise DownloadFailed(f"{shown} is refused: {refused}") from None
            except (OSError, http.client.HTTPException) as error:
                raise DownloadFailed(f"{shown} did not answer: {_reason(error)}") from None
            if not request.redirects or answer.status not in _REDIRECTS or "location" not in answer.headers:
                return answer
            request, door = _redirected(request, door, answer)
        raise DownloadFailed(f"{shown} redirects more than {_MAX_REDIRECTS} times")

    def _once(self, request: DownloadRequest, door: Door) -> Download:
        url = urls.parse(request.url, schemes=("http", "https"))
        proxy = None if door.direct else proxies.chosen(url, door.proxy, door.no_proxy)
        connection = self._connection(url, door, proxy)
        headers = {"Accept-Encoding": "identity", "User-Agent": "syncline", **request.headers}
        if door.authorization:
            headers["Authorization"] = door.authorization
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        if proxy is not None and url.scheme == "http" and not proxies.is_socks(proxy):
            path = f"http://{url.authority}{path}"
            headers |= proxies.login(proxy)
        with contextlib.closing(connection):
            connection.request(request.method, path, body=request.body or None, headers=headers)
            with contextlib.closing(connection.getresponse()) as response:
                found = {name.lower(): value for name, value in response.getheaders()}
                body = b"" if response.status in _REDIRECTS else _read(response, request)
                return Download(response.status, found, body, str(url))

    def _connection(self, url: urls.Url, door: Door, proxy: urls.Url | None) -> http.client.HTTPConnection:
        if proxy is None:
            sock = self._connect(url, door.reach)
        else:
            if refusal := door.reach.refusal_unresolved(url.host, url.port):
                raise urls.RefusedAddress(refusal)
            tunnel = url.scheme == "https" or proxies.is_socks(proxy)
            # One from the environment is the operator's, whatever a Secret says.
            is_trusted = door.is_proxy_trusted or not door.proxy
            sock = self._through(proxy, url.host, url.port, tunnel=tunnel, is_trusted=is_trusted)
        try:
            if url.scheme == "https":
                sock = self._socket = _context(door).wrap_socket(_plain(sock), server_hostname=url.host)
        except BaseException:
            sock.close()
            raise
        connection = http.client.HTTPConnection(url.host, url.port, timeout=_SILENCE_SECONDS)
        connection.sock = sock
        return connection

    def _through(self, proxy: urls.Url, host: str, port: int, *, tunnel: bool, is_trusted: bool) -> socket.socket:
        """Connect to a proxy, and through it to a server where that is asked for."""
        places = {(proxy.host.lower(), proxy.port)} if is_trusted else set[tuple[str, int]]()
        sock = self._connect(proxy, urls.Reach().besides(places))
        try:
            if proxy.scheme == "https":
                sock = self._socket = _context(Door()).wrap_socket(sock, server_hostname=proxy.host)
            if tunnel:
                proxies.pass_through(sock, proxy, host, port)
        except BaseException:
            sock.close()
            raise
        return sock

    def _connect(self, url: urls.Url, reach: urls.Reach) -> socket.socket:
        """Connect to an address that was checked: what a second look-up of the name would give does not matter."""
        failure: OSError = OSError("its host name has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM):
            if refusal := reach.refusal(url.host, url.port, str(address[0])):
                raise urls.RefusedAddress(refusal)
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_CONNECT_SECONDS)
                sock.connect(address)
            except OSError as error:
                sock.close()
                failure = error
                continue
            self._socket = sock
            if self._abandoned.is_set():
                self.abandon()
            sock.settimeout(_SILENCE_SECONDS)
            return sock
        raise failure


def _read(response: http.client.HTTPResponse, request: DownloadRequest) -> bytes:
    shown = urls.scrub(request.url)
    parts: list[bytes] = []
    left = request.limit
    while piece := response.read1(_PIECE):
        left -= len(piece)
        if left < 0:
            raise DownloadFailed(f"{shown} is larger than {request.limit} bytes")
        parts.append(piece)
    if response.length:
        raise DownloadFailed(f"{shown} ended early")
    return b"".join(parts)


def _redirected(request: DownloadRequest, door: Door, answer: Download) -> tuple[DownloadRequest, Door]:
    shown = urls.scrub(request.url)
    try:
        location = urls.join(answer.url, answer.headers["location"])
        old, new = (urls.parse(text, schemes=("http", "https")) for text in (answer.url, location))
    except urls.RefusedAddress as refused:
        raise DownloadFailed(f"{shown} redirects to an address that is refused: {refused}") from None
    if old.scheme == "https" and new.scheme == "http":
        raise DownloadFailed(f"{shown} redirects from https to http")
    if (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port):
        if not request.leaves_host:
            raise DownloadFailed(f"{shown} redirects to another host, which is not asked")
        if request.body:
            raise DownloadFailed(f"{shown} redirects a request with credentials to {new.host}")
        # Nothing of what was meant for the one host goes to the other, whatever its header is called.
        headers = {name: value for name, value in request.headers.items() if name.lower() in _HARMLESS}
        request = replace(request, headers=headers)
        door = replace(door, authorization="", client_certificate="", client_key="", certificates="", insecure=False)
    method = "GET" if answer.status == 303 else request.method
    return replace(request, url=str(new), method=method), door


def tunnel(proxy: str, host: str, port: int, *, is_trusted: bool = True) -> socket.socket:
    """Return a connection to a server through a proxy, for programs that speak for themselves; raises `OSError`."""
    try:
        way = proxies.parse(proxy)
        call = _Call()
        sock = call._through(way, host, port, tunnel=True, is_trusted=is_trusted)  # noqa: SLF001 - without a request
    except urls.RefusedAddress as refused:
        raise OSError(str(refused)) from None
    sock.settimeout(None)
    return sock


def _plain(sock: socket.socket) -> socket.socket:
    """Return a socket that TLS can be spoken on: TLS within TLS needs a pair of sockets and somebody who carries."""
    if not isinstance(sock, ssl.SSLSocket):
        return sock
    ours, theirs = socket.socketpair()
    ours.settimeout(_SILENCE_SECONDS)
    threading.Thread(target=_carry, args=(sock, theirs), name="tls-in-tls", daemon=True).start()
    return ours


def _carry(outer: ssl.SSLSocket, inner: socket.socket) -> None:
    """Carry bytes both ways in one thread: a TLS connection must not be read and written at the same time."""
    with contextlib.closing(outer), contextlib.closing(inner), contextlib.suppress(OSError, ValueError):
        while True:
            ready = [outer] if outer.pending() else select.select([outer, inner], [], [])[0]
            if outer in ready:
                outer.settimeout(0)
                with contextlib.suppress(ssl.SSLWantReadError):
                    piece = outer.recv(_PIECE)
                    if not piece:
                        return
                    inner.sendall(piece)
            if inner in ready:
                piece = inner.recv(_PIECE)
                if not piece:
                    return
                outer.settimeout(_SILENCE_SECONDS)
                outer.sendall(piece)


def _context(door: Door) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=door.certificates or None)
    if door.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if door.client_certificate:
        with tempfile.TemporaryDirectory(prefix="syncline-") as folder:
            pair = pathlib.Path(folder, "pair.pem")
            pair.touch(mode=0o600)
            pair.write_text(f"{door.client_key.strip()}\n{door.client_certificate.strip()}\n")
            context.load_cert_chain(pair)
    return context


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return "it does not speak TLS"
    if isinstance(error, TimeoutError):
        return "it timed out"
    if isinstance(error, socket.gaierror):
        return "its host name cannot be resolved"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text or type(error).__name__
