"""Item 18: every endpoint of the OpenAPI document, asked by three people about what is not theirs.

The document comes from the attacked server itself, so an endpoint that is added is walked without a line here.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import Answer, Client, part
from tests.hostile.installation import HOME, VAULT, Installation

STREAM = ("/stream/", "/logs", "/snapshot")
SIGNS_OUT = (("DELETE", "/api/v1/session"), ("GET", "/auth/logout"))
FOREIGN = {
    "kind": "Secret",
    "group": "",
    "version": "v1",
    "namespace": VAULT,
    "resourceName": "payments",
    "appName": "neighbour",
    "appProject": "team-b",
    "project": "team-b",
}
"""What queries name: endpoints ignore those that they do not know."""


def _values(installation: Installation, name: str) -> dict[str, str]:
    return {
        "name": name,
        "repo": installation.url("private/vault"),
        "server": "https://far.example.invalid",
        "url": installation.url("private"),
        "role": "ci",
        "iat": "1",
        "id": "x",
        "path": "../../api/v1/clusters",
        "pod": "payments",
        "resource": "applications",
        "revision": "HEAD",
        "action": "get",
        "subresource": "team-b/neighbour",
    }


def _ask(client: Client, method: str, path: str, operation: dict[str, Any]) -> Answer:
    """Ask one endpoint about what the query names, with the smallest body that its schema takes."""
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    body: Any = None if schema is None else "restart" if schema.get("type") == "string" else {}
    if method in ("POST", "PUT", "PATCH") and body is None:
        body = {}
    return client.send(method, path, body, query=FOREIGN)


@pytest.mark.parametrize("who", ["alice", "nobody", ""])
def test_no_endpoint_fails_or_leaks_when_asked_about_what_belongs_to_others(
    installation: Installation, who: str
) -> None:
    # Some endpoints end the session: this one is nobody else's.
    client = installation.signed_in(who) if who else installation.as_("")
    begun = installation.mark()
    paths = installation.as_("alice").get("/openapi.json").json["paths"]
    assert len(paths) > 80, "the document is nearly empty: this test attacks little"
    walked = 0
    for path, operations in paths.items():
        for verb, operation in operations.items():
            method = verb.upper()
            if (method, path) in SIGNS_OUT:
                continue
            for name in ("neighbour", "team-b", "far"):
                values = _values(installation, name)
                asked = re.sub(r"\{(\w+)\}", lambda found, values=values: part(values[found[1]]), path)  # type: ignore[misc]
                where = f"{method} {asked} as {who or 'a stranger'}"
                if method == "GET" and any(word in path for word in STREAM):
                    oracle.no_canary(installation, client.stream(asked, 0.5, **FOREIGN), where)
                else:
                    answer = _ask(client, method, asked, operation)
                    assert answer.status < 500, f"{where}: {answer.status} {answer.text[:500]}"
                    oracle.no_canary(installation, answer.text + str(answer.headers), where)
                    oracle.no_traceback(answer.text, where)
                walked += 1
                if "{" not in path:
                    break
    assert walked > 150, walked
    if who:
        assert client.get("/api/v1/session/userinfo").json["loggedIn"], "the session ended: this walk was a stranger's"
    # The login of the walk itself and what the server remembers of it are its own objects; nothing else was written.
    oracle.nothing_written(installation, installation.writes(begun), {VAULT})
    assert installation.application("neighbour", HOME) is not None
    assert installation.read("AppProject", "team-b") is not None
    installation.alive()
