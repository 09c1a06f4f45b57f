"""Custom kinds: nodes from CRDs, pruning, and defaults of the schema."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from syncline.apimachinery.schema import builtin, crd, defaults, prune
from syncline.apimachinery.schema.node import ANY, UNSET, Node
from tests.unit.schema.widget import ANSWERS, CRD, SCHEMA, widget


def root() -> Node:
    node = crd.schema_for(CRD, "v1")
    assert node is not None
    return node


@pytest.mark.parametrize("case", ANSWERS)
def test_objects_are_pruned_and_filled_in_as_the_api_server_does(case: str) -> None:
    given, stored = ANSWERS[case]
    obj = widget(given)
    before = copy.deepcopy(obj)
    assert defaults.apply_schema_defaults(prune.prune(obj, root()), root()) == widget(stored)
    assert obj == before


@pytest.mark.parametrize("case", ANSWERS)
def test_a_stored_object_comes_back_as_it_is(case: str) -> None:
    stored = widget(ANSWERS[case][1])
    assert prune.prune(stored, root()) is stored
    assert defaults.apply_schema_defaults(stored, root()) is stored


def test_what_did_not_change_is_shared() -> None:
    obj = widget({"spec": {"unknown": 1, "items": [{"name": "1"}], "free": {"x": 1}}})
    pruned = prune.prune(obj, root())
    assert pruned["spec"]["items"] is obj["spec"]["items"]
    assert pruned["metadata"] is obj["metadata"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("items", {"type": "array", "list_type": "map", "list_keys": ("name",)}),
        ("tags", {"type": "array", "list_type": "set", "list_keys": ()}),
        ("nullables", {"type": "array", "list_type": "atomic", "nullable": True}),
        ("port", {"type": "", "int_or_string": True, "format": "int-or-string"}),
        ("deep", {"type": "object", "map_type": "atomic"}),
        ("free", {"type": "object", "map_type": "granular", "preserve_unknown": True, "elements": ANY}),
        ("size", {"type": "integer", "default": 1}),
        ("plain", {"type": "string", "default": UNSET}),
        ("template", {"embedded": True, "preserve_unknown": True}),
    ],
)
def test_a_node_says_what_the_schema_says(name: str, expected: dict[str, Any]) -> None:
    node = root().fields["spec"].fields[name]
    assert {key: getattr(node, key) for key in expected} == expected


def test_metadata_is_object_meta_whatever_the_schema_says() -> None:
    narrowed = {**SCHEMA, "properties": {**SCHEMA["properties"], "metadata": {"type": "object"}}}
    spec = {**CRD["spec"], "versions": [{"name": "v1", "schema": {"openAPIV3Schema": narrowed}}]}
    node = crd.schema_for({**CRD, "spec": spec}, "v1")
    assert node is not None
    assert node.fields["metadata"] is builtin.object_meta()


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        (CRD["spec"], "v2"),
        ({**CRD["spec"], "versions": [{"name": "v1"}]}, "v1"),
        ({}, "v1"),
    ],
)
def test_a_version_without_a_schema_has_no_node(spec: dict[str, Any], version: str) -> None:
    assert crd.schema_for({**CRD, "spec": spec}, version) is None


def test_equal_schemas_are_read_once_and_what_keeps_unknown_fields_is_another() -> None:
    relabelled = copy.deepcopy(CRD)
    relabelled["metadata"]["labels"] = {"team": "shop"}
    keeping = copy.deepcopy(CRD)
    keeping["spec"]["preserveUnknownFields"] = True
    assert crd.schema_for(relabelled, "v1") is root()
    kept = crd.schema_for(keeping, "v1")
    assert kept is not None
    assert (kept.preserve_unknown, root().preserve_unknown) == (True, False)
