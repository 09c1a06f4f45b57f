"""A running `syncline demo` and what its user can do with it."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from tests.e2e.program import WEB, Answer, Machine, Running, until

Object = dict[str, Any]


class Demo:
    """The demo, its repository and its cluster."""

    def __init__(self, machine: Machine, running: Running, folder: Path) -> None:
        self.machine = machine
        self.running = running
        self.kubeconfig = folder / "kubeconfig"
        self.repository = folder / "repo"
        link = running.says(r"web page +((http://127\.0\.0\.1:\d+)/login/once\?code=\S+)")
        self.page = link[2]
        self.session = signed_in(link[1])
        """The cookie of somebody who opened the link that was printed."""

    def kubectl(self, *arguments: str) -> Answer:
        """Run kubectl on the demo's cluster."""
        return self.machine.kubectl(self.kubeconfig, *arguments)

    def syncline(self, *arguments: str) -> Answer:
        """Run another `syncline` on the demo's cluster."""
        return self.machine.syncline(*arguments, "--kubeconfig", self.kubeconfig)

    def get(self, *arguments: str) -> Object:
        """Return an object as kubectl sees it; empty when there is none."""
        answer = self.kubectl("get", *arguments, "-o", "json")
        found: Object = json.loads(answer.out) if answer.code == 0 else {}
        return found

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a file of the repository and commit it."""
        path = self.repository / "apps/hello" / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        self.git("commit", "--quiet", "--all", "--message", f"{file}: {new.strip()}")

    def revert(self) -> None:
        """Take the last commit back."""
        self.git("revert", "--no-edit", "HEAD")

    def git(self, *arguments: str) -> str:
        """Run git in the repository."""
        answer = self.machine.run("git", "-C", self.repository, *arguments)
        assert answer.code == 0, answer.err
        return answer.out.strip()

    def settle(self) -> None:
        """Wait until the newest commit is synced and the app is well."""
        until(self._settled, lambda: f"it did not settle\n{self.running.out}\n{self.running.err}")

    def _settled(self) -> bool | None:
        head = self.git("rev-parse", "HEAD")
        status = self.get("application", "hello", "-n", "argocd").get("status") or {}
        sync, health = status.get("sync") or {}, status.get("health") or {}
        operation = status.get("operationState") or {}
        now = (sync.get("status"), sync.get("revision"), health.get("status"), operation.get("phase"))
        return now == ("Synced", head, "Healthy", "Succeeded") or None

    def fetch(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Fetch a path of the web page: status, headers, body."""
        request = urllib.request.Request(self.page + path, headers={"Cookie": self.session, **headers})
        try:
            with WEB.open(request, timeout=10) as answer:
                return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, {k.lower(): v for k, v in error.headers.items()}, error.read()


def signed_in(link: str) -> str:
    """Open a link that signs in once, without going where it leads; return the cookie."""
    address = urllib.parse.urlsplit(link)
    connection = http.client.HTTPConnection(address.netloc, timeout=10)
    try:
        connection.request("GET", f"{address.path}?{address.query}")
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    assert answer.status == 303, answer.status
    return str(answer.headers["set-cookie"]).partition(";")[0]
