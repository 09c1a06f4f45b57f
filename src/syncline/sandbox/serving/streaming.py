"""Carries a conversation with a pod over a connection that has switched protocols.

`syncline.sandbox.serving.http` comes here with what `syncline.sandbox.api.sessions` allows. Clients speak SPDY/3.1,
by itself or inside a WebSocket (port-forward), or send numbered channels over a WebSocket (exec).
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Final, Protocol

import orjson

from syncline import tasks
from syncline.sandbox.api.sessions import Execution, Forwarding, Session
from syncline.sandbox.cluster.settings import ExecRule, PortRule
from syncline.sandbox.serving import spdy

if TYPE_CHECKING:
    from aiohttp import web

_SPDY: Final = "SPDY/3.1"
_FORWARD: Final = "portforward.k8s.io"
_TUNNEL: Final = f"{_SPDY}+{_FORWARD}"
_CHANNELS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io")
_STDOUT, _STDERR, _ERROR = 1, 2, 3
_CHUNK: Final = 1 << 16
_FULL: Final = 1 << 20
"""So many bytes may wait for a client that reads slowly."""


class Pipe(Protocol):
    """Bytes to and from a client."""

    async def send(self, content: bytes) -> None:
        """Send bytes, when the client has read what was sent before."""

    async def receive(self) -> bytes | None:
        """Return the next bytes, None at the end."""


async def converse(request: web.Request, session: Session) -> web.StreamResponse:
    """Switch protocols, and talk until one side ends it."""
    from aiohttp import web

    if request.headers.get("Upgrade", "").lower() == "websocket":
        return await _by_websocket(request, session)
    offered = [
        word.strip() for value in request.headers.getall("X-Stream-Protocol-Version", []) for word in value.split(",")
    ]
    known = (_FORWARD,) if isinstance(session, Forwarding) else _CHANNELS
    chosen = next((name for name in offered if name in known), "")
    if request.headers.get("Upgrade", "").upper() != _SPDY or not chosen or request.transport is None:
        text = f"unable to upgrade: unable to negotiate protocol: client supports {offered}, server accepts {known}"
        return web.Response(status=403, text=text)
    pipe = _RawPipe(request)
    head = f"Connection: Upgrade\r\nUpgrade: {_SPDY}\r\nX-Stream-Protocol-Version: {chosen}\r\n\r\n"
    await pipe.send(f"HTTP/1.1 101 Switching Protocols\r\n{head}".encode())
    await _speak_spdy(pipe, session)
    pipe.close()
    return web.Response()


async def _by_websocket(request: web.Request, session: Session) -> web.StreamResponse:
    from aiohttp import web

    forwards = isinstance(session, Forwarding)
    socket = web.WebSocketResponse(protocols=(_TUNNEL,) if forwards else _CHANNELS, compress=False)
    offered = request.headers.get("Sec-WebSocket-Protocol", "")
    if not socket.can_prepare(request) or (forwards and _TUNNEL not in offered):
        return web.Response(status=400, text=f"unable to upgrade: the protocols {offered!r} are not spoken here")
    await socket.prepare(request)
    if isinstance(session, Forwarding):
        await _speak_spdy(_SocketPipe(socket), session)
    else:
        await _print_to_channels(socket, session.rule)
    await socket.close()
    return socket


class _SocketPipe:
    """A pipe inside a WebSocket."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def send(self, content: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            await self._socket.send_bytes(content)

    async def receive(self) -> bytes | None:
        from aiohttp import WSMsgType

        message = await self._socket.receive()
        return message.data if message.type == WSMsgType.BINARY else None


class _RawPipe:
    """A pipe that is the connection itself; aiohttp feeds what arrives, as it does for a WebSocket."""

    def __init__(self, request: web.Request) -> None:
        self._arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._transport: Any = request.transport
        feeding: Any = self
        request.protocol.set_parser(feeding)

    def feed_data(self, content: bytes) -> tuple[bool, bytes]:
        """Take bytes that arrived."""
        self._arrived.put_nowait(content)
        return False, b""

    def feed_eof(self) -> None:
        """Hear that nothing more arrives."""
        self._arrived.put_nowait(None)

    async def send(self, content: bytes) -> None:
        while self._transport.get_write_buffer_size() > _FULL:  # noqa: ASYNC110 - the transport tells nobody
            await asyncio.sleep(0.01)
        if not self._transport.is_closing():
            self._transport.write(content)

    async def receive(self) -> bytes | None:
        return await self._arrived.get()

    def close(self) -> None:
        self._transport.close()


async def _print_to_channels(socket: web.WebSocketResponse, rule: ExecRule) -> None:
    with contextlib.suppress(ConnectionError):
        for channel, content in ((_STDOUT, _text(rule.lines)), (_STDERR, _text(rule.errors)), (_ERROR, _status(rule))):
            if content:
                await socket.send_bytes(bytes([channel]) + content)


