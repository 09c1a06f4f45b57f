"""The page is served whole: views lead to its one file, assets for ever, nothing beside it, and without a build too."""

import gzip
import pathlib

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from syncline.server import page_files


def built(folder: pathlib.Path) -> pathlib.Path:
    """Make a page with one asset, as a build does."""
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<html>the page</html>")
    (folder / "mark.svg").write_text("<svg/>")
    (folder / ".sources").write_text("digest")
    (folder / "assets" / "index-abc.js").write_text("let x = 1")
    return folder


async def asked(app: Starlette, path: str, **headers: str) -> Response:
    """Return what the application answers."""
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    found: list[dict[str, object]] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        found.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": sent,
        "root_path": "", "scheme": "http", "server": ("localhost", 80), "http_version": "1.1",
    }  # fmt: skip
    assert Request(scope).url.path == path
    await app(scope, receive, send)  # type: ignore[arg-type]
    body = b"".join(bytes(one.get("body", b"")) for one in found[1:])  # type: ignore[call-overload]
    response = Response(body, found[0]["status"])  # type: ignore[arg-type]
    response.raw_headers = found[0]["headers"]  # type: ignore[assignment]
    return response


@pytest.fixture
def page(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Starlette:
    home = built(tmp_path)
    monkeypatch.setattr(page_files, "_home", lambda: home)
    return Starlette(routes=page_files.routes())


@pytest.mark.parametrize("path", ["/", "/fleet", "/apps/web/why", "/causes/7d93", "/login", "/settings"])
async def test_every_view_is_the_one_file(page: Starlette, path: str) -> None:
    answer = await asked(page, path)
    assert (answer.status_code, answer.body) == (200, b"<html>the page</html>")
    assert answer.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in answer.headers["content-security-policy"]


async def test_assets_are_kept_for_ever_and_packed_for_who_can_unpack(page: Starlette) -> None:
    answer = await asked(page, "/assets/index-abc.js", accept_encoding="gzip, br")
    assert gzip.decompress(bytes(answer.body)) == b"let x = 1"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    assert (await asked(page, "/assets/index-abc.js")).body == b"let x = 1"


@pytest.mark.parametrize("path", ["/assets/gone.js", "/assets/..%2findex.html", "/.sources", "/elsewhere"])
async def test_what_is_not_of_the_page_is_not_served(page: Starlette, path: str) -> None:
    assert (await asked(page, path)).status_code == 404


async def test_without_a_build_the_small_page_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    small = pathlib.Path(page_files.__file__).parent / "page"
    monkeypatch.setattr(page_files, "_home", lambda: small)
    app = Starlette(routes=page_files.routes())
    assert (await asked(app, "/")).body == (small / "index.html").read_bytes()
    assert (await asked(app, "/page.js")).status_code == 200
