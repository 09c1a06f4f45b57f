"""Requests that schemathesis makes of our own OpenAPI: none is an internal error, each answer is as described.

Every other request is about objects that exist, so that more is asked than names nobody has. In virtual time and
without sockets; what streams is asked as nobody, for else it would not end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import orjson
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response

from syncline.server.answers.kinds import types_of
from syncline.server.requests import openapi
from syncline.server.table import ENDPOINTS
from tests.component.server.test_rights import VALUES
from tests.support.answer_types import problem_of
from tests.support.web import Got, Site, on_site

EXAMPLES = 12
DOCUMENT = orjson.loads(orjson.dumps(openapi.document(ENDPOINTS, "1.2.3")))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
STREAMS = {(one.method, re.sub(r":path", "", one.path)) for one in ENDPOINTS if one.stream}
BY_WAY = {(one.method, re.sub(r":path", "", one.path)): one for one in ENDPOINTS}
SIGNS_OUT = ("DELETE", "/api/v1/session")


def generated(operation: Any) -> list[Any]:
    """Return the cases that schemathesis makes of an operation, the same in every run."""
    found: list[Any] = []

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    def collect(case: Any) -> None:
        found.append(case)

    collect()
    return found


def operations() -> Iterator[Any]:
    for found in SCHEMA.get_all_operations():
        assert isinstance(found, Ok), "our own document cannot be read"
        yield found.ok()


def address(case: Any, *, known: bool) -> str:
    """Return path and query; with known names the objects of the site are meant."""
    given_ = {**(case.path_parameters or {}), **(VALUES if known else {})}
    path = re.sub(r"\{(\w+)\}", lambda name: quote(str(given_[name[1]]), safe=""), case.operation.path)
    query = urlencode(dict(case.query or {}), doseq=True)
    return f"{path}?{query}" if query else path


def response_of(case: Any, got: Got) -> Response:
    request = requests.Request(case.method, f"http://localhost{case.operation.path}").prepare()
    headers = {name: [value] for name, value in got.headers.items()}
    return Response(
        status_code=got.status, headers=headers, content=got.body, request=request, elapsed=0.0, verify=False
    )


async def answered(browser: Any, case: Any, *, known: bool) -> Got:
    body = None if case.body.__class__.__name__ == "NotSet" else case.body
    sent = None if body is None else json.dumps(body).encode()
    asking = browser.using(content_type="application/json") if sent is not None else browser
    got: Got = await asking.ask(case.method, address(case, known=known), body=sent)
    return got


@pytest.mark.timeout(600)
def test_generated_requests_are_answered_as_described() -> None:
    cases = [
        (case, place % 2 == 1)
        for operation in operations()
        for place, case in enumerate(generated(operation))
        if (operation.method.upper(), operation.path) != SIGNS_OUT
    ]
    assert len(cases) > 4 * len(ENDPOINTS)
    bad: list[str] = []

    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for case, known in cases:
            streams = (case.method.upper(), case.operation.path) in STREAMS
            got = await answered(site.nobody if streams else admin, case, known=known)
            if got.status >= 500:
                bad.append(f"{case.method} {address(case, known=known)}: {got.status} {got.body[:200]!r}")
                continue
            if 300 <= got.status < 400:
                continue  # A browser is sent elsewhere: there is no body to describe.
            of = BY_WAY[case.method.upper(), case.operation.path].answer
            if got.status == 200 and types_of(of) and (problem := problem_of(of, got.json)):
                bad.append(f"{case.method} {address(case, known=known)}: {problem}")
            try:
                case.operation.validate_response(response_of(case, got))
            except (AssertionError, FailureGroup) as error:
                bad.append(f"{case.method} {address(case, known=known)}: {error}")

    on_site(story)
    assert bad == [], "\n".join(bad[:20])
