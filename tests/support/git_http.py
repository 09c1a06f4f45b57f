"""A real git server on loopback: `git http-backend` behind a small HTTP server, with an optional login.

Used by component tests as a context manager: `with serve(folder) as server: server.url("shop")`. `Repository` makes the
repositories it serves, by the real git program.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import threading
from collections.abc import Iterator
from urllib.parse import unquote

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_AUTHOR_DATE": "2030-01-02T03:04:05+02:00",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_COMMITTER_DATE": "2030-01-02T03:04:05+02:00",
    "LC_ALL": "C",
}


class Repository:
    """A repository with a working folder, changed by the git program."""

    def __init__(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=_ENVIRONMENT, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str | None]) -> None:
        """Write files; None deletes one, a text that starts with `-> ` makes a link."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None and text.startswith("-> "):
                path.symlink_to(text[3:])
            elif text is not None:
                path.write_text(text)

    def commit(self, files: dict[str, str | None], message: str = "change") -> str:
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def branches(self, count: int) -> None:
        """Make branches with one commit each, quickly."""
        commits = (
            f"commit refs/heads/b{number}\ncommitter Ada <ada@example.com> {number} +0000\ndata 1\nx\n"
            for number in range(count)
        )
        command = ["git", "fast-import", "--quiet"]
        subprocess.run(command, cwd=self.folder, env=_ENVIRONMENT, input="".join(commits).encode(), check=True)


class Server:
    """A running git server; counts the requests it answers."""

    def __init__(self, port: int, login: str, *, scheme: str = "http") -> None:
        self.port = port
        self.requests: list[str] = []
        self.logins: list[str] = []
        self.moved: dict[str, str] = {}
        """Beginnings of paths that are answered with a redirect to somewhere else."""
        self.large: dict[str, bytes] = {}
        """Large files by digest."""
        self.large_place = ""
        """Where they are fetched from instead of this server."""
        self._login = login
        self._scheme = scheme

    def keep(self, content: bytes) -> str:
        """Keep a large file; return the pointer to it."""
        digest = hashlib.sha256(content).hexdigest()
        self.large[digest] = content
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"

    def batch(self, asked: bytes) -> bytes:
        """Say where large files are."""
        place = self.large_place or f"{self._scheme}://127.0.0.1:{self.port}"
        entries = [
            {**one, "actions": {"download": {"href": f"{place}/large/{one['oid']}"}}}
            if one["oid"] in self.large
            else {**one, "error": {"code": 404, "message": "canary"}}
            for one in json.loads(asked)["objects"]
        ]
        return json.dumps({"transfer": "basic", "objects": entries}).encode()

    def url(self, name: str, login: str = "") -> str:
        at = f"{login}@" if login else ""
        return f"{self._scheme}://{at}127.0.0.1:{self.port}/{name}/.git"

    def admits(self, header: str) -> bool:
        self.logins.append(header)
        return not self._login or header == self._login

    def redirect(self, path: str) -> str:
        """Return where a request is sent instead, or nothing."""
        for start, place in self.moved.items():
            if path.startswith(start):
                return place + path.removeprefix(start)
        return ""


@contextlib.contextmanager
def serve(
    folder: pathlib.Path, *, password: str = "", bearer: str = "", tls: ssl.SSLContext | None = None
) -> Iterator[Server]:
    """Serve every repository below a folder; `password` is `user:password`."""
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    login = "Basic " + base64.b64encode(password.encode()).decode() if password else ""
    login = f"Bearer {bearer}" if bearer else login
    if tls is not None:
        listener.socket = tls.wrap_socket(listener.socket, server_side=True, do_handshake_on_connect=False)
    server = Server(listener.server_address[1], login, scheme="http" if tls is None else "https")
    listener.RequestHandlerClass = _handler(folder, server)
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()


def _handler(folder: pathlib.Path, server: Server) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, *_arguments: object) -> None:
            pass

        def _answer(self) -> None:
            server.requests.append(f"{self.command} {self.path}")
            if place := server.redirect(self.path):
                self.send_response(301)
                self.send_header("Location", place)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if not server.admits(self.headers.get("Authorization", "")):
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path.endswith("/info/lfs/objects/batch"):
                self._send(server.batch(body))
                return
            if self.path.startswith("/large/"):
                self._send(server.large.get(self.path.removeprefix("/large/"), b""))
                return
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=self._variables(), capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(fields.pop("Status", "200").split()[0]))
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _send(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _variables(self) -> dict[str, str]:
            path, _, query = self.path.partition("?")
            return {
                **_ENVIRONMENT,
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": unquote(path),
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
                "SERVER_PROTOCOL": "HTTP/1.1",
            }

    return Handler
