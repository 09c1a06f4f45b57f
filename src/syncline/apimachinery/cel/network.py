"""Addresses, networks and URLs in expressions, read as Go reads them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import ClassVar, Final

from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.regexes import quoted
from syncline.apimachinery.cel.values import Fault, Opaque

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Ip(Opaque):
    """An address."""

    type_name: ClassVar[str] = "net.IP"
    address: Address


@dataclass(frozen=True, slots=True)
class Cidr(Opaque):
    """A network, with the address as it was written."""

    type_name: ClassVar[str] = "net.CIDR"
    address: Address
    bits: int

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The network that it names."""
        return ipaddress.ip_network((self.address, self.bits), strict=False)


def _address(text: str) -> Address:
    if "%" in text:
        raise ValueError(f"IP address {quoted(text)} with zone value is not allowed")
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise ValueError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return address


def _ip(text: str) -> Ip:
    try:
        return Ip(_address(text))
    except ValueError as error:
        told = str(error) if "not allowed" in str(error) else f"ParseAddr({quoted(text)}): unable to parse IP"
        raise Fault(f"IP Address {quoted(text)} parse error during conversion from string: {told}") from None


def _network(text: str) -> Cidr:
    address, slash, bits = text.rpartition("/")
    if not slash or not re.fullmatch(r"0|[1-9]\d{0,2}", bits, re.ASCII):
        raise ValueError("no '/'" if not slash else "bad bits after slash: " + quoted(bits))
    found = _address(address)
    if int(bits) > found.max_prefixlen:
        raise ValueError("prefix length out of range")
    return Cidr(found, int(bits))


def _cidr(text: str) -> Cidr:
    try:
        return _network(text)
    except ValueError as error:
        told = "network address parse error during conversion from string: " * 2  # it says so twice
        raise Fault(f"{told}netip.ParsePrefix({quoted(text)}): {error}") from None


def _is_ip(text: str) -> bool:
    try:
        _address(text)
    except ValueError:
        return False
    return True


def _is_cidr(text: str) -> bool:
    try:
        _network(text)
    except ValueError:
        return False
    return True


def _is_canonical(text: str) -> bool:
    return str(_ip(text).address) == text


def _link_local_multicast(address: Address) -> bool:
    within = "224.0.0.0/24" if address.version == 4 else "ff02::/16"
    return address in ipaddress.ip_network(within)


def _global_unicast(address: Address) -> bool:
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or str(address) == "255.255.255.255"
    )


def _holds(outer: Cidr, inner: Cidr) -> bool:
    return inner.bits >= outer.bits and inner.address in outer.network


def _holds_address(outer: Cidr, address: Address) -> bool:
    return address in outer.network


_add("isIP", "(string) bool", does=_is_ip)
_add("ip", "(string) net.IP", does=_ip)
_add("ip.isCanonical", "(string) bool", does=_is_canonical)
_add("string", "(net.IP) string", does=lambda a: str(a.address))
_add("family", "net.IP.() int", does=lambda a: a.address.version)
_add("isUnspecified", "net.IP.() bool", does=lambda a: a.address.is_unspecified)
_add("isLoopback", "net.IP.() bool", does=lambda a: a.address.is_loopback)
_add("isLinkLocalMulticast", "net.IP.() bool", does=lambda a: _link_local_multicast(a.address))
_add("isLinkLocalUnicast", "net.IP.() bool", does=lambda a: a.address.is_link_local)
_add("isGlobalUnicast", "net.IP.() bool", does=lambda a: _global_unicast(a.address))
_add("isCIDR", "(string) bool", does=_is_cidr)
_add("cidr", "(string) net.CIDR", does=_cidr)
_add("string", "(net.CIDR) string", does=lambda a: f"{a.address}/{a.bits}")
_add("ip", "net.CIDR.() net.IP", does=lambda a: Ip(a.address))
_add("masked", "net.CIDR.() net.CIDR", does=lambda a: Cidr(a.network.network_address, a.bits))
_add("prefixLength", "net.CIDR.() int", does=lambda a: a.bits)
_add("containsIP", "net.CIDR.(net.IP) bool", does=lambda a, b: _holds_address(a, b.address))
_add("containsIP", "net.CIDR.(string) bool", does=lambda a, b: _holds_address(a, _ip(b).address))
_add("containsCIDR", "net.CIDR.(net.CIDR) bool", does=_holds)
_add("containsCIDR", "net.CIDR.(string) bool", does=lambda a, b: _holds(a, _cidr(b)))
