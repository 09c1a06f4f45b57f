"""CEL rules as the real API server checks them: the answers the unit tests hold, asked again."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.real import api as client
from tests.real.test_custom_schemas import served
from tests.unit.schema import cel_cases as cases

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def rulers(api: client.Api) -> str:
    return served(api, cases.CRD)


def refusals(answer: dict[str, Any]) -> list[list[str]]:
    causes = answer.get("details", {}).get("causes", []) if answer.get("kind") == "Status" else []
    return sorted([cause["field"], cause["message"]] for cause in causes)


@pytest.mark.parametrize("case", cases.CREATED)
def test_the_recorded_refusals_of_new_objects_are_the_servers(api: client.Api, rulers: str, case: str) -> None:
    status, answer = api.request("POST", f"{rulers}?dryRun=All", cases.ruler(cases.CREATED[case]))
    assert status in (201, 422), answer
    assert refusals(answer) == cases.RECORDED[case]


def test_a_rule_may_look_at_the_name(api: client.Api, rulers: str) -> None:
    _, answer = api.request("POST", f"{rulers}?dryRun=All", cases.ruler({}, name="evil"))
    assert refusals(answer) == cases.RECORDED["an evil name"]


@pytest.mark.parametrize("case", cases.UPDATED)
def test_the_recorded_refusals_of_changes_are_the_servers(api: client.Api, rulers: str, case: str) -> None:
    old, new = cases.UPDATED[case]
    name = f"r{uuid.uuid4().hex[:10]}"
    made = api.ok("POST", rulers, cases.ruler(old, name))
    changed = {**cases.ruler(new, name), "metadata": made["metadata"]}
    status, answer = api.request("PUT", f"{rulers}/{name}?dryRun=All", changed)
    assert status in (200, 422), answer
    assert refusals(answer) == cases.RECORDED[case]
