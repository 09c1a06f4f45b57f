"""A program of its own: carries an ssh connection through a proxy, between standard input and output.

Started by ssh as its ProxyCommand, which `syncline.adapters.git.login` writes. Proxy, host and port are lines of a file
that only we can read: the proxy's address may hold a password, and arguments can be listed by everybody.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import socket
import sys
import threading

from syncline.net import downloads, proxies

TRUSTED = "trusted"
"""Said of a proxy that the operator named, and that may be anywhere."""
_PIECE = 64 * 1024


def main(path: str) -> int:
    """Carry bytes until one side has ended; what goes wrong is said in one line."""
    proxy, host, port, trust = pathlib.Path(path).read_text().splitlines()
    try:
        sock = downloads.tunnel(proxy, host, int(port), is_trusted=trust == TRUSTED)
    except OSError as error:
        sys.stderr.write(f"fatal: {host} cannot be reached through its proxy: {error.strerror or error}\n")
        return 1
    threading.Thread(target=_send, args=(sock,), daemon=True).start()
    with contextlib.suppress(OSError):
        while piece := sock.recv(_PIECE):
            _write(piece)
    return 0


def _send(sock: proxies.Wire) -> None:
    with contextlib.suppress(OSError):
        while piece := os.read(0, _PIECE):
            sock.sendall(piece)
        sock.shutdown(socket.SHUT_WR)


def _write(piece: bytes) -> None:
    left = memoryview(piece)
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
