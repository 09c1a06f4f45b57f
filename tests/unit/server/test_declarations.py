"""An endpoint that does not say who may use it cannot be made, so that the server does not start with it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.server.answers.kinds import Empty
from syncline.server.requests.permissions import Also, Chosen, Filtered, Needs, Open, SignedIn, always
from syncline.server.requests.routing import Endpoint
from syncline.server.table import ENDPOINTS

EVERYTHING = always("*/*")


async def handler(_call: Any) -> dict[str, Any]:
    return {}


def endpoint(**more: Any) -> Endpoint:
    return Endpoint(method="GET", path="/api/v1/new", handler=handler, about="New.", answer=Empty, **more)


def test_endpoint_without_a_declaration_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="Missing required argument 'permission'"):
        endpoint()


@pytest.mark.parametrize(
    ("permission", "also", "words"),
    [
        (None, (), "GET /api/v1/new: an endpoint declares Open, SignedIn, Filtered or Needs"),
        ((), (), "declares Open, SignedIn, Filtered or Needs"),
        ("applications", (), "declares Open, SignedIn, Filtered or Needs"),
        ((Open("why"), Needs("applications", "get", EVERYTHING)), (), "declares Open, SignedIn"),
        (Open(""), (), "says why"),
        (SignedIn(""), (), "says why"),
        (Needs("applications", "fly", EVERYTHING), (), "cannot grant fly on applications"),
        (Needs("aplications", "get", EVERYTHING), (), "cannot grant get on aplications"),
        (Needs("logs", ("get", "delete"), EVERYTHING), (), "cannot grant delete on logs"),
        (Needs("projects", Chosen(("update/x",), lambda _call: ()), EVERYTHING), (), "cannot grant update/x"),
        (Filtered("logs", "list", "lines"), (), "cannot grant list on logs"),
        (Filtered("logs", "get", "lines"), (Also("exec", "get", "shells"),), "cannot grant get on exec"),
    ],
)
def test_declaration_that_policies_cannot_grant_is_refused(permission: Any, also: Any, words: str) -> None:
    with pytest.raises(TypeError) as error:
        endpoint(permission=permission, also=also)
    assert words in str(error.value)


def test_only_what_is_declared_open_answers_without_a_session() -> None:
    assert endpoint(permission=Open("probes")).open
    assert not endpoint(permission=SignedIn("oneself")).open
    assert not endpoint(permission=Needs("logs", "get", EVERYTHING)).open


def test_changes_need_a_right_or_a_reason() -> None:
    """Nothing that changes something is a filtered list, and what needs no right at all is named here."""
    free = {
        f"{one.method} {one.path}"
        for one in ENDPOINTS
        if one.method != "GET" and not isinstance(one.permission, Needs | tuple)
    }
    assert free == {
        "POST /api/v1/session",
        "DELETE /api/v1/session",
        "POST /api/webhook",
        "POST /api/dex/{path:path}",
    }
