"""Serves Applications as JSON, as a stream and as a page, from the controller's live view.

Started by `syncline.cli.run.session` on the loopback address. Requests for another host name are refused, so that no
web page elsewhere can read from here by pointing a name of its own at this machine.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from importlib import resources
from typing import TYPE_CHECKING

from syncline import tasks
from syncline.controller.app_key import APPLICATION
from syncline.controller.live.cluster import LiveCluster
from syncline.model.logins import without_logins
from syncline.model.published import KIND
from syncline.server.feed import Feed, shown
from syncline.server.metrics import MEDIA, exposition

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}


def build(live: LiveCluster, feed: Feed) -> Starlette:
    """Return the web application over one live view and the stream of its changes."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import PlainTextResponse, StreamingResponse
    from starlette.responses import Response as PlainResponse
    from starlette.routing import Route

    async def page(request: Request) -> Response:
        name, media = _PAGES[request.url.path]
        content = resources.files("syncline.server").joinpath("page", name).read_bytes()
        return PlainResponse(content, media_type=media, headers=_HEADERS)

    async def applications(_request: Request) -> Response:
        items = list(live.index.of_kind(APPLICATION))
        body = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationList", "metadata": {}, "items": items}
        return PlainResponse(shown(body), media_type="application/json", headers=_HEADERS)

    async def stream(_request: Request) -> Response:
        return StreamingResponse(feed.lines(), media_type="application/json", headers=_HEADERS)

    async def health(_request: Request) -> Response:
        trouble = live.unreachable
        return PlainTextResponse(without_logins(trouble) or "ok", status_code=503 if trouble else 200, headers=_HEADERS)

    async def metrics(_request: Request) -> Response:
        objects = (*live.index.of_kind(APPLICATION), *live.index.of_kind(KIND))
        return PlainResponse(exposition(objects), media_type=MEDIA, headers=_HEADERS)

    routes = [
        *(Route(path, page) for path in _PAGES),
        Route("/api/v1/applications", applications),
        Route("/api/v1/stream/applications", stream),
        Route("/healthz", health),
        Route("/metrics", metrics),
    ]
    hosts = ["127.0.0.1", "localhost"]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts)])


@asynccontextmanager
async def serve(live: LiveCluster, *, port: int = 0) -> AsyncIterator[str]:
    """Serve on the loopback address until the block is left; yields the address."""
    import socket

    import uvicorn

    feed = Feed(live)
    config = uvicorn.Config(build(live, feed), log_level="warning", timeout_graceful_shutdown=1, lifespan="off")
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign,assignment]  # signals are the program's
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        # From here on requests queue up, so that the address is good before the server has started.
        listener.listen()
        task = tasks.start(server.serve(sockets=[listener]), name="web server")
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            # Streams end by themselves; the server would wait for them in vain.
            feed.close()
            server.should_exit = True
            await task
