"""A SOCKS 5 proxy on loopback that writes down where it was asked to go.

`with serve() as proxy: proxy.port`. With `password` it wants user and password. Names are looked up as the machine
does, except those in `names`, which only the proxy knows.
"""

import contextlib
import selectors
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator, Mapping


class Proxy:
    """A running proxy."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[str] = []


def carry(client: socket.socket, server: socket.socket) -> None:
    """Carry bytes both ways until one side has ended."""
    with selectors.DefaultSelector() as waiting:
        others = {client: server, server: client}
        for one in others:
            waiting.register(one, selectors.EVENT_READ)
        while True:
            pending = isinstance(client, ssl.SSLSocket) and client.pending()
            ready = [one for one in others if one in {key.fileobj for key, _ in ([] if pending else waiting.select())}]
            for source in [client] if pending else ready:
                piece = b""
                with contextlib.suppress(OSError):
                    piece = source.recv(65536)
                    others[source].sendall(piece)
                if not piece:
                    return


@contextlib.contextmanager
def serve(*, password: str = "", names: Mapping[str, str] | None = None) -> Iterator[Proxy]:
    """Run a proxy; `password` is `user:password`."""
    known = dict(names or {})

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            count = self.rfile.read(2)[1]
            methods = self.rfile.read(count)
            wanted = 2 if password else 0
            if wanted not in methods:
                self.wfile.write(b"\x05\xff")
                return
            self.wfile.write(bytes([5, wanted]))
            if password and not self._admitted():
                return
            kind = self.rfile.read(4)[3]
            host = self._host(kind)
            port = int.from_bytes(self.rfile.read(2), "big")
            proxy.asked.append(f"{host}:{port}")
            try:
                server = socket.create_connection((known.get(host, host), port))
            except OSError:
                self.wfile.write(b"\x05\x04\x00\x01" + bytes(6))
                return
            with server:
                self.wfile.write(b"\x05\x00\x00\x01" + bytes(6))
                carry(self.connection, server)

        def _admitted(self) -> bool:
            user = self.rfile.read(self.rfile.read(2)[1])
            given = user + b":" + self.rfile.read(self.rfile.read(1)[0])
            self.wfile.write(b"\x01\x00" if given == password.encode() else b"\x01\x01")
            return given == password.encode()

        def _host(self, kind: int) -> str:
            if kind == 1:
                return socket.inet_ntoa(self.rfile.read(4))
            if kind == 4:
                return socket.inet_ntop(socket.AF_INET6, self.rfile.read(16))
            return self.rfile.read(self.rfile.read(1)[0]).decode()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads = True
        proxy = Proxy(listener.server_address[1])
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            listener.shutdown()
            thread.join()
