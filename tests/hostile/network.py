"""Puts the whole suite into a network of its own: nothing but loopback, whatever an attack manages to start.

Called by `tests.hostile.conftest` before anything listens. The API server, both processes, and every hostile server
live in it, so an attack that succeeds reaches a listener of the test and never a real machine. Addresses of metadata
services are given to the loopback device, so that a request to one is heard instead of lost.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import time

_NEWUSER, _NEWNET, _NEWNS = 0x10000000, 0x40000000, 0x00020000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _SIOCSIFADDR, _SIOCSIFNETMASK, _UP = 0x8913, 0x8914, 0x8916, 0x891C, 1
_libc = ctypes.CDLL(None, use_errno=True)
PUBLIC = "203.0.113.7"
"""An address as the internet has them, for servers of the attacker that are not on this machine."""
METADATA = ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")


class NoNetworkOfItsOwn(Exception):
    """This machine permits no network namespace; the sentence says what to do."""


def leave() -> None:
    """Move this process, and all it starts from now on, into a network with nothing but loopback."""
    user, group = os.getuid(), os.getgid()
    flags = _NEWNET | _NEWNS if user == 0 else _NEWUSER | _NEWNET | _NEWNS
    if _libc.unshare(flags) != 0:
        problem = os.strerror(ctypes.get_errno())
        raise NoNetworkOfItsOwn(
            f"the hostile tests need a network of their own, and this machine permits none ({problem}):"
            " run them as root, or allow user namespaces"
        )
    if flags & _NEWUSER:
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _raise_loopback()
    assert is_alone(), "the network still has a way out"


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        asked = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(sock, _SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def is_alone() -> bool:
    """Tell whether loopback is the only device: then no packet can leave."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def own_addresses(*addresses: str) -> None:
    """Give addresses to the loopback device, by the calls that also work where no program for that is installed."""
    for number, address in enumerate(addresses):
        if ":" in address:
            packed = socket.inet_pton(socket.AF_INET6, address)
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
                fcntl.ioctl(sock, _SIOCSIFADDR, packed + struct.pack("Ii", 128, socket.if_nametoindex("lo")))
        else:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                for call, value in ((_SIOCSIFADDR, address), (_SIOCSIFNETMASK, "255.255.255.255")):
                    where = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(value))
                    fcntl.ioctl(sock, call, struct.pack("16s", f"lo:{number}".encode()) + where)
    for address in addresses:
        _await(address)


def _await(address: str, seconds: float = 10.0) -> None:
    """Wait until an address can be listened on: the kernel takes one of IPv6 into use a moment later."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as sock:
                sock.bind((address, 0))
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
