"""The form in which the API server prints objects back; tests/real/test_stored_form.py asks it for all kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, stored

RECORDED: list[dict[str, dict[str, Any]]] = json.loads(Path(__file__).with_name("defaults_recorded.json").read_text())


def form(obj: dict[str, Any]) -> dict[str, Any]:
    node = builtin.for_kind(keys.gvk_of(obj))
    assert node is not None
    return stored.stored_form(obj, node)


def pod(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "a", **(container or {})}], **spec},
    }


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (pod(hostNetwork=False, nodeSelector={}, tolerations=[], hostname=""), pod()),
        (pod({"args": [], "tty": False, "env": None}), pod()),
        (pod(automountServiceAccountToken=False), pod(automountServiceAccountToken=False)),
        (pod(affinity={}, securityContext={}), pod(affinity={}, securityContext={})),
        (pod(terminationGracePeriodSeconds=0), pod(terminationGracePeriodSeconds=0)),
        (pod(volumes=[{"name": "v", "emptyDir": {}}]), pod(volumes=[{"name": "v", "emptyDir": {}}])),
        (pod(volumes=[{"name": "v", "emptyDir": {"medium": ""}}]), pod(volumes=[{"name": "v", "emptyDir": {}}])),
        (pod({"resources": {"limits": {"cpu": 1}, "requests": {}}}), pod({"resources": {"limits": {"cpu": "1"}}})),
        (pod({"resources": {"limits": {"memory": "1024Mi"}}}), pod({"resources": {"limits": {"memory": "1Gi"}}})),
        (pod(nonsense=1), pod()),
        ({**pod(), "metadata": {"name": "a", "labels": {}, "annotations": None}}, pod()),
    ],
)
def test_what_go_leaves_out_is_left_out(written: dict[str, Any], kept: dict[str, Any]) -> None:
    assert form(written) == kept


def test_a_null_in_a_map_of_texts_is_an_empty_text() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": None, "b": ""}}
    assert form(obj)["data"] == {"a": "", "b": ""}


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (pod({"command": [None, "a"]}), pod({"command": ["", "a"]})),
        (pod(imagePullSecrets=[None, {"name": "a"}]), pod(imagePullSecrets=[{}, {"name": "a"}])),
        (pod({"resources": {"limits": {"cpu": None}}}), pod({"resources": {"limits": {"cpu": "0"}}})),
    ],
)
def test_a_null_where_a_value_has_to_stand_is_the_zero_value(written: dict[str, Any], kept: dict[str, Any]) -> None:
    assert form(written) == kept


def test_free_parts_are_left_alone() -> None:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "a"},
        "revision": 1,
        "data": {"a": None, "b": []},
    }
    assert form(obj) is obj


@pytest.mark.parametrize(
    "row", RECORDED, ids=lambda row: f"{row['object']['kind']}-{row['object']['metadata']['name']}"
)
def test_what_the_api_server_printed_comes_back_as_it_is(row: dict[str, dict[str, Any]]) -> None:
    assert form(row["answer"]) is row["answer"]
