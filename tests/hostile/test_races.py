"""R1: many writers of one object at once: no error of the server's own, and no torn state."""

from __future__ import annotations

import concurrent.futures
import json
from collections.abc import Callable

from tests.hostile import oracle
from tests.hostile.client import Answer
from tests.hostile.installation import Installation, application

WRITERS = 50


def _all_at_once(call: Callable[[int], Answer]) -> list[Answer]:
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(call, range(WRITERS)))


def test_concurrent_writes_of_an_application_conflict_or_win(installation: Installation) -> None:
    installation.create(
        application("raced", "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)
    )
    alice = installation.as_("alice")
    installation.until(lambda: alice.get("/api/v1/applications/raced").status == 200, "seeing it", 60)

    def patch(number: int) -> Answer:
        text = json.dumps({"metadata": {"labels": {"a": f"w{number}", "b": f"w{number}"}}})
        return alice.send("PATCH", "/api/v1/applications/raced", {"patch": text, "patchType": "merge"})

    statuses = {answer.status for answer in _all_at_once(patch)}
    assert statuses <= {200, 409, 429}, statuses
    labels = (installation.application("raced") or {})["metadata"]["labels"]
    assert labels["a"] == labels["b"], "one write was stored in parts"


def test_concurrent_deletions_and_creations_end_in_one_state(installation: Installation) -> None:
    alice = installation.as_("alice")
    body = application("flickering", "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)

    def flip(number: int) -> Answer:
        if number % 2:
            return alice.send("DELETE", "/api/v1/applications/flickering?cascade=false")
        return alice.post("/api/v1/applications", body, upsert="true")

    for answer in _all_at_once(flip):
        assert answer.status < 500, answer.text
    installation.delete(body)


def test_concurrent_repository_and_token_writes_keep_the_process_alive(installation: Installation) -> None:
    """CVE-2025-55191, CVE-2024-21661: shared state that is changed while it is read."""
    alice = installation.as_("alice")

    def write(number: int) -> Answer:
        if number % 3 == 0:
            return alice.get("/api/v1/repositories")
        if number % 3 == 1:
            body = {
                "repo": f"https://git.example.invalid/{number % 2}",
                "project": "team-a",
                "password": str(number),
                "username": "x",
            }
            return alice.post("/api/v1/repositories", body, upsert="true")
        return alice.post("/api/v1/account/alice/token", {"name": "alice", "expiresIn": 60, "id": f"t{number % 4}"})

    for answer in _all_at_once(write):
        assert answer.status < 500, answer.text
    installation.alive()
    oracle.no_traceback(installation.log("server"), "the log of the server")
