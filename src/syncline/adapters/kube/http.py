"""Carries requests to an API server over HTTP/1.1 and TLS: the transport for real clusters.

Built by `syncline.wiring` from a `Connection`, used through `syncline.adapters.kube.client`. Watches have
connections of their own without a limit, so that many of them never starve ordinary requests. Redirects are
never followed: they would carry the token to whoever asked for it. No message of this module holds a header
or a body.
"""

from __future__ import annotations

import functools
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

from syncline.adapters.kube import failures, tls
from syncline.adapters.kube.connection import Connection, Credential
from syncline.ports.transport import Request, Response, TransportError

if TYPE_CHECKING:
    import aiohttp
    import multidict
    import yarl

_CONNECT_SECONDS = 10.0
# A watch is asked to end after 290 s and gets a bookmark every minute: longer silence is a dead connection.
_SILENCE_SECONDS = 320.0
_ORDINARY_CONNECTIONS = 64


class HttpTransport:
    """Speaks to one API server as one user."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._server = connection.server.rstrip("/")
        self._shown: Credential | None = None
        self._sessions: tuple[aiohttp.ClientSession, aiohttp.ClientSession] | None = None
        self._retired: list[aiohttp.ClientSession] = []
        self._closed = False

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send one request; a credential that was refused and can be renewed is renewed once."""
        response = await self._send(request, timeout)
        if response.status == 401 and self._connection.credentials.forget():
            await response.close()
            response = await self._send(request, timeout)
        return response

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        sessions = [*self._retired, *(self._sessions or ())]
        self._sessions, self._retired = None, []
        for session in sessions:
            await session.close()

    async def _send(self, request: Request, timeout: float | None) -> Response:
        import aiohttp

        credential = await self._connection.credentials.current()
        session = self._session(credential, watching=timeout is None)
        limit = aiohttp.ClientTimeout(
            total=timeout,
            sock_connect=_CONNECT_SECONDS,
            sock_read=_SILENCE_SECONDS if timeout is None else None,
        )
        fail = functools.partial(_failure, self._server, timeout)
        try:
            answer = await session.request(
                request.method,
                self._url(request.path),
                headers=self._headers(request, credential),
                data=request.body or None,
                timeout=limit,
                allow_redirects=False,
                proxy=self._connection.proxy or None,
                server_hostname=self._connection.tls_server_name or None,
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise fail(error) from None
        return _HttpResponse(answer, fail)

    def _url(self, path: str) -> yarl.URL:
        import yarl

        # Encoded already: names must reach the server letter for letter.
        return yarl.URL(self._server + path, encoded=True)

    def _headers(self, request: Request, credential: Credential) -> multidict.CIMultiDict[str]:
        import multidict

        headers = multidict.CIMultiDict(request.headers)
        for name, values in self._connection.headers.items():
            for value in values:
                headers.add(name, value)
        if credential.authorization:
            headers["Authorization"] = credential.authorization
        return headers

    def _session(self, credential: Credential, *, watching: bool) -> aiohttp.ClientSession:
        if self._closed:
            raise TransportError(f"cannot reach {self._server}: the connection was closed by us")
        same = self._shown is not None and self._shown.certificate == credential.certificate
        if self._sessions is None or not same:
            # Running answers keep the old connections until the transport is closed.
            self._retired += self._sessions or ()
            self._sessions = self._open(credential)
        self._shown = credential
        return self._sessions[watching]

    def _open(self, credential: Credential) -> tuple[aiohttp.ClientSession, aiohttp.ClientSession]:
        import aiohttp

        trust: ssl.SSLContext | bool = True
        if self._server.startswith("https:"):
            trust = tls.context(self._connection, credential)
        agent = {"User-Agent": "syncline"}

        def session(limit: int) -> aiohttp.ClientSession:
            connector = aiohttp.TCPConnector(limit=limit, ssl=trust)
            return aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=agent, trust_env=False
            )

        return session(_ORDINARY_CONNECTIONS), session(0)


def _failure(server: str, timeout: float | None, error: BaseException) -> TransportError:
    return TransportError(failures.sentence(server, error, timeout=timeout))


class _HttpResponse:
    """An answer on its way in."""

    def __init__(self, answer: aiohttp.ClientResponse, fail: Callable[[BaseException], TransportError]) -> None:
        self._answer = answer
        self._fail = fail
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in answer.headers.items()}

    @property
    def status(self) -> int:
        return self._answer.status

    async def read(self) -> bytes:
        import aiohttp

        try:
            return await self._answer.read()
        except (aiohttp.ClientError, OSError) as error:
            raise self._fail(error) from None

    async def chunks(self) -> AsyncIterator[bytes]:
        import aiohttp

        try:
            async for chunk in self._answer.content.iter_any():
                yield chunk
        except (aiohttp.ClientError, OSError) as error:
            raise self._fail(error) from None

    async def close(self) -> None:
        if self._answer.content.at_eof():
            self._answer.release()
        else:
            # Half an answer is still under way: the connection cannot be used again.
            self._answer.close()
