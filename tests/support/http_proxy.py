"""A forwarding HTTP proxy on loopback, also for tunnels (CONNECT), that writes down what it was asked for."""

import base64
import contextlib
import http.client
import http.server
import socket
import ssl
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.support.socks_proxy import carry


class Proxy:
    """A running proxy."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[str] = []


@contextlib.contextmanager
def serve(*, password: str = "", tls: ssl.SSLContext | None = None) -> Iterator[Proxy]:
    """Run a proxy; `password` is `user:password`, `tls` makes it one that is spoken to over TLS itself."""
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    proxy = Proxy(listener.server_address[1])
    login = "Basic " + base64.b64encode(password.encode()).decode() if password else ""
    listener.RequestHandlerClass = _handler(proxy, login)
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


def _handler(proxy: Proxy, login: str) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._forward()

        def do_POST(self) -> None:
            self._forward()

        def log_message(self, *_arguments: object) -> None:
            pass

        def do_CONNECT(self) -> None:
            if self._refused():
                return
            proxy.asked.append(f"CONNECT {self.path}")
            host, _, port = self.path.rpartition(":")
            with socket.create_connection((host.strip("[]"), int(port))) as server:
                self.send_response(200)
                self.end_headers()
                carry(self.connection, server)
            self.close_connection = True

        def _refused(self) -> bool:
            if not login or self.headers.get("Proxy-Authorization") == login:
                return False
            self.send_response(407)
            self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
            self.send_header("Connection", "close")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return True

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self._refused():
                return
            proxy.asked.append(self.path)
            parts = urlsplit(self.path)
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80)
            with contextlib.closing(connection):
                path = parts.path + (f"?{parts.query}" if parts.query else "")
                connection.request(self.command, path, body, dict(self.headers))
                answer = connection.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler
