"""Runs Dex on the loopback address, with a connector that knows one person: Kilgore Trout, of the group `authors`."""

from __future__ import annotations

import contextlib
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from tests.support.certificates import Authority

SECRET = "dex-knows-this-secret"
PERSON, EMAIL, GROUP = "0-385-28089-0", "kilgore@kilgore.trout", "authors"


@dataclass(frozen=True, slots=True)
class Dex:
    """A provider that runs."""

    issuer: str


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def running(
    program: pathlib.Path, folder: pathlib.Path, callback: str, authority: Authority | None = None
) -> Iterator[Dex]:
    """Run Dex for a server with this callback; with an authority over TLS."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    scheme = "https" if authority else "http"
    issuer = f"{scheme}://127.0.0.1:{port}/dex"
    web: dict[str, str] = {scheme: f"127.0.0.1:{port}"}
    if authority is not None:
        certificate, key = authority.server("127.0.0.1")
        (folder / "tls.crt").write_text(certificate)
        (folder / "tls.key").write_text(key)
        web |= {"tlsCert": str(folder / "tls.crt"), "tlsKey": str(folder / "tls.key")}
    config = {
        "issuer": issuer,
        "storage": {"type": "memory"},
        "web": web,
        "oauth2": {"skipApprovalScreen": True},
        "connectors": [{"type": "mockCallback", "id": "mock", "name": "Mock"}],
        "staticClients": [
            {"id": "syncline", "name": "Syncline", "secret": SECRET, "redirectURIs": [callback]},
            {"id": "syncline-cli", "name": "Syncline CLI", "public": True},
        ],
    }
    (folder / "dex.yaml").write_text(yaml.safe_dump(config))
    with (folder / "dex.log").open("wb") as log:
        process = subprocess.Popen([str(program), "serve", str(folder / "dex.yaml")], stdout=log, stderr=log)
        try:
            _until_listening(port, process, folder / "dex.log")
            yield Dex(issuer)
        finally:
            process.terminate()
            process.wait(20)


def _until_listening(port: int, process: subprocess.Popen[bytes], log: pathlib.Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"Dex ended: {log.read_text()}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"Dex does not listen: {log.read_text()}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: object, **_options: object) -> None:
        """Follow nothing: the test does."""


@dataclass(frozen=True, slots=True)
class Page:
    """An answer as a browser gets it."""

    status: int
    location: str
    cookies: dict[str, str]
    body: bytes


def visit(url: str, cookies: dict[str, str] | None = None) -> Page:
    """Ask for one page, and follow no redirect."""
    sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())} if cookies else {}
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(urllib.request.Request(url, headers=sent), timeout=60) as answer:
            return _page(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return _page(error.code, error.headers, error.read())


def _page(status: int, headers: object, body: bytes) -> Page:
    told = [] if headers is None else headers.get_all("Set-Cookie") or []  # type: ignore[attr-defined]
    pairs = (one.partition(";")[0].partition("=") for one in told)
    location = "" if headers is None else headers.get("Location") or ""  # type: ignore[attr-defined]
    return Page(status, location, {name: value for name, _, value in pairs}, body)


def followed(url: str, until: str) -> str:
    """Follow the provider's redirects, and return the first address that begins as given."""
    for _ in range(10):
        page = visit(url)
        url = urllib.parse.urljoin(url, page.location)
        if url.startswith(until):
            return url
    raise AssertionError(f"the provider does not lead to {until}")
