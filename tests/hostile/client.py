"""A plain HTTP client for `syncline server`, as an attacker has one: any header, any body, no politeness."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server answered."""

    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Client:
    """Somebody who talks to the server, with a token or without."""

    port: int
    token: str = ""
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: dict[str, Any] | None = None,
        limit: float = LIMIT,
        more: Mapping[str, str] | None = None,
        **headers: str,
    ) -> Answer:
        """Send one request; a body that is not bytes goes as JSON, `_` in names of headers (`more`) stands for `-`."""
        sent = {**self.headers}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if self.cookie:
            sent["Cookie"] = f"argocd.token={self.cookie}"
        content = body
        if body is not None and not isinstance(body, bytes):
            content = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in {**(more or {}), **headers}.items()}
        sent = {name: value for name, value in sent.items() if value != "-"}
        target = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            connection.request(method, target, content, sent)
            response = connection.getresponse()
            answer = response.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, answer, time.monotonic() - began)

    def get(self, path: str, **query: Any) -> Answer:
        return self.send("GET", path, query=query)

    def post(self, path: str, body: Any, **query: Any) -> Answer:
        return self.send("POST", path, body, query=query)

    def stream(self, path: str, seconds: float, **query: Any) -> str:
        """Return what a stream sends within some seconds."""
        target = path + (f"?{urlencode(query, doseq=True)}" if query else "")
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as sock:
            words = (
                f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n\r\n"
            )
            sock.sendall(words.encode())
            return drained(sock, seconds)


def drained(sock: socket.socket, seconds: float) -> str:
    """Return what arrives on a connection within some seconds."""
    parts, until = [], time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            piece = sock.recv(65536)
        except TimeoutError:
            break
        if not piece:
            break
        parts.append(piece)
    return b"".join(parts).decode(errors="replace")


def part(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")
