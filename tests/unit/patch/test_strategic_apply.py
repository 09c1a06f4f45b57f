"""Strategic merge patches: each directive, and how lists are merged and ordered."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.patch import errors, strategic
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node

POD = builtin.for_kind(GroupVersionKind("", "v1", "Pod"))
DEPLOYMENT = builtin.for_kind(GroupVersionKind("apps", "v1", "Deployment"))

Doc = dict[str, Any]


def containers(*names: str, **more: Any) -> list[Doc]:
    return [{"name": name, "image": f"{name}:1", **more} for name in names]


def pod(*items: Doc, **spec: Any) -> Doc:
    return {"spec": {"containers": list(items), **spec}}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        pytest.param(
            {"containers": [{"name": "b", "image": "b:2"}]},
            [*containers("a"), {"name": "b", "image": "b:2"}, *containers("c")],
            id="an element is merged by its key and keeps its place",
        ),
        pytest.param(
            {"containers": containers("d")},
            containers("d", "a", "b", "c"),
            id="a new element comes first",
        ),
        pytest.param(
            {"containers": [{"name": "b", "$patch": "delete"}]},
            containers("a", "c"),
            id="delete takes an element away",
        ),
        pytest.param(
            {"containers": [{"$patch": "replace"}, *containers("z")]},
            containers("z"),
            id="replace takes the list as written",
        ),
        pytest.param(
            {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]},
            containers("b", "c", "a"),
            id="a given order holds, others stay before what they preceded",
        ),
        pytest.param(
            {
                "containers": [{"name": "d", "image": "d:1"}, {"name": "a", "$patch": "delete"}],
                "$setElementOrder/containers": [{"name": "d"}, {"name": "c"}],
            },
            containers("b", "d", "c"),
            id="order, addition and deletion together",
        ),
    ],
)
def test_a_list_of_containers_is_merged(patch: Doc, expected: list[Doc]) -> None:
    doc = pod(*containers("a", "b", "c"))
    assert strategic.apply(doc, {"spec": patch}, POD) == pod(*expected)


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"finalizers": ["c"]}, ["c", "a", "b"]),
        ({"$deleteFromPrimitiveList/finalizers": ["a"]}, ["b"]),
        ({"$setElementOrder/finalizers": ["b", "a"]}, ["b", "a"]),
        (
            {
                "finalizers": ["c"],
                "$deleteFromPrimitiveList/finalizers": ["b"],
                "$setElementOrder/finalizers": ["a", "c"],
            },
            ["a", "c"],
        ),
    ],
)
def test_a_list_of_texts_is_merged_as_a_set(patch: Doc, expected: list[str]) -> None:
    doc = {"metadata": {"finalizers": ["a", "b"]}}
    assert strategic.apply(doc, {"metadata": patch}, POD) == {"metadata": {"finalizers": expected}}


@pytest.mark.parametrize(
    ("strategy", "patch", "expected"),
    [
        (
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
            {"$retainKeys": ["type"], "type": "Recreate"},
            {"type": "Recreate"},
        ),
        ({"type": "Recreate"}, {"$patch": "replace", "rollingUpdate": {}}, {"rollingUpdate": {}}),
        ({"type": "Recreate"}, {"$patch": "delete"}, {}),
        ({"type": "Recreate"}, {"type": None}, {}),
    ],
)
def test_a_map_follows_its_directive(strategy: Doc, patch: Doc, expected: Doc) -> None:
    doc = {"spec": {"replicas": 1, "strategy": strategy}}
    result = strategic.apply(doc, {"spec": {"strategy": patch}}, DEPLOYMENT)
    assert result == {"spec": {"replicas": 1, "strategy": expected}}


def test_a_list_without_merge_strategy_is_replaced() -> None:
    doc = pod(*containers("a", command=["x"]), tolerations=[{"key": "a"}])
    patch = {"spec": {"tolerations": [{"key": "b"}], "containers": [{"name": "a", "command": ["y"]}]}}
    assert strategic.apply(doc, patch, POD) == pod(*containers("a", command=["y"]), tolerations=[{"key": "b"}])


def test_nulls_and_directives_are_dropped_from_added_maps() -> None:
    patch = {"spec": {"securityContext": {"runAsUser": 1, "fsGroup": None, "seLinuxOptions": {"$patch": "delete"}}}}
    assert strategic.apply({"spec": {}}, patch, POD) == {"spec": {"securityContext": {"runAsUser": 1}}}


def test_without_a_schema_maps_are_merged_and_lists_replaced() -> None:
    doc = {"a": {"b": [{"name": "x"}], "c": 1}}
    assert strategic.apply(doc, {"a": {"b": [{"name": "y"}]}}, None) == {"a": {"b": [{"name": "y"}], "c": 1}}


@pytest.mark.parametrize(
    ("patch", "status", "message"),
    [
        (
            {"spec": {"containers": [{"image": "x"}]}},
            500,
            "map: map[image:…] does not contain declared merge key: name",
        ),
        ({"spec": {"$patch": "merge"}}, 500, "unknown patch type: merge in map: map[$patch:…]"),
        (
            {"spec": {"containers": [{"$patch": "merge", "name": "a"}]}},
            500,
            "merging lists cannot yet be specified in the patch",
        ),
        ({"spec": {"$retainKeys": ["x"], "hostPID": True}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$retainKeys": "x"}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$setElementOrder": []}}, 400, "invalid patch format of setElementOrder list"),
        ({"spec": {"$deleteFromPrimitiveList": []}}, 400, "invalid patch format of primitive list"),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}},
            500,
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
        ),
        (
            {"spec": {"$setElementOrder/containers": {}}},
            500,
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ],
)
def test_a_bad_patch_is_refused_in_kubernetes_words(patch: Any, status: int, message: str) -> None:
    with pytest.raises(errors.PatchError) as caught:
        strategic.apply(pod(*containers("a")), patch, POD)
    assert (caught.value.status, str(caught.value)) == (status, message)


def test_a_map_of_lists_cannot_be_merged() -> None:
    node = Node(type="object", fields={"extra": Node(type="object", elements=Node(type="array"))})
    doc = {"extra": {"scopes": ["a"]}}
    with pytest.raises(errors.PatchError, match="data type is not struct, instead is: map"):
        strategic.apply(doc, {"extra": {"scopes": ["b"]}}, node)


def test_neither_document_nor_patch_is_changed_and_unchanged_parts_are_shared() -> None:
    doc = pod(*containers("a", "b"), volumes=[{"name": "v"}])
    patch = {"spec": {"containers": [{"name": "a", "image": "a:2"}, {"name": "b", "$patch": "delete"}]}}
    result = strategic.apply(doc, patch, POD)
    assert doc == pod(*containers("a", "b"), volumes=[{"name": "v"}])
    assert patch == {"spec": {"containers": [{"name": "a", "image": "a:2"}, {"name": "b", "$patch": "delete"}]}}
    assert result["spec"]["volumes"] is doc["spec"]["volumes"]
