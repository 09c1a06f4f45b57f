"""A container registry on loopback, in memory: enough of the API for the real helm to push charts to it.

`with serve() as registry: …`. With `password` it asks for a login: `basic` itself, or `token` at an address of its own.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import re
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

_PATH = re.compile(r"/v2/(?P<name>.+)/(?P<kind>manifests|blobs|tags)/(?P<rest>.*)")


class Registry:
    """What the registry holds, and who asked for what."""

    def __init__(self, port: int, password: str, scheme: str) -> None:
        self.port = port
        self.place = f"127.0.0.1:{port}"
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.requests: list[str] = []
        self.logins: list[tuple[str, str]] = []
        self.page = 1000
        self.storage = ""
        """Where blobs are fetched from instead."""
        self.realm = f"http://{self.place}/token"
        self._basic = "Basic " + base64.b64encode(password.encode()).decode() if password else ""
        self._scheme = scheme

    def put(self, name: str, tag: str, layers: list[tuple[str, bytes]], kind: str = "") -> str:
        """Put an artifact with these layers; returns the digest of its manifest."""
        entries = []
        for media_type, content in layers:
            digest = "sha256:" + hashlib.sha256(content).hexdigest()
            self.blobs[digest] = content
            entries.append({"mediaType": media_type, "digest": digest, "size": len(content)})
        media_type = kind or "application/vnd.oci.image.manifest.v1+json"
        body = json.dumps({"schemaVersion": 2, "mediaType": media_type, "layers": entries}).encode()
        digest = "sha256:" + hashlib.sha256(body).hexdigest()
        self.manifests[name, tag] = self.manifests[name, digest] = (media_type, body)
        return digest

    def refuses(self, path: str, header: str) -> dict[str, str] | None:
        """Return the challenge for a request that is not let in."""
        self.logins.append((path.partition("?")[0], header))
        if not self._basic or path.startswith("/token"):
            return None
        wanted = self._basic if self._scheme == "basic" else "Bearer let-me-in"
        if header == wanted:
            return None
        if self._scheme == "basic":
            return {"WWW-Authenticate": 'Basic realm="registry"'}
        scope = "repository:" + "/".join(path.split("/")[2:4]) + ":pull"
        return {"WWW-Authenticate": f'Bearer realm="{self.realm}",service="registry",scope="{scope}"'}

    def token(self, header: str) -> tuple[int, bytes]:
        """Give out a token to whoever has the password."""
        return (200, b'{"token": "let-me-in"}') if header == self._basic else (401, b"")


@contextlib.contextmanager
def serve(*, password: str = "", scheme: str = "token") -> Iterator[Registry]:
    """Run a registry."""
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    registry = Registry(listener.server_address[1], password, scheme)
    listener.RequestHandlerClass = type("Handler", (_Handler,), {"registry": registry})
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    registry: Registry

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def _send(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.registry.requests.append(f"{self.command} {self.path}")
        header = self.headers.get("Authorization", "")
        challenge = self.registry.refuses(self.path, header)
        if challenge is not None:
            self._send(401, b"", challenge)
        elif self.path.startswith("/token"):
            self._send(*self.registry.token(header))
        elif self.path in ("/v2/", "/v2"):
            self._send(200, b"{}")
        elif found := _PATH.fullmatch(urlsplit(self.path).path):
            getattr(self, f"_{found['kind']}")(found["name"], found["rest"], body)
        else:
            self._send(404)

    def _tags(self, name: str, _rest: str, _body: bytes) -> None:
        tags = sorted(tag for owner, tag in self.registry.manifests if owner == name and not tag.startswith("sha256:"))
        last = parse_qs(urlsplit(self.path).query).get("last", [""])[0]
        left = [tag for tag in tags if tag > last]
        page = left[: self.registry.page]
        more = {"Link": f'</v2/{name}/tags/list?last={page[-1]}>; rel="next"'} if len(left) > len(page) else {}
        self._send(200 if tags else 404, json.dumps({"name": name, "tags": page}).encode(), more)

    def _manifests(self, name: str, reference: str, body: bytes) -> None:
        if self.command == "PUT":
            digest = "sha256:" + hashlib.sha256(body).hexdigest()
            kept = (self.headers.get("Content-Type", ""), body)
            self.registry.manifests[name, reference] = self.registry.manifests[name, digest] = kept
            self._send(201, b"", {"Docker-Content-Digest": digest, "Location": self.path})
            return
        found = self.registry.manifests.get((name, reference))
        if found is None:
            self._send(404)
            return
        digest = "sha256:" + hashlib.sha256(found[1]).hexdigest()
        self._send(200, found[1], {"Content-Type": found[0], "Docker-Content-Digest": digest})

    def _blobs(self, name: str, rest: str, body: bytes) -> None:
        if self.command == "POST":
            self._send(202, b"", {"Location": f"/v2/{name}/blobs/uploads/1"})
        elif self.command == "PUT":
            digest = parse_qs(urlsplit(self.path).query)["digest"][0]
            self.registry.blobs[digest] = body
            self._send(201, b"", {"Docker-Content-Digest": digest, "Location": f"/v2/{name}/blobs/{digest}"})
        elif self.registry.storage:
            self._send(307, b"", {"Location": f"{self.registry.storage}/{rest}"})
        elif rest in self.registry.blobs:
            self._send(200, self.registry.blobs[rest])
        else:
            self._send(404)
