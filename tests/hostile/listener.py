"""A server on loopback that writes down every request it gets, headers and body, and answers what it is told to.

No rule permits its address, so a request that arrives is a finding: `Listener.requests` is read by the oracle.
"""

from __future__ import annotations

import contextlib
import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Handler = http.server.BaseHTTPRequestHandler


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it arrived."""

    line: str
    headers: str
    body: str

    def __str__(self) -> str:
        return f"{self.line}\n{self.headers}\n{self.body}"


@dataclass(slots=True)
class Listener:
    """The requests so far; `answers` has a function per path for attacks that need an answer."""

    port: int
    requests: list[Heard] = field(default_factory=list)
    answers: dict[str, Callable[[Handler], None]] = field(default_factory=dict)
    default: Callable[[Handler], None] | None = None

    def url(self, path: str = "", host: str = "127.0.0.1", scheme: str = "http") -> str:
        """Return an address at this server, by whichever name of this machine."""
        return f"{scheme}://{host}:{self.port}/{path}"

    def heard(self, word: str) -> list[str]:
        """Return the requests that contain a word: each attack uses a path of its own."""
        return [str(request) for request in self.requests if word in str(request)]


def answer(handler: Handler, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
    """Answer one request."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    with contextlib.suppress(OSError):
        handler.wfile.write(body)


class _Server6(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


@contextlib.contextmanager
def listening(address: str = "127.0.0.1", port: int = 0) -> Iterator[Listener]:
    """Listen until the block ends."""
    kind = _Server6 if ":" in address else http.server.ThreadingHTTPServer
    server = kind((address, port), http.server.BaseHTTPRequestHandler)
    listener = Listener(server.server_address[1])

    class Recorder(http.server.BaseHTTPRequestHandler):
        timeout = 20

        def handle_one_request(self) -> None:
            with contextlib.suppress(OSError):
                super().handle_one_request()

        def log_message(self, *_arguments: object) -> None:
            pass

        def answer_any(self) -> None:
            length = self.headers.get("Content-Length") or "0"
            body = self.rfile.read(int(length)) if length.isdecimal() else b""
            listener.requests.append(Heard(self.requestline, str(self.headers), body.decode(errors="replace")))
            path = self.path.partition("?")[0]
            chosen = listener.answers.get(path) or listener.default
            if chosen is None:
                answer(self, 404, b"{}")
            else:
                chosen(self)

    for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "PROPFIND"):
        setattr(Recorder, f"do_{method}", Recorder.answer_any)
    server.RequestHandlerClass = Recorder
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
