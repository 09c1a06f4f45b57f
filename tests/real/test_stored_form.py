"""Objects with every zero value written out, as the API server prints them back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, defaults, stored
from syncline.apimachinery.schema.node import Node
from tests.real import api as client
from tests.real.test_defaults import CASES, collection_path, without_allocated

pytestmark = pytest.mark.real

ZEROS: dict[str, Any] = {"string": "", "integer": 0, "boolean": False, "number": 0, "array": []}
# An empty value of these is refused by the server, or is a value to it.
NOT_ADDED = {"overhead", "policies", "dependencies", "generateName", "managedFields", "ownerReferences", "uid"}
NOT_ADDED |= {"claims", "resourceVersion", "selfLink", "namespace", "generation"}


def write_zeros(value: Any, node: Node) -> None:
    """Add to every part of an object the fields it leaves out, with the zero values of their types."""
    if isinstance(value, list):
        for item in value:
            write_zeros(item, node.elements or node)
    elif isinstance(value, dict):
        for name, member in value.items():
            inner = node.field(name)
            if inner is not None:
                write_zeros(member, inner)
        for name, inner in node.fields.items():
            if name not in value and inner.omit_zero and name not in NOT_ADDED:
                value[name] = ZEROS.get(inner.type, {})


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['metadata']['name']}")
def test_zero_values_are_left_out_as_the_api_server_does(api: client.Api, namespace: str, case: dict[str, Any]) -> None:
    gvk = keys.gvk_of(case)
    node = builtin.for_kind(gvk)
    assert node is not None
    obj = copy.deepcopy(case)
    if gvk.kind != "CustomResourceDefinition":
        write_zeros(obj, node)
    status, answer = api.request("POST", collection_path(case, namespace) + "?dryRun=All", obj)
    assert status == 201, answer.get("message")
    assert without_allocated(defaults.apply(stored.stored_form(obj, node), gvk)) == without_allocated(answer)


@pytest.mark.parametrize(
    "amount",
    [1, 0.5, "1000m", "1024Mi", "1.5Gi", "1e3", "0.1", "100000000", "1500m", "2000000Ki", "1E", "12Ei", "0"],
)
def test_quantities_are_written_as_the_api_server_does(api: client.Api, amount: Any) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "a"},
        "spec": {"hard": {"limits.cpu": amount}},
    }
    node = builtin.for_kind(keys.gvk_of(obj))
    assert node is not None
    answer = api.ok("POST", "/api/v1/namespaces/default/resourcequotas?dryRun=All", obj)
    assert stored.stored_form(obj, node)["spec"] == answer["spec"]
