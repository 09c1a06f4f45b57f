"""Receivers of notifications on loopback: a web server that keeps requests, and a mail server that keeps mails."""

from __future__ import annotations

import base64
import contextlib
import http.server
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass
class WebReceiver:
    """What came, and what is answered."""

    requests: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)
    """Method, path, headers in lower case and body."""
    answers: list[tuple[int, str]] = field(default_factory=list)
    """Status and body of the next answers; then 200 and nothing."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent along with every answer."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def web_receiver() -> Iterator[WebReceiver]:
    receiver = WebReceiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.requests.append((self.command, self.path, headers, body))
            status, text = receiver.answers.pop(0) if receiver.answers else (200, "")
            self.send_response(status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def __getattr__(self, name: str) -> Callable[[], None]:
            if name.startswith("do_"):
                return self._take
            raise AttributeError(name)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

    with _serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        receiver.port = port
        yield receiver


@dataclass
class MailReceiver:
    """The mails that came, and how the server behaves."""

    mails: list[tuple[str, list[str], str]] = field(default_factory=list)
    """Sender, recipients and text."""
    logins: list[tuple[str, str, bool]] = field(default_factory=list)
    """User, password, and whether TLS was spoken."""
    context: ssl.SSLContext | None = None
    """With one, STARTTLS is offered."""
    refuses: str = ""
    """The answer to every recipient, where it is not taken."""
    port: int = 0


class _MailHandler(socketserver.StreamRequestHandler):
    """Speaks as much SMTP as a client needs."""

    receiver: MailReceiver

    def handle(self) -> None:
        self.sender, self.encrypted = "", False
        self.to: list[str] = []
        self._say("220 mail.example ESMTP")
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while line := self.rfile.readline().decode().strip():
                if not self._answered(line):
                    return

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

    def _answered(self, line: str) -> bool:
        verb, _, rest = line.partition(" ")
        match verb.upper():
            case "EHLO":
                offers = self.receiver.context is not None and not self.encrypted
                self._say("250-mail.example", *(["250-STARTTLS"] if offers else []), "250 AUTH PLAIN")
            case "STARTTLS":
                self._say("220 go ahead")
                self._encrypt()
            case "AUTH":
                _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
                self.receiver.logins.append((user, password, self.encrypted))
                self._say("235 ok" if password == "right" else f"535 bad credentials {password}")
            case "MAIL":
                self.sender, self.to = rest.partition("<")[2].partition(">")[0], []
                self._say("250 ok")
            case "RCPT":
                self.to.append(rest.partition("<")[2].partition(">")[0])
                self._say(self.receiver.refuses or "250 ok")
            case "DATA":
                self._say("354 go on")
                self._keep()
                self._say("250 taken")
            case "QUIT":
                self._say("221 bye")
                return False
            case _:
                self._say("250 ok")
        return True

    def _keep(self) -> None:
        lines: list[str] = []
        while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
            lines.append(line.removeprefix("."))
        self.receiver.mails.append((self.sender, self.to, "\n".join(lines)))

    def _encrypt(self) -> None:
        assert self.receiver.context is not None
        self.connection = self.receiver.context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
        self.encrypted = True

    def finish(self) -> None:
        super().finish()
        self.connection.close()


@contextlib.contextmanager
def mail_receiver(context: ssl.SSLContext | None = None) -> Iterator[MailReceiver]:
    receiver = MailReceiver(context=context)
    handler = type("Handler", (_MailHandler,), {"receiver": receiver})
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler)
    with _serving(server) as port:
        receiver.port = port
        yield receiver


@contextlib.contextmanager
def _serving(server: socketserver.TCPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
