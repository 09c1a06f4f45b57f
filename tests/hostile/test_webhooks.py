"""L1: bodies of webhooks that are too large, too deep, of the wrong shape, or of nobody."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import pathlib
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import Client
from tests.hostile.installation import Installation

PUSH: dict[str, Any] = {
    "ref": "refs/heads/main",
    "repository": {
        "html_url": "https://git.example/x",
        "clone_url": "https://git.example/x.git",
        "default_branch": "main",
    },
    "commits": [{"added": ["a"], "modified": ["b"], "removed": []}],
    "before": "0",
    "after": "1",
}
CHANGES: list[Any] = [None, [], {}, "", 0, True, "x" * 10_000, [[]], {"": None}, -1e308, "\ud800"]


def _signed(installation: Installation, body: bytes, **more: str) -> dict[str, str]:
    key = installation.canaries["webhook-secret"].encode()
    mark = hmac.new(key, body, hashlib.sha256).hexdigest()
    return {
        "X_GitHub_Event": "push",
        "X_Hub_Signature_256": f"sha256={mark}",
        "Content_Type": "application/json",
        **more,
    }


def _memory(installation: Installation) -> int:
    text = pathlib.Path(f"/proc/{installation.processes['server'].pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def test_signed_push_is_taken(installation: Installation) -> None:
    """Without this no refusal below would prove anything."""
    body = json.dumps(PUSH).encode()
    assert (
        Client(installation.server_port).send("POST", "/api/webhook", body, more=_signed(installation, body)).status
        == 200
    )


@pytest.mark.parametrize(
    "headers",
    [
        {"X_GitHub_Event": "push"},
        {"X_GitHub_Event": "push", "X_Hub_Signature_256": "sha256=" + "0" * 64},
        {"X_GitHub_Event": "push", "X_Hub_Signature": "sha1=" + "0" * 40},
        {"X_GitHub_Event": "push", "X_Hub_Signature_256": ""},
        {"X_Gitlab_Event": "Push Hook", "X_Gitlab_Token": ""},
        {"X_Gitlab_Event": "Push Hook"},
        {"X_Event_Key": "repo:push"},
        {"X_Event_Key": "repo:refs_changed"},
        {"X_Gogs_Event": "push"},
        {"X_Gitea_Event": "push"},
        {"X_Vss_Activityid": "1"},
        {},
    ],
    ids=lambda headers: "-".join(headers) or "none",
)
def test_push_that_proves_nothing_is_refused(installation: Installation, headers: dict[str, str]) -> None:
    body = json.dumps(PUSH).encode()
    answer = Client(installation.server_port).send(
        "POST", "/api/webhook", body, Content_Type="application/json", more=headers
    )
    oracle.answer_refused(answer, 400, 401, 403)


def test_body_of_nobody_costs_nothing(installation: Installation) -> None:
    before = _memory(installation)
    client = Client(installation.server_port)
    for _ in range(3):
        try:
            answer = client.send("POST", "/api/webhook", bytes(51 << 20), X_GitHub_Event="push")
        except OSError:
            continue  # The server closed the connection without reading it all.
        oracle.answer_refused(answer, 400, 401, 403, 413)
    assert _memory(installation) - before < 100, "unsigned bodies are kept in memory"
    assert client.get("/healthz").status == 200


def test_signed_bodies_of_any_shape_are_refused_in_words(installation: Installation) -> None:
    """Each field absent, null, of another type, empty: no 5xx, and the process lives."""
    client = Client(installation.server_port)
    bodies: list[Any] = [[], None, "x", 5, {}]
    for name in PUSH:
        bodies.append({key: value for key, value in PUSH.items() if key != name})
        bodies.extend({**PUSH, name: change} for change in CHANGES)
    for name in PUSH["repository"]:
        bodies.extend({**PUSH, "repository": {**PUSH["repository"], name: change}} for change in CHANGES)
    bodies.extend({**PUSH, "commits": [change]} for change in CHANGES)
    bodies.extend({**PUSH, "commits": [{"added": [change], "modified": change}]} for change in CHANGES)
    for payload in bodies:
        body = json.dumps(payload).encode()
        answer = client.send("POST", "/api/webhook", body, more=_signed(installation, body))
        assert answer.status in (200, 400), f"{answer.status} for {body[:200]!r}"
        oracle.no_traceback(answer.text, "the answer")
    installation.alive()


@pytest.mark.parametrize(
    "body",
    [b"[" * 100_000, b'{"a":' * 10_000, b'{"ref": "a", "ref": "b"}', b"\xff\xfe\x00", b"", b"NaN", b'{"ref": 1e999}'],
    ids=["deep-list", "deep-map", "twice", "not-utf8", "empty", "nan", "infinite"],
)
def test_signed_text_that_is_hardly_json_is_refused(installation: Installation, body: bytes) -> None:
    answer = Client(installation.server_port).send("POST", "/api/webhook", body, more=_signed(installation, body))
    assert answer.status in (200, 400)
    assert answer.seconds < 10


def test_compressed_bomb_is_not_unpacked(installation: Installation) -> None:
    body = gzip.compress(bytes(200 << 20))
    before = _memory(installation)
    answer = Client(installation.server_port).send(
        "POST", "/api/webhook", body, more=_signed(installation, body, Content_Encoding="gzip")
    )
    oracle.answer_refused(answer, 400, 401, 403, 413, 415)
    assert _memory(installation) - before < 100
