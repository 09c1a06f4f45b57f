"""Dropping the stored version of a custom kind, which `preview` calls a danger: what a real API server says to it."""

import uuid

from tests.real.api import Api


def definition(group: str, *versions: dict[str, object]) -> dict[str, object]:
    schema = {"schema": {"openAPIV3Schema": {"type": "object"}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"boats.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Boat", "plural": "boats", "singular": "boat", "listKind": "BoatList"},
            "versions": [{**one, **schema} for one in versions],
        },
    }


def test_a_version_in_which_objects_are_stored_cannot_be_dropped_and_may_be_kept_unserved(api: Api) -> None:
    group = f"g{uuid.uuid4().hex[:8]}.example.com"
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    api.ok("POST", path, definition(group, {"name": "v1", "served": True, "storage": True}))
    newer = {"name": "v2", "served": True, "storage": True}
    where = f"{path}/boats.{group}?dryRun=All"
    merge = "application/merge-patch+json"
    code, answer = api.request("PATCH", where, definition(group, newer), merge)
    assert code == 422
    assert 'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions' in answer["message"]
    unserved = definition(group, {"name": "v1", "served": False, "storage": False}, newer)
    assert api.request("PATCH", where, unserved, merge)[0] == 200
