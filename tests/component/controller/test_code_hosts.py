"""Code hosts over real HTTP: a local server that answers as GitHub documents, with pages and tokens."""

import asyncio
import http.server
import json
import threading
from collections.abc import Iterator

import pytest

from syncline.adapters.web import WebReader
from syncline.net import urls
from syncline.ports.web import WebError, WebRequest

TOKEN = "t0ken-of-nobody"


class GitHub(http.server.BaseHTTPRequestHandler):
    """Two pages of pull requests, for whoever has the token."""

    def do_GET(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._send(401, {"message": "Bad credentials"}, "")
        elif "page=2" in self.path:
            self._send(200, [{"number": 2}], "")
        else:
            host = self.headers["Host"]
            self._send(200, [{"number": 1}], f'<http://{host}{self.path}&page=2>; rel="next"')

    def _send(self, status: int, content: object, link: str) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if link:
            self.send_header("Link", link)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/repos/acme/shop/pulls?state=open"
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_pages_are_read_with_the_token_and_without_it_the_host_refuses(address: str) -> None:
    web = WebReader(urls.Reach(loopback=True))
    first = asyncio.run(web.ask(WebRequest(url=address, authorization=f"Bearer {TOKEN}")))
    assert (first.status, json.loads(first.body)) == (200, [{"number": 1}])
    assert first.headers["link"] == f'<{address}&page=2>; rel="next"'
    assert asyncio.run(web.ask(WebRequest(url=address))).status == 401


def test_a_controller_for_others_asks_no_server_of_its_own_machine(address: str) -> None:
    web = WebReader(urls.Reach(loopback=False))
    with pytest.raises(WebError) as error:
        asyncio.run(web.ask(WebRequest(url=address, authorization=f"Bearer {TOKEN}")))
    assert TOKEN not in str(error.value)
