"""The one check of addresses that come from outside, and the one place that keeps credentials out of texts.

Asked by whoever fetches something (`syncline.net.downloads`, `syncline.adapters.git`) before a program is started or a
socket opened. An address comes from an Application, which strangers may write: its text is checked by `parse`, and the
machine it leads to by `Reach` after its name was looked up, so that no name leads to where its address would not.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

_USER_INFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'\"]*@")
_PAIRS = re.compile(r"(?i)\b((?:access_|private_|api_)?(?:token|password|passwd|secret|key)=)[^&\s'\"]+")
_TOKENS = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|(?:Bearer|Basic) [\w.~+/=-]{8,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16})"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?")
_MAX_LENGTH = 4096
_PORTS = {"http": 80, "https": 443, "ssh": 22, "oci": 443, "socks5": 1080, "socks5h": 1080}


class RefusedAddress(Exception):
    """An address that is never used; the text says why, without credentials."""


@dataclass(frozen=True, slots=True)
class Url:
    """An address in parts; credentials are kept apart and are not printed."""

    scheme: str
    host: str
    port: int
    path: str = ""
    query: str = ""
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    has_port: bool = False

    def __str__(self) -> str:
        return urlunsplit((self.scheme, self.authority, self.path, self.query, ""))

    @property
    def authority(self) -> str:
        """Host and, where it was written, port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.has_port else host


def check_text(text: str) -> None:
    """Refuse texts that no address may look like, whatever its kind."""
    if not text:
        raise RefusedAddress("it is empty")
    if _CONTROL.search(text) or text != text.strip():
        raise RefusedAddress("surrounding spaces and control characters are not allowed")
    if text.startswith("-"):
        raise RefusedAddress("it must not start with a dash")
    if len(text) > _MAX_LENGTH:
        raise RefusedAddress(f"it is longer than {_MAX_LENGTH} characters")


def parse(text: str, *, schemes: Collection[str]) -> Url:
    """Return the parts of an address; raises `RefusedAddress` for what is not of these schemes or has no plain host."""
    check_text(text)
    if "\\" in text or " " in text:
        raise RefusedAddress("spaces and backslashes are not allowed")  # programs differ about what they mean
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise RefusedAddress("its host or port is invalid") from None
    if parts.scheme not in schemes:
        raise RefusedAddress(f"its scheme is not one of {', '.join(sorted(schemes))}")
    if not host or (parts.username or "").startswith("-") or not _is_host(host):
        raise RefusedAddress("it names no host")
    return Url(
        scheme=parts.scheme,
        host=host,
        port=port or _PORTS.get(parts.scheme, 0),
        path=parts.path,
        query=parts.query,
        username=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        has_port=port is not None,
    )


def join(base: str, text: str) -> str:
    """Return the address a relative one leads to; raises `RefusedAddress` for what is none."""
    try:
        return urljoin(base, text)
    except ValueError:
        raise RefusedAddress("its host or port is invalid") from None


@dataclass(frozen=True, slots=True)
class Reach:
    """Which machines may be asked: never link-local ones (metadata services), loopback only where allowed.

    `places` are names with ports an operator wrote down, in a repository Secret or on a command line: they may be
    anywhere. Another port of the same machine is another server.
    """

    loopback: bool = True
    places: frozenset[tuple[str, int]] = frozenset()

    def besides(self, places: Collection[tuple[str, int]]) -> Reach:
        """Return what may be asked when these places may be asked too."""
        return Reach(self.loopback, self.places | frozenset(places))

    def refusal(self, host: str, port: int, address: str) -> str:
        """Say why a server may not be asked at an address its host was looked up to be at; empty when it may."""
        if (host.lower(), port) in self.places:
            return ""
        try:
            found: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return f"{host} cannot be resolved to an address"
        if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
            found = found.ipv4_mapped
        if found.is_loopback:
            return "" if self.loopback else f"{host} is this machine"
        if found.is_link_local or found.is_multicast or found.is_unspecified or found.is_reserved:
            return f"{host} resolves to {found}, which is not a repository address"
        return ""

    def refusal_by_number(self, host: str, port: int) -> str:
        """Say why a host that is written as a number may not be asked; of a name only a look-up could tell."""
        try:
            number = socket.inet_ntoa(socket.inet_aton(host)) if ":" not in host else host
        except OSError:
            return ""
        return self.refusal(host, port, number)


def scrub(text: str, secrets: Collection[str] = ()) -> str:
    """Return the text without known secrets and without what looks like a credential."""
    for secret in sorted((secret for secret in secrets if len(secret) > 3), key=len, reverse=True):
        text = text.replace(secret, "***")
    text = _USER_INFO.sub(r"\1", text)
    text = _PAIRS.sub(r"\1***", text)
    return _TOKENS.sub("***", text)


def _is_host(host: str) -> bool:
    if ":" in host:
        try:
            ipaddress.IPv6Address(host.partition("%")[0])
        except ValueError:
            return False
        return True
    return _HOST.fullmatch(host) is not None
