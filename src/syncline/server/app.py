"""Puts the server together and serves it: beside a controller, whose live view it shares, or on its own.

`serving` is started by `syncline.cli.run.session` for `up` and `demo`, and by `syncline.cli.run.server`. It listens on
the loopback address unless told otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from syncline import tasks
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.ports.auth import DexProgram, Passwords, Unguessable
from syncline.ports.web import Web
from syncline.server import page_files, table
from syncline.server.access.accounts import Accounts
from syncline.server.access.guard import Guard
from syncline.server.access.links import LoginLinks
from syncline.server.access.oidc.dex import KeptDex
from syncline.server.access.oidc.pending import PendingLogins
from syncline.server.access.oidc.provider import Provider
from syncline.server.access.revoked import Revoked
from syncline.server.access.sessions import Sessions
from syncline.server.access.throttle import Throttle
from syncline.server.access.tokens import Tokens
from syncline.server.backend import Backend, Reached
from syncline.server.connections.door import Door, Place
from syncline.server.connections.limits import ConnectionLimits
from syncline.server.connections.seldom import SeldomLogged
from syncline.server.grpcweb.listener import ALPN, Connection
from syncline.server.grpcweb.service import GrpcWeb
from syncline.server.insight.blames import Blames
from syncline.server.insight.branches import Branches, LookAtBranch
from syncline.server.insight.diagnoses import Aside, Diagnoses, at_once
from syncline.server.insight.looks import Looks
from syncline.server.lists.feed import Feed
from syncline.server.lists.shelf import Shelf
from syncline.server.requests import openapi
from syncline.server.requests.answers import HEADERS, json_answer
from syncline.server.requests.dispatch import Dispatcher
from syncline.server.requests.failures import INVALID, NOT_FOUND, Failure
from syncline.server.webhooks.refreshing import Refreshing
from syncline.tasks import OnFailure, tell_loop
from syncline.verbs.look import ClusterView, standing_view
from syncline.verbs.sources import Checker

_LOOPBACK = "127.0.0.1"
_QUEUE = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where the server listens; with a certificate and its key over TLS."""

    address: str = _LOOPBACK
    port: int = 0
    certificate: str = ""
    key: str = ""
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)

    @property
    def reached(self) -> Reached:
        """How it is reached: on the loopback address by no other name."""
        tls = bool(self.certificate)
        return Reached(tls=tls) if self.address == _LOOPBACK else Reached(hosts=(), tls=tls)


