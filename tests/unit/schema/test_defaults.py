"""Defaults of built-in kinds, against answers recorded from kube-apiserver 1.37.1 (tools/record_defaults.py)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, computed_defaults, defaults, definitions

RECORDED: list[dict[str, dict[str, Any]]] = json.loads(Path(__file__).with_name("defaults_recorded.json").read_text())


def name_of(row: dict[str, dict[str, Any]]) -> str:
    return f"{row['object']['kind']}-{row['object']['metadata']['name']}"


def without_nulls(value: Any) -> Any:
    """Leave out nulls, which stand for absent."""
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def comparable(obj: dict[str, Any]) -> dict[str, Any]:
    obj = {name: value for name, value in without_nulls(obj).items() if name != "status"}
    if obj["kind"] == "Service":
        obj["spec"] = {name: value for name, value in obj["spec"].items() if name != "clusterIP"}
    if obj["kind"] == "Job" and not obj["spec"].get("manualSelector"):
        template = {name: value for name, value in obj["spec"]["template"].items() if name != "metadata"}
        obj["spec"] = {**obj["spec"], "template": template}
    return obj


@pytest.mark.parametrize("row", RECORDED, ids=name_of)
def test_an_object_is_filled_in_as_recorded(row: dict[str, dict[str, Any]]) -> None:
    obj = row["object"]
    before = copy.deepcopy(obj)
    assert comparable(defaults.apply(obj, keys.gvk_of(obj))) == comparable(row["answer"])
    assert obj == before


@pytest.mark.parametrize("row", RECORDED, ids=name_of)
def test_filling_in_twice_changes_nothing(row: dict[str, dict[str, Any]]) -> None:
    once = defaults.apply(row["object"], keys.gvk_of(row["object"]))
    assert defaults.apply(once, keys.gvk_of(once)) is once


def test_every_kind_with_rules_is_a_built_in_kind() -> None:
    known = {
        f"{gvk.group}/{gvk.version}/{gvk.kind}" for version in definitions.versions() for gvk in builtin.kinds(version)
    }
    assert set(defaults._rules().kinds) <= known


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.25", "IfNotPresent"),
        ("registry.example:5000/nginx", "Always"),
        ("registry.example:5000/nginx:1", "IfNotPresent"),
        (f"nginx@sha256:{'0' * 64}", "IfNotPresent"),
        (f"nginx:latest@sha256:{'0' * 64}", "Always"),
        ("nginx@sha256:0123", "IfNotPresent"),
        ("Nginx", "IfNotPresent"),
        ("A/b", "Always"),
        ("a/B:latest", "IfNotPresent"),
        ("${IMAGE}", "IfNotPresent"),
        ("a//b", "IfNotPresent"),
        ("0" * 64, "IfNotPresent"),
        ("[::1]:5000/a", "Always"),
        ("", "IfNotPresent"),
    ],
)
def test_the_pull_policy_follows_from_the_image(image: str, policy: str) -> None:
    assert computed_defaults.pull_policy(image) == policy


def test_unchanged_parts_are_shared_with_the_input() -> None:
    labels = {"a": "b"}
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"labels": labels}, "spec": {"selector": labels}}
    filled = defaults.apply(obj, keys.gvk_of(obj))
    assert filled["metadata"] is obj["metadata"]
    assert filled["spec"]["selector"] is labels


@pytest.mark.parametrize(
    ("version", "filled"), [("1.34", {"partition": 0}), ("1.35", {"partition": 0, "maxUnavailable": 1})]
)
def test_defaults_of_newer_versions_are_left_out_for_older_ones(version: str, filled: dict[str, int]) -> None:
    obj: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {}, "spec": {}}
    spec = defaults.apply(obj, keys.gvk_of(obj), version)["spec"]
    assert spec["updateStrategy"]["rollingUpdate"] == filled


def test_other_kinds_come_back_as_they_are() -> None:
    obj = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {}}
    assert defaults.apply(obj, keys.gvk_of(obj)) is obj


@pytest.mark.parametrize(
    "spec", [None, [], "text", {"template": None}, {"template": {"spec": {"containers": [None, 3]}}}]
)
def test_malformed_objects_do_not_break_it(spec: Any) -> None:
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}
    assert defaults.apply(obj, keys.gvk_of(obj))["kind"] == "Deployment"