def _text(lines: tuple[str, ...]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _status(rule: ExecRule) -> bytes:
    """Return how a command ended, as a kubelet says it."""
    if not rule.exit_code:
        return orjson.dumps({"metadata": {}, "status": "Success"})
    causes = [{"reason": "ExitCode", "message": str(rule.exit_code)}]
    text = f"command terminated with non-zero exit code: exit status {rule.exit_code}"
    failed = {"metadata": {}, "status": "Failure", "message": text, "reason": "NonZeroExitCode"}
    return orjson.dumps({**failed, "details": {"causes": causes}})


async def _speak_spdy(pipe: Pipe, session: Session) -> None:
    frames = spdy.SpdyFrames()
    talk = _Forwarder(pipe, session) if isinstance(session, Forwarding) else _Printer(pipe, session)
    try:
        while (content := await pipe.receive()) is not None:
            for event in frames.feed(content):
                if isinstance(event, spdy.Opened):
                    await pipe.send(frames.reply(event.stream))
                elif isinstance(event, spdy.Ended) and not event.stream:
                    return
                await talk.hear(event)
            for answer in frames.replies:
                await pipe.send(answer)
            frames.replies.clear()
    except spdy.SpdyError:
        return
    finally:
        await talk.close()


class _Printer:
    """Prints what a command prints, once the client has opened every stream it wants."""

    def __init__(self, pipe: Pipe, session: Execution) -> None:
        self._pipe = pipe
        self._rule = session.rule
        self._awaited = (session.streams - {"stdin"}) | {"error"}
        self._streams: dict[str, int] = {}

    async def hear(self, event: spdy.Event) -> None:
        if not isinstance(event, spdy.Opened):
            return
        self._streams[event.headers.get("streamtype", "")] = event.stream
        if not self._awaited <= self._streams.keys():
            return
        contents = {"stdout": _text(self._rule.lines), "stderr": _text(self._rule.errors), "error": _status(self._rule)}
        for name in ("stdout", "stderr", "error"):
            if name in self._streams:
                await self._pipe.send(spdy.data(self._streams.pop(name), contents[name], last=True))
        self._awaited |= {"nothing more"}

    async def close(self) -> None:
        """Nothing is left to end."""


class _Forwarder:
    """Carries every connection of a client to what answers on its port."""

    def __init__(self, pipe: Pipe, session: Forwarding) -> None:
        self._pipe = pipe
        self._session = session
        self._errors: dict[str, int] = {}
        self._arrived: dict[int, asyncio.Queue[bytes | None]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def hear(self, event: spdy.Event) -> None:
        if isinstance(event, spdy.Opened):
            self._open(event)
        elif event.stream in self._arrived:
            arrived = self._arrived[event.stream]
            if isinstance(event, spdy.Ended):
                arrived.put_nowait(None)
                return
            if event.data:
                arrived.put_nowait(event.data)
            if event.last:
                arrived.put_nowait(None)

    def _open(self, event: spdy.Opened) -> None:
        """Note an error stream; a data stream begins a connection."""
        wanted = event.headers.get("requestid", "")
        if event.headers.get("streamtype") == "error":
            self._errors[wanted] = event.stream
            return
        self._arrived[event.stream] = asyncio.Queue()
        port = event.headers.get("port", "")
        carrying = self._carry(int(port) if port.isdigit() else 0, event.stream, self._errors.pop(wanted, 0))
        task = tasks.start(carrying, name=f"forwarding port {port}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _carry(self, port: int, stream: int, errors: int) -> None:
        problem = ""
        try:
            rule = self._session.port(port)
            if rule is None:
                problem = self._session.refusal(port)
            elif rule.to:
                await self._connect(rule, stream)
            else:
                await self._answer(rule, stream)
        except OSError as error:
            problem = f"error forwarding port {port}: {error.strerror or error}"
        finally:
            del self._arrived[stream]
        await self._pipe.send(spdy.data(stream, b"", last=True))
        if errors:
            await self._pipe.send(spdy.data(errors, problem.encode(), last=True))

    async def _connect(self, rule: PortRule, stream: int) -> None:
        host, _, port = rule.to.rpartition(":")
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        arrived = self._arrived[stream]
        upstream = tasks.start(_upload(arrived, writer), name=f"sending to {rule.to}")
        try:
            while content := await reader.read(_CHUNK):
                await self._pipe.send(spdy.data(stream, content))
        finally:
            upstream.cancel()
            writer.close()

    async def _answer(self, rule: PortRule, stream: int) -> None:
        """Answer one HTTP request with a text."""
        seen = b""
        while b"\r\n\r\n" not in seen:
            content = await self._arrived[stream].get()
            if content is None:
                return
            seen += content
        body = rule.answer.encode()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        await self._pipe.send(spdy.data(stream, head.encode() + body))

    async def close(self) -> None:
        """Break off what still runs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


async def _upload(arrived: asyncio.Queue[bytes | None], writer: asyncio.StreamWriter) -> None:
    while (content := await arrived.get()) is not None:
        writer.write(content)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