def _nothing(_words: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTools:
    """What the server needs beside the ports of a controller."""

    passwords: Passwords
    secrets: Unguessable
    on_failure: OnFailure = field(default=tell_loop)
    version: str = ""
    web: Web | None = None
    """The way out to a provider of logins."""
    dex: DexProgram | None = None
    """What `dex.config` is served with, where this machine has it."""
    say: Callable[[str], None] = _nothing
    """Tells whoever runs the server."""
    checker: Checker | None = None
    """Says whether a repository can be read that somebody wants to add; without it nobody is asked."""
    aside: Aside = at_once
    """What a long thought is handed to, so that nobody waits for it."""
    look_at_branch: LookAtBranch | None = None
    """What looks at branches before they are merged; without it nobody does."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server that listens: its address, and links that sign in once."""

    address: str
    backend: Backend

    def link(self) -> str:
        """Return an address that signs whoever opens it in, once."""
        return f"{self.address}/login/once?code={self.backend.links.new()}"


def backend_of(world: World, live: LiveCluster, view: ClusterView, tools: ServerTools, reached: Reached) -> Backend:
    """Return all that routes work with."""
    guard, accounts, shelf = Guard(world, live), Accounts(world, live), Shelf(live)
    dex = KeptDex(world, live, tools.dex, tools.say)
    provider = Provider(world, live, tools.web, dex)
    revoked = Revoked(world, live, tools.say)
    tokens = Tokens(accounts, guard.project, world.clock, tools.secrets, revoked=revoked, provider=provider)
    return Backend(
        world=world,
        live=live,
        view=view,
        looks=Looks(view, world.clock),
        shelf=shelf,
        feed=Feed(live),
        accounts=accounts,
        tokens=tokens,
        sessions=Sessions(accounts, tokens, Throttle(world, live, tools.say), tools.passwords),
        guard=guard,
        links=LoginLinks(world.clock, tools.secrets),
        passwords=tools.passwords,
        secrets=tools.secrets,
        provider=provider,
        dex=dex,
        pending=PendingLogins(world.clock, tools.secrets),
        diagnoses=Diagnoses(world, tools.aside),
        refreshing=Refreshing(world.home, live, shelf),
        branches=Branches(world, tools.look_at_branch, tools.on_failure),
        blames=Blames(world),
        version=tools.version,
        checker=tools.checker,
        reached=reached,
    )


def application(backend: Backend, on_failure: OnFailure = tell_loop) -> Starlette:
    """Return the web application over a backend."""
    dispatcher = Dispatcher(backend, on_failure)
    described = openapi.document(table.ENDPOINTS, backend.version)

    async def description(_request: Request) -> Response:
        return json_answer(described, headers=HEADERS)

    async def failed(_request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = "the method is not allowed here" if status == 405 else "nothing is served at this path"
        failure = Failure(INVALID if status == 405 else NOT_FOUND, words, status=status)
        return json_answer(failure.body(), status, headers=HEADERS)

    routes = [
        *page_files.routes(),
        Route("/openapi.json", description),
        Route("/swagger.json", description),
        *(Route(one.path, dispatcher.route(one), methods=[one.method]) for one in table.ENDPOINTS),
    ]
    grpc = Middleware(GrpcWeb, dispatcher=dispatcher, on_failure=on_failure)
    made = Starlette(routes=routes, middleware=[grpc], exception_handlers={HTTPException: failed})
    # A redirect would go out before anybody is asked who they are, to whatever host the request names.
    made.router.redirect_slashes = False
    return made


@asynccontextmanager
async def prepared(world: World, live: LiveCluster, tools: ServerTools, reached: Reached) -> AsyncIterator[Backend]:
    """Yield a backend over a live view that somebody else keeps; its streams and looks end with the block."""
    async with standing_view(world, live) as view:
        backend = backend_of(world, live, view, tools, reached)
        dex = tasks.watch_over(backend.dex.keep_running(), name="Dex", on_failure=tools.on_failure)
        try:
            yield backend
        finally:
            dex.cancel()
            await asyncio.wait({dex})
            backend.feed.close()
            backend.shelf.close()
            await backend.looks.stop()
            await backend.diagnoses.stop()
            await backend.refreshing.stop()
            await backend.branches.stop()
            await backend.blames.stop()


@asynccontextmanager
async def serving(world: World, live: LiveCluster, tools: ServerTools, listening: Listening) -> AsyncIterator[Served]:
    """Serve until the block is left."""
    async with (
        prepared(world, live, tools, listening.reached) as backend,
        # Streams end when the feed does; the server would wait for them in vain.
        listening_at(application(backend, tools.on_failure), listening, backend.feed.close, tools.say) as address,
    ):
        yield Served(address, backend)


@asynccontextmanager
async def listening_at(
    app: Starlette,
    listening: Listening,
    before_end: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = _nothing,
) -> AsyncIterator[str]:
    """Serve a web application until the block is left; yields its address."""
    limits = listening.limits
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=1,
        lifespan="off",
        server_header=False,
        ssl_certfile=listening.certificate or None,
        ssl_keyfile=listening.key or None,
    )
    config.load()
    if config.ssl is not None:
        config.ssl.set_alpn_protocols(ALPN)
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # signals are the program's
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((listening.address, listening.port))
        # From here on requests queue up, so that the address is good before the server has started.
        listener.listen(_QUEUE)
        # Connections are let in by the door; what uvicorn would listen on is nothing.
        task = tasks.start(server.serve(sockets=[]), name="web server")

        def seated(place: Place) -> Connection:
            made = Connection(config=config, server_state=server.server_state, app_state={})
            made.place = place
            return made

        door = Door(listener, seated, limits, config.ssl, say)
        logging.getLogger("uvicorn.error").addFilter(seldom := SeldomLogged(asyncio.get_running_loop().time))
        opened = tasks.watch_over(door.run(), name="connections")
        scheme = "https" if listening.certificate else "http"
        try:
            yield f"{scheme}://{listening.address}:{listener.getsockname()[1]}"
        finally:
            before_end()
            opened.cancel()
            await asyncio.wait({opened})
            server.should_exit = True
            await task
            logging.getLogger("uvicorn.error").removeFilter(seldom)
