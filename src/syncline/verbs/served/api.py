"""Requests to an API server with Argo CD's paths, and what its refusals mean.

Used by everything in `syncline.verbs.served`, over a transport that shows the token. A refusal becomes the error that
the same verb raises on the Kubernetes API, by the number that comes with it; its words are the server's, cut and
without logins. Nothing here ever holds a token.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson

from syncline.controller.app_key import AppKey
from syncline.model.errors import NeedsUser
from syncline.model.logins import without_logins
from syncline.ports.transport import Request, Transport
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound, Refused

_TIMEOUT = 150.0
_LONGEST = 600
_JSON = "application/json"
Query = Mapping[str, str | tuple[str, ...]]


class NotLoggedIn(NeedsUser):
    """The server wants a login, or does not accept the token."""


class Forbidden(NeedsUser):
    """Whoever asks has no right to it, or it does not exist."""


_ERRORS: Final[dict[int, type[NeedsUser]]] = {
    3: InvalidRequest,
    5: NotFound,
    7: Forbidden,
    9: Refused,
    10: Conflict,
    16: NotLoggedIn,
}
_BY_STATUS: Final[dict[int, type[NeedsUser]]] = {
    400: InvalidRequest,
    401: NotLoggedIn,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
}


class ServerApi:
    """One server, as one user."""

    def __init__(self, transport: Transport, server: str) -> None:
        self._transport = transport
        self.server = server

    async def get(self, path: str, query: Query | None = None) -> Any:
        """Return the JSON that a path answers."""
        return await self.ask("GET", path, query)

    async def ask(self, method: str, path: str, query: Query | None = None, body: Any = None) -> Any:
        """Send a request, with a value as its JSON body; return the JSON of the answer."""
        text = await self.raw(method, path, query, body)
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            raise self._strange() from None

    async def raw(self, method: str, path: str, query: Query | None = None, body: Any = None) -> bytes:
        """Send a request; return the bytes of the answer."""
        headers = {"Accept": _JSON, **({"Content-Type": _JSON} if body is not None else {})}
        sent = b"" if body is None else orjson.dumps(body)
        request = Request(method=method, path=_address(path, query), headers=headers, body=sent)
        response = await self._transport.send(request, timeout=_TIMEOUT)
        try:
            text = await response.read()
        finally:
            await response.close()
        if response.status != 200:
            raise self._refusal(response.status, text)
        return text

    async def lines(self, path: str, query: Query | None = None) -> AsyncIterator[Any]:
        """Yield the results of a stream, one by one."""
        request = Request(method="GET", path=_address(path, query), headers={"Accept": _JSON})
        response = await self._transport.send(request)
        try:
            if response.status != 200:
                raise self._refusal(response.status, await response.read())
            rest = b""
            async for chunk in response.chunks():
                *whole, rest = (rest + chunk).split(b"\n")
                for line in filter(bytes.strip, whole):
                    yield self._result(line)
            if rest.strip():
                yield self._result(rest)
        finally:
            await response.close()

    def _result(self, line: bytes) -> Any:
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise self._strange() from None
        if not isinstance(found, dict):
            raise self._strange()
        if isinstance(error := found.get("error"), dict):
            raise self._refusal(int(error.get("http_code") or 500), orjson.dumps(error))
        return found.get("result")

    def _refusal(self, status: int, text: bytes) -> NeedsUser:
        """Return the error that a refusal stands for."""
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            if status in (301, 302, 303, 307, 308):
                return NeedsUser(f"{self.server} answers with a redirect", hint="is it served over TLS?")
            return NeedsUser(f"{self.server} answered with HTTP status {status}")
        said = without_logins(str(found.get("message") or found.get("error") or f"HTTP status {status}"))[:_LONGEST]
        hint = without_logins(str(found.get("hint") or ""))[:_LONGEST]
        code = found.get("code")
        kind = _ERRORS.get(code) if isinstance(code, int) else None
        kind = kind or _BY_STATUS.get(status, NeedsUser)
        if kind is NotLoggedIn:
            return NotLoggedIn(f"{self.server}: {said}", hint=hint or f"run: syncline login {self.server}")
        return kind(said, hint=hint)

    def _strange(self) -> NeedsUser:
        return NeedsUser(f"{self.server} does not answer as an API server of Syncline or Argo CD does")


def app_path(key: AppKey, part: str = "") -> str:
    """Return the path of an Application, or of a part of it."""
    return f"/api/v1/applications/{quote(key.name, safe='')}{f'/{part}' if part else ''}"


def app_query(key: AppKey) -> dict[str, str]:
    """Return what tells Applications of one name apart."""
    return {"appNamespace": key.namespace}


def _address(path: str, query: Query | None) -> str:
    given = {name: value for name, value in (query or {}).items() if value}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path
