"""The page and its parts, as they are shipped with the program.

Served by `syncline.server.app` beside the API. Nothing here needs a session: a page without data tells nobody anything.
"""

from __future__ import annotations

from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from syncline.server.answers import HEADERS

_PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}


async def _page(request: Request) -> Response:
    name, media = _PAGES[request.url.path]
    content = resources.files("syncline.server").joinpath("page", name).read_bytes()
    return Response(content, media_type=media, headers=HEADERS)


def routes() -> list[Route]:
    """Return the routes of the page."""
    return [Route(path, _page) for path in _PAGES]
