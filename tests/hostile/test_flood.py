"""Item 12 and L2: half-sent requests and storms of pushes leave the server and the controller at work."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import hmac
import json
import pathlib
import resource
import socket
import time
from collections.abc import Iterator

from tests.hostile.client import Client
from tests.hostile.installation import HOME, Installation

HALF = 1_500
PUSHES = 1_000


@contextlib.contextmanager
def _half_sent(installation: Installation, count: int) -> Iterator[list[socket.socket]]:
    """Open connections from another address of this machine, and send each half a request."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 3 * count)), hard))
    with contextlib.ExitStack() as stack:
        opened: list[socket.socket] = []
        for _ in range(count):
            sock = stack.enter_context(socket.socket())
            sock.settimeout(2)
            sock.bind(("127.0.0.2", 0))
            with contextlib.suppress(OSError):
                sock.connect(("127.0.0.1", installation.server_port))
                sock.sendall(b"GET /api/v1/applications HTTP/1.1\r\nHost: x\r\nX-Slow: ")
                opened.append(sock)
        yield opened


def _descriptors(installation: Installation) -> int:
    process = installation.processes["server"].pid
    return len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))


def _closed(sock: socket.socket) -> bool:
    """Tell whether the server hung up, maybe after a word why."""
    sock.settimeout(0.001)
    try:
        return sock.recv(65536) == b"" or sock.recv(65536) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_half_sent_requests_do_not_keep_others_out(installation: Installation) -> None:
    alice = installation.as_("alice")
    before = _descriptors(installation)
    with _half_sent(installation, HALF) as opened:
        answer = alice.send("GET", "/api/v1/applications/honest", limit=20)
        assert answer.status == 200
        assert answer.seconds < 10
        held = _descriptors(installation) - before
        assert held < HALF / 2, f"the server holds {held} descriptors for requests that nobody finished"

        def gone() -> bool:
            # Each is looked at: one that just got its refusal is closed at the next look.
            return not [sock for sock in opened if not _closed(sock)]

        installation.until(gone, "the end of half-sent requests", 60)
    assert installation.log("server").count("Too many open files") < 20


def test_server_answers_when_it_runs_out_of_descriptors(installation: Installation) -> None:
    """With few descriptors left the process lives, says so a few times, and recovers."""
    process = installation.processes["server"].pid
    limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (256, limits[1]))
    try:
        with _half_sent(installation, 600):
            time.sleep(2)
            installation.alive()
        installation.until(lambda: _answers(installation), "an answer after the flood", 60)
    finally:
        resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
    assert installation.log("server").count("Too many open files") < 50


def _answers(installation: Installation) -> bool:
    with contextlib.suppress(OSError):
        return Client(installation.server_port).get("/healthz").status == 200
    return False


def test_storm_of_pushes_is_coalesced(installation: Installation) -> None:
    """A thousand pushes that name every Application refresh each of them a few times, not a thousand."""
    url = installation.url("team-a/main").removesuffix("/.git")
    push = {
        "ref": "refs/heads/main",
        "repository": {"html_url": url, "clone_url": f"{url}/.git", "default_branch": "main"},
    }
    body = json.dumps({**push, "commits": [{"modified": ["honest/config.yaml"]}]}).encode()
    mark = hmac.new(installation.canaries["webhook-secret"].encode(), body, hashlib.sha256).hexdigest()
    headers = {"X_GitHub_Event": "push", "X_Hub_Signature_256": f"sha256={mark}", "Content_Type": "application/json"}
    client = Client(installation.server_port)
    begun, started = installation.mark(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(lambda _: client.send("POST", "/api/webhook", body, more=headers).status, range(PUSHES))
        )
    took = time.monotonic() - started
    assert set(statuses) <= {200, 429}
    assert client.get("/healthz").seconds < 5
    time.sleep(3)
    writes = [
        entry
        for entry in installation.writes(begun)
        if entry["objectRef"].get("namespace") == HOME and entry["objectRef"].get("name") == "honest"
    ]
    assert len(writes) < 40 + 20 * took, f"{len(writes)} writes to one Application for {PUSHES} pushes in {took:.0f} s"
    installation.alive()
