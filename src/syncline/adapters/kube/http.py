"""Carries requests to an API server over HTTP/1.1 and TLS: the transport for real clusters.

Built by `syncline.wiring` from a `Connection`, used through `syncline.adapters.kube.client`. Watches have
connections of their own without a limit, so that many of them never starve ordinary requests. Redirects are
never followed: they would carry the token to whoever asked for it. No message of this module holds a header
or a body.
"""

from __future__ import annotations

import functools
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from syncline.adapters.kube import failures, tls
from syncline.adapters.kube.connection import Connection, Credential
from syncline.adapters.kube.resolving import ordinary_resolver
from syncline.ports.transport import Request, Response, TransportError

if TYPE_CHECKING:
    import aiohttp
    import multidict
    import yarl

_CONNECT_SECONDS = 10.0
# A watch gets a bookmark every minute: longer silence is a dead connection, or a server that sends none, which then is
# asked a little more often than need be.
_SILENCE_SECONDS = 150.0
_ORDINARY_CONNECTIONS = 64


class _Connections:
    """The connections made with one client certificate, and how many answers are on their way over them."""

    def __init__(self, ordinary: aiohttp.ClientSession, watching: aiohttp.ClientSession) -> None:
        self.ordinary = ordinary
        self.watching = watching
        self.answers = 0

    async def close(self) -> None:
        await self.ordinary.close()
        await self.watching.close()


class HttpTransport:
    """Speaks to one API server as one user."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._server = connection.server.rstrip("/")
        self._shown: Credential | None = None
        self._current: _Connections | None = None
        self._retired: list[_Connections] = []
        self._closed = False

    @property
    def certificates(self) -> int:
        """With how many client certificates connections are open: today's, and older ones that still have answers."""
        return len(self._retired) + (self._current is not None)

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
        opened = [*self._retired, *([self._current] if self._current else ())]
        self._current, self._retired = None, []
        for connections in opened:
            await connections.close()

    async def _send(self, request: Request, timeout: float | None) -> Response:
        import aiohttp

        credential = await self._connection.credentials.current()
        connections = await self._connections(credential)
        session = connections.watching if timeout is None else connections.ordinary
        fail = functools.partial(_failure, self._server, timeout)
        try:
            answer = await session.request(
                request.method,
                self._url(request.path),
                headers=self._headers(request, credential),
                data=request.body or None,
                timeout=_limit(timeout),
                allow_redirects=False,
                proxy=self._connection.proxy or None,
                server_hostname=self._connection.tls_server_name or None,
            )
        except BaseException as error:
            await self._answered(connections)
            if isinstance(error, (aiohttp.ClientError, OSError, ValueError)):
                raise fail(error) from None
            raise
        return _HttpResponse(answer, fail, functools.partial(self._answered, connections))

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

    async def _connections(self, credential: Credential) -> _Connections:
        """Return connections with this certificate; an answer is expected over them from now on."""
        if self._closed:
            raise TransportError(f"cannot reach {failures.shown(self._server)}: the client is closed")
        before, same = self._current, self._shown is not None and self._shown.certificate == credential.certificate
        if before is not None and same:
            before.answers += 1
            return before
        opened = self._current = self._open(credential)
        opened.answers += 1
        self._shown = credential
        if before is not None:
            # Answers on their way keep the old connections until the last of them is in.
            self._retired.append(before)
            before.answers += 1
            await self._answered(before)
        return opened

    async def _answered(self, connections: _Connections) -> None:
        """Note that an answer is in; connections that nobody will use again are closed with their last one."""
        connections.answers -= 1
        if not connections.answers and connections in self._retired:
            self._retired.remove(connections)
            await connections.close()

    def _open(self, credential: Credential) -> _Connections:
        import aiohttp

        trust: ssl.SSLContext | bool = True
        if self._server.startswith("https:"):
            trust = tls.context(self._connection, credential)
        agent = {"User-Agent": "syncline"}

        def session(limit: int) -> aiohttp.ClientSession:
            resolver = ordinary_resolver() if self._connection.ordinary_only else None
            connector = aiohttp.TCPConnector(limit=limit, ssl=trust, resolver=resolver)
            return aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=agent, trust_env=False
            )

        return _Connections(session(_ORDINARY_CONNECTIONS), session(0))


@functools.lru_cache(maxsize=64)
def _limit(timeout: float | None) -> aiohttp.ClientTimeout:
    import aiohttp

    return aiohttp.ClientTimeout(
        total=timeout,
        sock_connect=_CONNECT_SECONDS,
        sock_read=_SILENCE_SECONDS if timeout is None else None,
    )


def _failure(server: str, timeout: float | None, error: BaseException) -> TransportError:
    return TransportError(failures.sentence(server, error, timeout=timeout), refused=failures.is_refused(error))


class _HttpResponse:
    """An answer on its way in."""

    def __init__(
        self,
        answer: aiohttp.ClientResponse,
        fail: Callable[[BaseException], TransportError],
        done: Callable[[], Awaitable[None]],
    ) -> None:
        self._answer = answer
        self._fail = fail
        self._done: Callable[[], Awaitable[None]] | None = done

    @property
    def headers(self) -> Mapping[str, str]:
        # Made when somebody asks: hardly anybody does.
        return {name.lower(): value for name, value in self._answer.headers.items()}

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
        done, self._done = self._done, None
        if done is not None:
            await done()
