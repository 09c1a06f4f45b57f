"""Applies as kube-apiserver 1.37.1 answered them, replayed without one.

recorded.json holds the steps of some sequences of tests/real/structured_merge_cases.yaml, which `make test-real` asks a
real server; here they hold what a list's keys are, since other kinds of error show in `make test` elsewhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import merge
from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.merge import reset_fields
from syncline.apimachinery.schema import builtin

Step = dict[str, Any]
STEPS: dict[str, Step] = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))
NOW = "2024-01-01T00:00:00Z"


def owners(obj: dict[str, Any]) -> list[dict[str, Any]]:
    entries = [{**entry, "time": None} for entry in obj["metadata"]["managedFields"]]
    return sorted(entries, key=lambda entry: json.dumps([entry["manager"], entry["operation"]]))


def ports(obj: dict[str, Any]) -> list[Any]:
    """The number, protocol and name of every port, where the server fills in the protocol."""
    spec = obj["spec"]
    lists = [spec.get("ports"), *(container.get("ports") for container in spec.get("containers", ()))]
    return [
        [(port.get("port") or port["containerPort"], port.get("protocol", "TCP"), port.get("name")) for port in listed]
        for listed in lists
        if listed is not None
    ]


def ours(step: Step) -> merge.Merged:
    gvk = gvk_of(step["config"])
    node = builtin.for_kind(gvk)
    assert node is not None
    ignored = reset_fields(gvk.group_kind)
    return merge.apply(
        step["live"],
        step["config"],
        manager=step["manager"],
        node=node,
        force=step["force"],
        now=NOW,
        ignored=ignored,
    )


def agrees(step: Step) -> bool:
    """Whether ours is what the server answered: the owners of all fields and the ports there are."""
    try:
        merged = ours(step)
    except merge.SchemaError:
        return False
    answer = step["answer"]
    return not merged.conflicts and owners(merged.obj) == owners(answer) and ports(merged.obj) == ports(answer)


@pytest.mark.parametrize("name", STEPS)
def test_an_apply_leads_to_what_the_server_answered(name: str) -> None:
    assert agrees(STEPS[name])
