"""A local server that keeps the comments of one pull request as GitHub and GitLab document it."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

TOKEN = "t0ken-of-a-pipeline"
BOT = "pipeline[bot]"
_GITHUB = re.compile(r"/repos/team/platform/issues(?:/(?P<pull>7)/comments|/comments/(?P<one>\d+))")
_GITLAB = re.compile(r"/projects/12/merge_requests/7/notes(?:/(?P<one>\d+))?")


@dataclass
class CommentHost:
    """The comments, the requests that came, and whether the token may write."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    may_write: bool = True
    names_us: bool = True
    """Whether a token can ask who it is: those of workflows cannot."""
    address: str = ""
    head: str = ""
    """The commit that the pull request is at."""

    def add(self, author: str, text: str, kind: str = "User") -> None:
        user = {"login": author, "username": author, "type": kind}
        self.comments.append({"id": len(self.comments) + 1, "user": user, "author": user, "body": text})

    def github(self, event: str, summary: str = "") -> dict[str, str]:
        """Return the variables that a workflow has."""
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.address,
            "GITHUB_REPOSITORY": "team/platform",
            "GITHUB_EVENT_PATH": event,
            "GITHUB_TOKEN": TOKEN,
            **({"GITHUB_STEP_SUMMARY": summary} if summary else {}),
        }

    def gitlab(self, base: str) -> dict[str, str]:
        """Return the variables that a job has."""
        return {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": self.address,
            "CI_PROJECT_ID": "12",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
            "SYNCLINE_GITLAB_TOKEN": TOKEN,
        }

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, Any]:
        url = urllib.parse.urlsplit(target)
        self.requests.append(f"{method} {url.path}")
        if url.path == "/user":
            return (200, {"login": BOT, "username": BOT}) if self.names_us else (403, {})
        if (method, url.path) == ("GET", "/repos/team/platform/pulls/7"):
            return 200, {"number": 7, "head": {"sha": self.head}}
        if (method, url.path) == ("GET", "/projects/12/merge_requests/7"):
            return 200, {"iid": 7, "sha": self.head}
        found = _GITHUB.fullmatch(url.path) or _GITLAB.fullmatch(url.path)
        if found is None:
            return 404, {}
        if method == "GET":
            query = urllib.parse.parse_qs(url.query)
            page, size = int(query.get("page", ["1"])[0]), min(100, int(query.get("per_page", ["30"])[0]))
            return 200, self.comments[(page - 1) * size : page * size]
        if not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        text = str(json.loads(body)["body"])
        if method == "POST" and not found["one"]:
            self.add(BOT, text, "Bot")
            return 201, self.comments[-1]
        if found["one"] and method == ("PATCH" if found.re is _GITHUB else "PUT"):
            self.comments[int(found["one"]) - 1]["body"] = text
            return 200, {}
        return 405, {}


@contextlib.contextmanager
def serving(host: CommentHost) -> Iterator[CommentHost]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            shown = (self.headers.get("Authorization"), self.headers.get("PRIVATE-TOKEN"))
            known = shown in ((f"Bearer {TOKEN}", None), (None, TOKEN))
            status, value = host.answer(self.command, self.path, body) if known else (401, {})
            content = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = handle_one  # noqa: N815 - names of the standard library

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as above
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    host.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield host
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
