"""A plain JSON client for tests: what they arrange and check with, never the thing under test.

Made by the `api` fixture of `tests.real.conftest`. One kept-alive connection per thread.
A user without a token of its own is impersonated by admin, so any user name works.
"""

import http.client
import json
import ssl
import threading
from typing import Any

from tests.real import cluster

Json = dict[str, Any]


class Api:
    """Sends requests to the real API server."""

    def __init__(self, where: cluster.Cluster) -> None:
        self.cluster = where
        self._context = ssl.create_default_context(cafile=where.ca_path)
        self._local = threading.local()
        self._opened: list[http.client.HTTPSConnection] = []

    def request(
        self,
        method: str,
        path: str,
        body: Json | list[Any] | None = None,
        content_type: str = "application/json",
        user: str = "admin",
    ) -> tuple[int, Json]:
        """Return status and body; a body that is no JSON object comes back under the key `text`."""
        content = None if body is None else json.dumps(body).encode()
        headers = self._headers(user)
        if content is not None:
            headers["Content-Type"] = content_type
        status, answer = self._exchange(method, path, content, headers)
        return status, _decode(answer)

    def ok(
        self,
        method: str,
        path: str,
        body: Json | list[Any] | None = None,
        content_type: str = "application/json",
        user: str = "admin",
    ) -> Json:
        """Return the body of a request that must succeed."""
        status, answer = self.request(method, path, body, content_type, user)
        assert 200 <= status < 300, f"{method} {path} as {user}: {status} {json.dumps(answer)[:2000]}"
        return answer

    def warnings(self, method: str, path: str, body: Json) -> list[str]:
        """Return what the answer to a request that must succeed warns of."""
        self.ok(method, path, body)
        return self.last_warnings

    @property
    def last_warnings(self) -> list[str]:
        """What the last answer in this thread warned of."""
        told: list[str] = self._local.warnings
        return [json.loads(warning.encode("latin-1").decode().partition(" - ")[2]) for warning in told]

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._opened:
            connection.close()

    def _headers(self, user: str) -> dict[str, str]:
        token = self.cluster.tokens.get(user)
        headers = {
            "Accept": "application/json",
            "Authorization": f"Bearer {token or self.cluster.tokens['admin']}",
        }
        if token is None:
            headers["Impersonate-User"] = user
        return headers

    def _exchange(self, method: str, path: str, content: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        kept: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        connection = kept or self._connect()
        try:
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            self._local.warnings = response.headers.get_all("Warning") or []
            return response.status, response.read()
        except (http.client.HTTPException, OSError) as error:
            # Whatever went wrong, this connection is of no further use.
            connection.close()
            del self._local.connection
            closed = isinstance(error, (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError))
            if kept is None or not closed:
                raise
            # The server had closed an idle connection before it saw the request.
            return self._exchange(method, path, content, headers)

    def _connect(self) -> http.client.HTTPSConnection:
        host, port = self.cluster.address.removeprefix("https://").split(":")
        connection = http.client.HTTPSConnection(host, int(port), context=self._context, timeout=120)
        self._local.connection = connection
        self._opened.append(connection)
        return connection


def _decode(answer: bytes) -> Json:
    if not answer:
        return {}
    try:
        decoded = json.loads(answer)
    except ValueError:
        return {"text": answer.decode(errors="replace")}
    return decoded if isinstance(decoded, dict) else {"text": answer.decode(errors="replace")}
