"""A Helm repository on loopback: a folder of charts that the real helm packed and indexed, behind a small HTTP server.

`with serve(folder) as server: server.url`. Single paths can be made to misbehave with `server.answers`.
"""

import base64
import contextlib
import hashlib
import http.server
import pathlib
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

Handler = http.server.BaseHTTPRequestHandler
HELM = str(pathlib.Path(sys.executable).parent / "helm")


class Server:
    """A running server; writes down what it was asked for, and with which login."""

    def __init__(self, port: int, scheme: str) -> None:
        self.port = port
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.requests: list[str] = []
        self.logins: dict[str, str] = {}
        self.answers: dict[str, Callable[[Handler], None]] = {}


def package(folder: pathlib.Path, name: str, version: str, files: dict[str, str] | None = None) -> pathlib.Path:
    """Make a chart and let helm pack it into a folder."""
    source = folder / ".sources" / f"{name}-{version}"
    contents = {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\n",
        "values.yaml": "size: 1\n",
        "templates/config.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: {{ .Release.Name }}\n",
        **(files or {}),
    }
    for path, text in contents.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    run("package", str(source), "--destination", str(folder))
    return folder / f"{name}-{version}.tgz"


def run(*arguments: str, **variables: str) -> str:
    """Run helm without anybody's configuration."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **variables}
    done = subprocess.run([HELM, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def index(folder: pathlib.Path, url: str = "") -> None:
    """Let helm write index.yaml; without `url` the charts' addresses are relative."""
    run("repo", "index", str(folder), *(["--url", url] if url else []))


def send(handler: Handler, status: int, body: bytes = b"", **headers: str) -> None:
    """Answer one request."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if "Content_Length" not in headers:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


@contextlib.contextmanager
def serve(folder: pathlib.Path, *, password: str = "", tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Serve a folder; `password` is `user:password`."""
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    server = Server(listener.server_address[1], "http" if tls is None else "https")
    login = "Basic " + base64.b64encode(password.encode()).decode() if password else ""

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            server.requests.append(path)
            server.logins[path] = self.headers.get("Authorization", "")
            if path in server.answers:
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    server.answers[path](self)
                return
            if login and server.logins[path] != login:
                send(self, 401, WWW_Authenticate='Basic realm="charts"')
                return
            file = folder / path.lstrip("/")
            if not file.is_file():
                send(self, 404)
                return
            content = file.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()}"'
            if self.headers.get("If-None-Match") == tag:
                send(self, 304, ETag=tag)
                return
            send(self, 200, content, ETag=tag)

        def log_message(self, *_arguments: object) -> None:
            pass

    listener.RequestHandlerClass = Answering
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
