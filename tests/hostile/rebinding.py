"""A resolver on loopback whose answers change from one question to the next, for attacks by DNS rebinding.

`tests.hostile.conftest` points /etc/resolv.conf of the suite's own mount namespace at it before anything starts, so
the processes ask it as they would ask any resolver: no code is replaced.
"""

from __future__ import annotations

import contextlib
import ipaddress
import pathlib
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Resolver:
    """Answers A questions; a name with several addresses gets the next one each time, the last for ever."""

    names: dict[str, list[str]] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)

    def answer(self, question: bytes) -> bytes:
        """Return the answer to one message."""
        name, end = _name(question)
        kind = struct.unpack_from(">H", question, end)[0]
        self.questions.append(name)
        addresses = self.names.get(name, [])
        found = addresses.pop(0) if len(addresses) > 1 else (addresses or [""])[0]
        chosen = found if kind == 1 else ""
        flags = 0x8180 if name in self.names else 0x8183
        header = question[:2] + struct.pack(">HHHHH", flags, 1, 1 if chosen else 0, 0, 0)
        asked = question[12 : end + 4]
        if kind != 1 and len(self.names.get(name, [])) >= 1 and found:
            # A question for an IPv6 address does not count.
            self.names[name].insert(0, found)
        if not chosen:
            return header + asked
        return header + asked + b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + ipaddress.ip_address(chosen).packed


def _name(question: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while length := question[at]:
        labels.append(question[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels).lower(), at + 1


@contextlib.contextmanager
def resolving() -> Iterator[Resolver]:
    """Answer on the port of DNS, and be the resolver of this process's mount namespace."""
    resolver = Resolver()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, tempfile.TemporaryDirectory() as folder:
        sock.bind(("127.0.0.1", 53))
        config = pathlib.Path(folder, "resolv.conf")
        config.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        # Private first, so that nothing of this reaches the machine's own mounts.
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "--bind", str(config), "/etc/resolv.conf"], check=True)

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    question, asker = sock.recvfrom(4096)
                    with contextlib.suppress(IndexError, struct.error, ValueError):
                        sock.sendto(resolver.answer(question), asker)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield resolver
        finally:
            subprocess.run(["umount", "/etc/resolv.conf"], check=False)
