"""Custom objects as the API server stores and refuses them: the answers the unit tests hold, asked again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.real import api as client
from tests.unit.schema import fixed as fixing
from tests.unit.schema.widget import ANSWERS, CRD, widget

pytestmark = pytest.mark.real

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def served(api: client.Api, definition: dict[str, Any]) -> str:
    """Make a CRD and return the path of its objects in one namespace, once the server serves them."""
    status, answer = api.request("POST", CRDS, definition)
    assert status in (201, 409), answer
    path = f"/apis/syncline-test.example/v1/namespaces/default/{definition['spec']['names']['plural']}"
    for _ in range(1200):
        if api.request("GET", path)[0] == 200:
            return path
        time.sleep(0.1)
    pytest.fail("the server did not begin to serve the kind within two minutes")


@pytest.fixture(scope="module")
def widgets(api: client.Api) -> str:
    return served(api, CRD)


@pytest.fixture(scope="module")
def one_fixed(api: client.Api) -> str:
    path = served(api, fixing.CRD)
    assert api.request("POST", path, fixing.fixed(fixing.OLD))[0] in (201, 409)
    return f"{path}/a"


def causes(answer: dict[str, Any]) -> dict[str, str]:
    return {cause["field"]: cause["message"] for cause in answer.get("details", {}).get("causes", [])}


@pytest.mark.parametrize("case", ANSWERS)
def test_the_recorded_answer_is_what_the_server_stores(api: client.Api, widgets: str, case: str) -> None:
    given, stored = ANSWERS[case]
    status, answer = api.request("POST", f"{widgets}?dryRun=All", widget(given))
    assert status == 201, answer
    kept: dict[str, Any] = {**answer, "metadata": {"name": answer["metadata"]["name"]}}
    assert kept == widget(stored)


@pytest.mark.parametrize(("spec", "refused"), fixing.DUPLICATES)
def test_the_recorded_duplicates_are_what_the_server_refuses(
    api: client.Api, widgets: str, spec: dict[str, Any], refused: dict[str, str]
) -> None:
    _, answer = api.request("POST", f"{widgets}?dryRun=All", widget({"spec": spec}))
    assert causes(answer) == refused


@pytest.mark.parametrize(("change", "refused"), fixing.REFUSALS)
def test_the_recorded_refusals_are_those_of_the_server(
    api: client.Api, one_fixed: str, change: dict[str, Any], refused: dict[str, str]
) -> None:
    patch = {"spec": change}
    status, answer = api.request("PATCH", f"{one_fixed}?dryRun=All", patch, "application/merge-patch+json")
    assert status in (200, 422), answer
    assert causes(answer) == refused
