"""The page and its parts, as they are shipped with the program.

Served by `syncline.server.app` beside the API. Nothing here needs a session: a page without data tells nobody anything.
The built page (`tools/build_page.py`) is in `built`; where it was never built, the small page in `page` is shown, which
needs no building. Addresses of the page's own views all lead to its one file: it reads the address itself.
"""

from __future__ import annotations

import functools
import gzip
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from syncline.server.requests.answers import HEADERS

_VIEWS: Final = (
    "fleet", "apps", "causes", "check", "applicationsets", "projects", "clusters", "repositories", "settings", "login",
)  # fmt: skip
_MEDIA: Final = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_FOR_EVER: Final = "public, max-age=31536000, immutable"
"""For files whose names change with their contents."""


@functools.lru_cache(maxsize=1)
def _home() -> Path:
    """Return the folder with the page: the built one, or the small one beside it; the same for as long as one runs."""
    package = Path(__file__).parent
    built = package / "built"
    return built if (built / "index.html").is_file() else package / "page"


@functools.lru_cache(maxsize=64)
def _read(home: str, name: str) -> tuple[bytes, bytes]:
    """Return a file of the page, plain and packed. There are a few dozen, and they never change while one runs."""
    content = (Path(home) / name).read_bytes()
    return content, gzip.compress(content, 9, mtime=0)


def _answer(request: Request, name: str, headers: dict[str, str]) -> Response:
    plain, packed = _read(str(_home()), name)
    media = _MEDIA.get(name.rpartition(".")[2], "application/octet-stream")
    if "gzip" in request.headers.get("accept-encoding", ""):
        packing = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(packed, media_type=media, headers={**headers, **packing})
    return Response(plain, media_type=media, headers=headers)


async def _view(request: Request) -> Response:
    return _answer(request, "index.html", HEADERS)


async def _as_in_argocd(request: Request) -> Response:
    """Lead the address of an Application in Argo CD's page, as in its notifications and bookmarks, to that in ours."""
    name = request.path_params.get("name", "")
    return RedirectResponse(f"/apps/{quote(name, safe='')}" if name else "/fleet", 307, headers=HEADERS)


async def _part(request: Request) -> Response:
    return _answer(request, request.url.path.removeprefix("/"), HEADERS)


async def _asset(request: Request) -> Response:
    name = f"assets/{request.path_params['name']}"
    if name not in _assets(str(_home())):
        # A page that was opened before an update asks for files that are gone; it has to be loaded again.
        return Response("this part of the page is of another version: load the page again", 404, headers=HEADERS)
    return _answer(request, name, {**HEADERS, "Cache-Control": _FOR_EVER})


@functools.lru_cache(maxsize=4)
def _assets(home: str) -> frozenset[str]:
    folder = Path(home) / "assets"
    return frozenset(f"assets/{file.name}" for file in folder.iterdir()) if folder.is_dir() else frozenset()


def routes() -> list[Route]:
    """Return the routes of the page."""
    home = _home()
    parts = [file.name for file in home.iterdir() if file.is_file() and file.name.rpartition(".")[2] in _MEDIA]
    return [
        Route("/", _view),
        *(Route(f"/{view}", _view) for view in _VIEWS),
        *(Route(f"/{view}/{{rest:path}}", _view) for view in _VIEWS if view != "login"),
        *(Route(f"/{name}", _part) for name in sorted(parts)),
        Route("/assets/{name}", _asset),
        *(Route(f"/applications{rest}", _as_in_argocd) for rest in ("", "/{name}", "/{namespace}/{name}")),
    ]
