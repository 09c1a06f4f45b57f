"""Fetches one thing over HTTP: limits on bytes and seconds, redirects checked, credentials never sent elsewhere.

Called by the adapters that read charts, registries and tokens; what an answer means is theirs to say. Addresses go
through `syncline.urls`, and the machine that a name leads to is checked on the connection itself. A redirect to another
host goes without credentials, one from https to http not at all. Bodies are never decompressed here.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import http.client
import os
import pathlib
import socket
import ssl
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from syncline import urls

_MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_CONNECT_SECONDS = 15.0
_SILENCE_SECONDS = 30.0
_PIECE = 64 * 1024
_WORKERS = 16
T = TypeVar("T")


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
    reach: urls.Reach = field(default_factory=urls.Reach)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to ask for, and what the answer may cost."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    limit: int = 16 * 1024 * 1024
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers in lower case, and the whole body."""

    status: int
    headers: dict[str, str]
    body: bytes
    url: str


def basic(username: str, password: str) -> str:
    """Return the Authorization header of a user and password."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


async def fetch(request: Request, door: Door | None = None) -> Answer:
    """Return the answer, whatever its status; raises `DownloadFailed` where there is none or it is too much."""
    call = _Call()
    work = functools.partial(call.follow, request, door or Door())
    try:
        async with asyncio.timeout(request.seconds):
            return await asyncio.get_running_loop().run_in_executor(_threads(), work)
    except TimeoutError:
        shown = urls.scrub(request.url)
        raise DownloadFailed(f"{shown} gave no whole answer within {request.seconds:g} seconds") from None
    finally:
        call.abandon()


@functools.cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WORKERS, thread_name_prefix="download")


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

    def follow(self, request: Request, door: Door) -> Answer:
        """Ask, and follow redirects."""
        shown = urls.scrub(request.url)
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                answer = self._once(request, door)
            except urls.RefusedAddress as refused:
                raise DownloadFailed(f"{shown} is not asked: {refused}") from None
            except (OSError, http.client.HTTPException) as error:
                raise DownloadFailed(f"{shown} gave no answer: {_reason(error)}") from None
            if answer.status not in _REDIRECTS or "location" not in answer.headers:
                return answer
            request, door = _redirected(request, door, answer)
        raise DownloadFailed(f"{shown} redirects more than {_MAX_REDIRECTS} times")

    def _once(self, request: Request, door: Door) -> Answer:
        url = urls.parse(request.url, schemes=("http", "https"))
        connection = self._connection(url, door)
        headers = {"Accept-Encoding": "identity", "User-Agent": "syncline", **request.headers}
        if door.authorization:
            headers["Authorization"] = door.authorization
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        if url.scheme == "http" and _proxy(url, door):
            path = f"http://{url.authority}{path}"
        with contextlib.closing(connection):
            connection.request(request.method, path, body=request.body or None, headers=headers)
            with contextlib.closing(connection.getresponse()) as response:
                found = {name.lower(): value for name, value in response.getheaders()}
                body = b"" if response.status in _REDIRECTS else _read(response, request)
                return Answer(response.status, found, body, str(url))

    def _connection(self, url: urls.Url, door: Door) -> http.client.HTTPConnection:
        proxy = _proxy(url, door)
        first = proxy or url
        sock = self._connect(first, door.reach if proxy is None else urls.Reach(hosts=frozenset({first.host.lower()})))
        try:
            if proxy is not None and proxy.scheme == "https":
                sock = self._socket = _context(Door()).wrap_socket(sock, server_hostname=proxy.host)
            if proxy is not None and url.scheme == "https":
                _tunnel(sock, url, proxy)
            if url.scheme == "https":
                sock = self._socket = _context(door).wrap_socket(sock, server_hostname=url.host)
        except BaseException:
            sock.close()
            raise
        connection = http.client.HTTPConnection(url.host, url.port, timeout=_SILENCE_SECONDS)
        connection.sock = sock
        return connection

    def _connect(self, url: urls.Url, reach: urls.Reach) -> socket.socket:
        """Connect to an address that was checked: what a second look-up of the name would give does not matter."""
        failure: OSError = OSError("its name has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM):
            if refusal := reach.refusal(url.host, str(address[0])):
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


def _read(response: http.client.HTTPResponse, request: Request) -> bytes:
    shown = urls.scrub(request.url)
    parts: list[bytes] = []
    left = request.limit
    while piece := response.read1(_PIECE):
        left -= len(piece)
        if left < 0:
            raise DownloadFailed(f"{shown} is larger than {request.limit} bytes")
        parts.append(piece)
    if response.length:
        raise DownloadFailed(f"{shown} ended before its end")
    return b"".join(parts)


def _redirected(request: Request, door: Door, answer: Answer) -> tuple[Request, Door]:
    shown = urls.scrub(request.url)
    try:
        location = urls.join(answer.url, answer.headers["location"])
        old, new = (urls.parse(text, schemes=("http", "https")) for text in (answer.url, location))
    except urls.RefusedAddress as refused:
        raise DownloadFailed(f"{shown} redirects to an address that is refused: {refused}") from None
    if old.scheme == "https" and new.scheme == "http":
        raise DownloadFailed(f"{shown} redirects from https to http")
    if (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port):
        headers = {name: value for name, value in request.headers.items() if name.lower() != "authorization"}
        request = replace(request, headers=headers)
        door = replace(door, authorization="", client_certificate="", client_key="", certificates="", insecure=False)
    method = "GET" if answer.status == 303 else request.method
    return replace(request, url=str(new), method=method), door


def _proxy(url: urls.Url, door: Door) -> urls.Url | None:
    """Return the proxy for a server: the repository's own, else the environment's."""
    if door.proxy:
        return None if _exempt(url.host, door.no_proxy) else _checked_proxy(door.proxy)
    own = url.scheme + "_proxy"
    text = os.environ.get(own) or os.environ.get(own.upper()) or ""
    exempt = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    return _checked_proxy(text) if text and not _exempt(url.host, exempt) else None


def _checked_proxy(text: str) -> urls.Url:
    try:
        return urls.parse(text if "://" in text else f"http://{text}", schemes=("http", "https"))
    except urls.RefusedAddress as refused:
        raise urls.RefusedAddress(f"the proxy is refused: {refused}") from None


def _exempt(host: str, names: str) -> bool:
    wanted = [name.strip().lower() for name in names.split(",")]
    bare = [name.lstrip("*").lstrip(".") for name in wanted if name]
    return "*" in wanted or any(host.lower() == name or host.lower().endswith(f".{name}") for name in bare)


def _tunnel(sock: socket.socket, url: urls.Url, proxy: urls.Url) -> None:
    host = f"[{url.host}]" if ":" in url.host else url.host
    lines = [f"CONNECT {host}:{url.port} HTTP/1.1", f"Host: {host}:{url.port}"]
    if proxy.username is not None:
        lines.append(f"Proxy-Authorization: {basic(proxy.username, proxy.password or '')}")
    sock.sendall("\r\n".join([*lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _PIECE:
        piece = sock.recv(1)
        if not piece:
            break
        head += piece
    if head.split(b" ", 2)[1:2] != [b"200"]:
        raise OSError("the proxy does not let us through")


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
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, socket.gaierror):
        return "its name is not known"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text or type(error).__name__
