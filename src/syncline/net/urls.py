"""The one check of addresses that come from outside, and the one place that keeps credentials out of texts.

Asked by whoever fetches something (`syncline.net.downloads`, `syncline.adapters.git`) before a program is started or a
socket opened. An address comes from an Application, which strangers may write: its text is checked by `parse`, and the
machine it leads to by `Reach` after its name was looked up, so that no name leads to where its address would not.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
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
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        (
            "169.254.169.254",  # most clouds
            "169.254.170.2",  # AWS: the role of a container
            "169.254.170.23",  # AWS: the identity of a pod
            "fd00:ec2::254",  # AWS
            "fd00:ec2::23",  # AWS: the identity of a pod
            "fd20:ce::254",  # Google
            "fd00:42::42",  # Scaleway
            "100.100.100.200",  # Alibaba
            "168.63.129.16",  # Azure
            "192.0.0.192",  # Oracle
        ),
    )
)
_METADATA_NAMES = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
_LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
_THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
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
    """Which machines may be asked: neither this one nor link-local ones, and no metadata service of a cloud.

    `places` are hosts with ports that the operator wrote down, in a repository Secret or on a command line: they may be
    anywhere but at a metadata service, unless the address of that is what was written. `own` are those of a project's
    Secret: only what is written as an address of this machine is opened by them. Another port is another server.
    """

    loopback: bool = False
    places: frozenset[tuple[str, int]] = frozenset()
    own: frozenset[tuple[str, int]] = frozenset()

    def besides(self, places: Collection[tuple[str, int]]) -> Reach:
        """Return what may be asked when the operator permits these places too."""
        return replace(self, places=self.places | frozenset(places))

    def besides_own(self, places: Collection[tuple[str, int]]) -> Reach:
        """Return what may be asked when a project permits these places too."""
        return replace(self, own=self.own | frozenset(places))

    def refusal(self, host: str, port: int, address: str) -> str:
        """Say why a server may not be asked at an address its host was looked up to be at; empty when it may."""
        kind = address_kind(address)
        place = (host.lower(), port)
        if kind is AddressKind.ORDINARY:
            return ""
        if place in self.places and (kind is not AddressKind.METADATA or _is_number(host)):
            return ""
        if kind is AddressKind.UNREADABLE:
            return f"{host} cannot be resolved to an address"
        if kind is AddressKind.LOOPBACK:
            is_opened = self.loopback or (place in self.own and written_kind(host) is AddressKind.LOOPBACK)
            return "" if is_opened else f"{host} is this machine"
        return f"{host} resolves to {_shown(address)}, which is not a repository address"

    def refusal_unresolved(self, host: str, port: int) -> str:
        """Say why a host may not be asked for through a proxy, which looks names up: by its number, or a known name."""
        kind = written_kind(host)
        if kind is AddressKind.METADATA and not _is_number(host):
            return f"{host} is a metadata service, which is not a repository address"
        if kind is AddressKind.LOOPBACK:
            return self.refusal(host, port, _number(host) or "127.0.0.1")
        number = _number(host)
        return self.refusal(host, port, number) if number else ""


class AddressKind(Enum):
    """What sort of machine an address leads to."""

    ORDINARY = "ordinary"
    LOOPBACK = "loopback"
    METADATA = "metadata"
    UNUSABLE = "unusable"
    UNREADABLE = "unreadable"


def address_kind(text: str) -> AddressKind:
    """Return what an address leads to; one that carries an IPv4 address is judged by that."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return AddressKind.UNREADABLE
    kinds = {_kind_of(one) for one in (*_embedded(address), address)}
    for kind in (AddressKind.METADATA, AddressKind.LOOPBACK, AddressKind.UNUSABLE):
        if kind in kinds:
            return kind
    return AddressKind.ORDINARY


def written_kind(host: str) -> AddressKind:
    """Return what a host leads to as far as its text says: a number in any form, or a name that is always the same."""
    if number := _number(host):
        return address_kind(number)
    name = host.lower().rstrip(".")
    if name in _LOOPBACK_NAMES or name.endswith(".localhost"):
        return AddressKind.LOOPBACK
    return AddressKind.METADATA if name in _METADATA_NAMES else AddressKind.ORDINARY


def _kind_of(address: _Address) -> AddressKind:
    if address in _METADATA:
        return AddressKind.METADATA
    if address.is_loopback:
        return AddressKind.LOOPBACK
    if isinstance(address, ipaddress.IPv4Address):
        is_none = address in _THIS_NETWORK or address.is_reserved
    else:
        # These prefixes count as reserved; what they carry decides, as networks without IPv4 reach everything by NAT64.
        is_none = address.is_reserved and not any(address in prefix for prefix in (_MAPPED, *_NAT64))
    if is_none or address.is_link_local or address.is_multicast or address.is_unspecified:
        return AddressKind.UNUSABLE
    return AddressKind.ORDINARY


def _embedded(address: _Address) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address carries: mapped, compatible, NAT64, 6to4, Teredo, ISATAP."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if number >> 32 in (0, 0xFFFF) and number > 1:
        yield last
    if any(address in prefix for prefix in _NAT64) or (number >> 32) & 0xFDFFFFFF == 0x5EFE:
        yield last
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def _number(host: str) -> str:
    """Return the address that a host is written as, in whatever form system calls take; empty for a name."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host)) if ":" not in host else host
    except OSError:
        return ""


def _is_number(host: str) -> bool:
    return bool(_number(host))


def _shown(address: str) -> str:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


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
