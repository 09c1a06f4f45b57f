"""Differences of two objects: where, and both values."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.diff import FieldChange, diff
from syncline.apimachinery.keys import GroupVersionKind, gvk_of
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from tests.oracle.patch import generated

POD = builtin.for_kind(GroupVersionKind("", "v1", "Pod"))

seeds = st.integers(0, 10**9)
Doc = dict[str, Any]


def pod(*containers: Doc, **spec: Any) -> Doc:
    return {"spec": {"containers": list(containers), **spec}}


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param(pod({"name": "a"}), pod({"name": "a"}), (), id="equal"),
        pytest.param(
            pod({"name": "a", "image": "a:1"}),
            pod({"name": "a", "image": "a:2"}),
            (FieldChange("spec.containers[name=a].image", "a:1", "a:2"),),
            id="an item of an associative list by its key",
        ),
        pytest.param(
            pod({"name": "a"}, {"name": "b"}),
            pod({"name": "b"}, {"name": "c"}),
            (
                FieldChange("spec.containers[name=a]", {"name": "a"}, MISSING),
                FieldChange("spec.containers[name=c]", MISSING, {"name": "c"}),
            ),
            id="items added and removed",
        ),
        pytest.param(
            pod({"name": "a"}, {"name": "b"}),
            pod({"name": "b"}, {"name": "a"}),
            (FieldChange("spec.containers", [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]),),
            id="a mere change of order",
        ),
        pytest.param(
            pod({"name": "a", "ports": [{"containerPort": 53}]}),
            pod({"name": "a", "ports": [{"containerPort": 53, "name": "dns"}]}),
            (FieldChange("spec.containers[name=a].ports[containerPort=53,protocol=TCP].name", MISSING, "dns"),),
            id="a key that is absent has its default",
        ),
        pytest.param(
            pod({"name": "a", "args": ["x", "y"]}),
            pod({"name": "a", "args": ["x", "z"]}),
            (FieldChange("spec.containers[name=a].args[1]", "y", "z"),),
            id="an atomic list of the same length by index",
        ),
        pytest.param(
            pod({"name": "a", "args": ["x", "y"]}),
            pod({"name": "a", "args": ["w", "x", "y"]}),
            (FieldChange("spec.containers[name=a].args", ["x", "y"], ["w", "x", "y"]),),
            id="an atomic list of another length as a whole",
        ),
        pytest.param(
            pod({"name": "a"}, {"name": "a", "image": "i"}),
            pod({"name": "a"}, {"name": "a", "image": "j"}),
            (FieldChange("spec.containers[1].image", "i", "j"),),
            id="items that cannot be told apart by index",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a", "b"]}},
            {"metadata": {"finalizers": ["b", "c"]}},
            (
                FieldChange("metadata.finalizers[=a]", "a", MISSING),
                FieldChange("metadata.finalizers[=c]", MISSING, "c"),
            ),
            id="a set by value",
        ),
        pytest.param(
            {"metadata": {"annotations": {"x.io/b": "1"}}},
            {"metadata": {"annotations": {"x.io/b": "2", "a": "1"}, "labels": {"l": "m"}}},
            (
                FieldChange("metadata.annotations.a", MISSING, "1"),
                FieldChange('metadata.annotations["x.io/b"]', "1", "2"),
                FieldChange("metadata.labels", MISSING, {"l": "m"}),
            ),
            id="sorted, and an added map as one change",
        ),
        pytest.param(pod(hostPID=True), pod(hostPID=1), (FieldChange("spec.hostPID", True, 1),), id="true is not 1"),
        pytest.param(
            pod(nodeName=None), pod(), (FieldChange("spec.nodeName", None, MISSING),), id="null is not absent"
        ),
    ],
)
def test_differences_are_listed(before: Doc, after: Doc, changes: tuple[FieldChange, ...]) -> None:
    assert diff(before, after, POD) == changes


def resources(cpu: Any) -> Doc:
    return pod({"name": "a", "resources": {"limits": {"cpu": cpu}}})


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [("1000m", "1", True), ("1000m", 1, True), ("1Gi", "1G", False), ("nonsense", "1", False), (True, "1", False)],
)
def test_quantities_may_be_compared_by_value(before: Any, after: Any, same: bool) -> None:
    changes = diff(resources(before), resources(after), POD, by_value=True)
    assert (changes == ()) is same
    assert len(diff(resources(before), resources(after), POD)) == 1


@pytest.mark.parametrize(("before", "after", "same"), [("25%", "025%", True), (80, "80", False)])
def test_int_or_strings_may_be_compared_by_value(before: Any, after: Any, same: bool) -> None:
    node = Node(type="object", fields={"maxSurge": Node(int_or_string=True)})
    assert (diff({"maxSurge": before}, {"maxSurge": after}, node, by_value=True) == ()) is same


def test_the_order_of_associative_lists_may_be_left_out() -> None:
    before, after = pod({"name": "a"}, {"name": "b"}), pod({"name": "b"}, {"name": "a"})
    assert diff(before, after, POD, ignore_order=True) == ()


def test_without_a_schema_lists_are_atomic() -> None:
    changes = diff({"a": [{"name": "x", "v": 1}]}, {"a": [{"name": "x", "v": 2}]})
    assert changes == (FieldChange("a[0].v", 1, 2),)


values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text("ab", max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(values, values)
def test_there_are_differences_exactly_when_the_values_differ(before: Any, after: Any) -> None:
    assert (diff(before, after) == ()) is (
        msgspec.json.encode(before, order="sorted") == msgspec.json.encode(after, order="sorted")
    )


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_every_path_leads_to_both_values(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(generated.KINDS)
    before = generated.object_of(rng, kind)
    after = generated.blend(rng, before, generated.object_of(rng, kind))
    node = builtin.for_kind(gvk_of(before))
    changes = diff(before, after, node, ignore_order=True)
    found = [
        FieldChange(
            change.path, FieldPath.parse(change.path).resolve(before), FieldPath.parse(change.path).resolve(after)
        )
        for change in changes
        if "protocol=" not in change.path
    ]
    assert found == [change for change in changes if "protocol=" not in change.path]
    assert (diff(before, after, node) == ()) is (before == after)
