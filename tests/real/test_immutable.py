"""What the API server refuses to change, compared with what we say it refuses, in its own words."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, immutable
from tests.real import api as client

pytestmark = pytest.mark.real

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("immutable_cases.yaml").read_text(encoding="utf-8")
)
# Refusals that are about the new value, not about the change.
OTHER_FIELDS = {"spec.podReplacementPolicy"}


def collection_path(obj: dict[str, Any], namespace: str) -> str:
    resource = builtin.kinds()[keys.gvk_of(obj)]
    root = f"/apis/{obj['apiVersion']}" if "/" in obj["apiVersion"] else f"/api/{obj['apiVersion']}"
    return f"{root}/{f'namespaces/{namespace}/' if resource.namespaced else ''}{resource.plural}"


def merged(value: Any, patch: Any) -> Any:
    """Apply a JSON merge patch, written out once more so that the test leans on nothing it tests."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for name, change in patch.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), change)
    return result


def refusals(answer: dict[str, Any]) -> dict[str, str]:
    """Return what the server refused by field, without the differences it prints from the second line on."""
    causes = answer.get("details", {}).get("causes", [])
    return {
        cause["field"]: cause["message"].partition("\n")[0] for cause in causes if cause["field"] not in OTHER_FIELDS
    }


def masked(message: str, ours: str) -> str:
    """Hide the server's value where ours is hidden."""
    if ours.startswith("Invalid value: …: "):
        return re.sub(r"^Invalid value: .*: ", "Invalid value: …: ", message)
    return message


def established(api: client.Api, path: str) -> dict[str, Any]:
    """Return a CRD once the server has taken it up; only then some of its fields are fixed."""
    deadline = time.monotonic() + 120
    while True:
        found = api.ok("GET", path)
        conditions = (found.get("status") or {}).get("conditions") or ()
        if any((one["type"], one["status"]) == ("Established", "True") for one in conditions):
            return found
        assert time.monotonic() < deadline, found.get("status")
        time.sleep(0.1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_same_changes_are_refused_with_the_same_words(
    api: client.Api, namespace: str, case: dict[str, Any]
) -> None:
    obj, patch = case["object"], case["patch"]
    path = collection_path(obj, namespace)
    one = f"{path}/{obj['metadata']['name']}"
    status, made = api.request("POST", path, obj)
    if status == 409:
        status, made = api.request("GET", one)
    assert status in (200, 201), made.get("message")
    if case.get("wait"):
        made = established(api, one)
    status, answer = api.request("PATCH", f"{one}?dryRun=All", patch, content_type="application/merge-patch+json")
    said = refusals(answer) if status == 422 else {}
    assert status in (200, 422), answer
    predicted = immutable.violations(made, merged(made, patch), keys.gvk_of(obj))
    ours = {violation.path: violation.message for violation in predicted}
    assert ours == {field: masked(text, ours.get(field, "")) for field, text in said.items()}
    if obj["kind"] == "Service":
        api.ok("DELETE", one)
