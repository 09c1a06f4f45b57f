"""Finds the way through proxies: which one leads to a server, and how it is asked to let us through.

Used by `syncline.net.downloads`, which opens the sockets, and by `syncline.adapters.git.login`, which tells git. A
proxy comes from a repository's Secret or from the environment, never from an Application. The names of servers are
looked up by the proxy, also with `socks5`: what it can reach, this machine may not even know by name.
"""

from __future__ import annotations

import base64
import ipaddress
import os
from typing import Protocol

from syncline.net import urls

SCHEMES = ("http", "https", "socks5", "socks5h")
_MAX_HEAD = 64 * 1024
_SOCKS_FAILURES = {
    1: "the proxy failed",
    2: "the proxy denied the connection",
    3: "the proxy cannot reach the server's network",
    4: "the proxy cannot reach the server",
    5: "the server refuses connections from the proxy",
}


class Wire(Protocol):
    """A connection that was opened elsewhere."""

    def sendall(self, data: bytes, /) -> None:
        """Send all of it."""
        ...

    def recv(self, size: int, /) -> bytes:
        """Return what came, at most so much; nothing at the end."""
        ...

    def shutdown(self, how: int, /) -> None:
        """Say that nothing follows."""
        ...


def parse(text: str) -> urls.Url:
    """Return the address of a proxy; raises `urls.RefusedAddress` for what is none."""
    return urls.parse(text if "://" in text else f"http://{text}", schemes=SCHEMES)


def chosen(url: urls.Url, own: str = "", without: str = "") -> urls.Url | None:
    """Return the proxy for a server: the repository's own, else the environment's; None where there is none."""
    if not own:
        name = f"{url.scheme}_proxy"
        own = os.environ.get(name) or os.environ.get(name.upper()) or ""
        without = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    if not own or exempt(url, without):
        return None
    try:
        return parse(own)
    except urls.RefusedAddress as refused:
        raise urls.RefusedAddress(f"the proxy is refused: {refused}") from None


def exempt(url: urls.Url, names: str) -> bool:
    """Whether a list of names, addresses and networks says that a server is reached without a proxy.

    `example.com` is for itself and every name below it, `.example.com` and `*.example.com` for those below it alone.
    """
    return any(_covers(entry.strip().lower(), url) for entry in names.split(",") if entry.strip())


def _covers(entry: str, url: urls.Url) -> bool:
    host = url.host.lower().rstrip(".")
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, port = entry.rpartition(":")
    if colon and port.isdecimal() and (":" not in name or name.startswith("[")):
        if int(port) != url.port:
            return False
        entry = name.strip("[]")
    below = entry.removeprefix("*")
    return host.endswith(below) if below.startswith(".") else host == entry or host.endswith(f".{entry}")


def login(proxy: urls.Url) -> dict[str, str]:
    """Return the header that says to a proxy who we are."""
    if proxy.username is None:
        return {}
    pair = f"{proxy.username}:{proxy.password or ''}".encode()
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode()}


def is_socks(proxy: urls.Url) -> bool:
    """Whether a proxy passes bytes on without reading them, also those of plain http."""
    return proxy.scheme.startswith("socks")


def pass_through(sock: Wire, proxy: urls.Url, host: str, port: int) -> None:
    """Ask the proxy at the other end of a socket for a connection to a server; raises `OSError` when it refuses."""
    if is_socks(proxy):
        _socks(sock, proxy, host, port)
    else:
        _connect(sock, proxy, host, port)


def _connect(sock: Wire, proxy: urls.Url, host: str, port: int) -> None:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    lines += [f"{name}: {value}" for name, value in login(proxy).items()]
    sock.sendall("\r\n".join([*lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MAX_HEAD:
        piece = sock.recv(1)  # one by one: what follows the answer is the server's
        if not piece:
            break
        head += piece
    status = head.split(b" ", 2)[1:2]
    if status == [b"407"]:
        raise OSError("the proxy requires other credentials")
    if status != [b"200"]:
        raise OSError("the proxy denied the connection")


def _socks(sock: Wire, proxy: urls.Url, host: str, port: int) -> None:
    """Speak SOCKS 5 (RFC 1928), with user and password (RFC 1929) where the proxy's address has them."""
    methods = b"\x00\x02" if proxy.username is not None else b"\x00"
    sock.sendall(b"\x05" + bytes([len(methods)]) + methods)
    version, method = _exactly(sock, 2)
    if version != 5:
        raise OSError("the proxy does not speak SOCKS 5")
    if method == 2 and proxy.username is not None:
        user, password = proxy.username.encode()[:255], (proxy.password or "").encode()[:255]
        sock.sendall(b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password)
        if _exactly(sock, 2)[1] != 0:
            raise OSError("the proxy rejected the credentials")
    elif method != 0:
        raise OSError("the proxy requires credentials")
    sock.sendall(b"\x05\x01\x00" + _socks_address(host) + port.to_bytes(2, "big"))
    _, outcome, _, kind = _exactly(sock, 4)
    if outcome != 0:
        raise OSError(_SOCKS_FAILURES.get(outcome, f"the proxy answered {outcome}"))
    length = {1: 4, 4: 16}.get(kind) or _exactly(sock, 1)[0]
    _exactly(sock, length + 2)


def _socks_address(host: str) -> bytes:
    try:
        packed = ipaddress.ip_address(host).packed
    except ValueError:
        name = host.encode()[:255]
        return b"\x03" + bytes([len(name)]) + name
    return (b"\x01" if len(packed) == 4 else b"\x04") + packed


def _exactly(sock: Wire, count: int) -> bytes:
    found = b""
    while len(found) < count:
        piece = sock.recv(count - len(found))
        if not piece:
            raise OSError("the proxy closed the connection")
        found += piece
    return found
