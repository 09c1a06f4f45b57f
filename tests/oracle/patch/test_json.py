"""JSON Patch and JSON Merge Patch against kubectl."""

from __future__ import annotations

import random
from typing import Any

import pytest

from syncline.apimachinery.patch import errors, json_merge, json_patch
from tests.oracle.patch import generated, kubectl
from tests.oracle.patch.kubectl import Doc

DOC: Doc = {
    "apiVersion": "example.com/v1",
    "kind": "Case",
    "metadata": {"name": "case", "annotations": {"a.b/c": "1", "til~de": "2"}},
    "spec": {"list": ["x", "y", "z"], "map": {"a": 1, "b": {"c": [1, {"d": 2}]}}, "none": None, "truth": True},
}


def op(kind: str, path: str, **more: Any) -> Doc:
    return {"op": kind, "path": path, **more}


OPERATIONS: list[Any] = [
    [op("add", "/spec/new", value={"x": [1]})],
    [op("add", "/spec/map", value=1)],
    [op("add", "/spec/list/0", value="w")],
    [op("add", "/spec/list/3", value="w")],
    [op("add", "/spec/list/4", value="w")],
    [op("add", "/spec/list/-", value="w")],
    [op("add", "/spec/list/-1", value="w")],
    [op("add", "/spec/list/-4", value="w")],
    [op("add", "/spec/list/-5", value="w")],
    [op("add", "/spec/list/+1", value="w")],
    [op("add", "/spec/list/01", value="w")],
    [op("add", "/spec/list/one", value="w")],
    [op("add", "/spec/nope/new", value=1)],
    [op("add", "/spec/truth/new", value=1)],
    [op("add", "/spec/none/new", value=1)],
    [op("add", "", value={})],
    [op("add", "/spec/new")],
    [op("add", "spec/new", value=1)],
    [op("add", "/metadata/annotations/a.b~1c", value="3")],
    [op("remove", "/metadata/annotations/til~0de")],
    [op("remove", "/metadata/annotations/nope")],
    [op("remove", "/spec/list/2")],
    [op("remove", "/spec/list/-1")],
    [op("remove", "/spec/list/3")],
    [op("remove", "/spec/list/-4")],
    [op("remove", "/spec/list/x")],
    [op("remove", "/spec/list/-")],
    [op("remove", "/spec/nope/x")],
    [op("remove", "/spec/none")],
    [op("remove", "/spec/map/b/c/1/d")],
    [op("replace", "/spec/map/a", value=2)],
    [op("replace", "/spec/map/nope", value=2)],
    [op("replace", "/spec/list/-2", value="w")],
    [op("replace", "/spec/list/9", value="w")],
    [op("replace", "/spec/list/x", value="w")],
    [op("replace", "/spec/nope/x", value="w")],
    [op("replace", "/spec/map/a")],
    [op("replace", "", value={**DOC, "spec": {}})],
    [op("replace", "", value=1)],
    [op("move", "/spec/moved", **{"from": "/spec/map/b"})],
    [op("move", "/spec/list/0", **{"from": "/spec/list/2"})],
    [op("move", "/spec/moved", **{"from": "/spec/nope"})],
    [op("move", "/spec/moved", **{"from": "/nope/nope"})],
    [op("move", "/nope/nope", **{"from": "/spec/map"})],
    [op("move", "/spec/moved")],
    [op("copy", "/spec/copied", **{"from": "/spec/map/b"}), op("add", "/spec/copied/new", value=1)],
    [op("copy", "/spec/list/-", **{"from": "/spec/list/0"})],
    [op("copy", "/spec/copied", **{"from": "/spec/nope"})],
    [op("copy", "/spec/copied", **{"from": "/nope/nope"})],
    [op("copy", "/spec/list/9", **{"from": "/spec/map"})],
    [op("copy", "/spec/copied")],
    [op("test", "/spec/map/a", value=1)],
    [op("test", "/spec/map/a", value=2)],
    [op("test", "/spec/map/a", value="1")],
    [op("test", "/spec/map/a", value=True)],
    [op("test", "/spec/map", value={"b": {"c": [1, {"d": 2}]}, "a": 1})],
    [op("test", "/spec/map", value={"a": 1})],
    [op("test", "/spec/list", value=["x", "y"])],
    [op("test", "/spec/list/-1", value="z")],
    [op("test", "/spec/list/7", value="z")],
    [op("test", "/spec/nope", value=1)],
    [op("test", "/spec/nope", value=None)],
    [op("test", "/spec/none", value=None)],
    [op("test", "/spec/none")],
    [op("test", "/spec/nope/nope", value=1)],
    [op("test", "", value=DOC)],
    [{"op": "add", "value": 1}],
    [{"op": "remove"}],
    [{"op": "replace"}],
    [{"op": "test"}],
    [{"path": "/spec"}],
    [op("bogus", "/spec")],
    [op("add", "/spec/a", value=1), op("test", "/spec/a", value=2)],
    [],
]


@pytest.mark.parametrize("patch", OPERATIONS)
def test_a_json_patch_does_what_it_does_in_kubectl(patch: Any) -> None:
    verdict = kubectl.judge_patch([DOC], patch, "json")
    try:
        changed, message = [json_patch.apply(DOC, patch)], []
    except errors.PatchError as error:
        changed, message = [], [str(error)]
    assert (changed, message) == (verdict.objects, verdict.errors)


MERGES: list[Doc] = [
    {"spec": None},
    {"spec": {"map": None, "none": 1}},
    {"spec": {"map": {"a": None, "b": {"c": None}, "d": {"e": None}}}},
    {"spec": {"list": [None, {"a": None}]}},
    {"spec": {"map": [{"a": None}]}},
    {"spec": {"truth": {"a": None, "b": [{"c": None}]}}},
    {"spec": {"new": [[{"a": None}], None]}},
    {"spec": {"none": {"a": None}}},
    {"spec": 1},
    {"spec": []},
    {"metadata": {"annotations": {"a.b/c": None}}},
    {},
]


@pytest.mark.parametrize("patch", MERGES)
def test_a_merge_patch_does_what_it_does_in_kubectl(patch: Doc) -> None:
    assert [json_merge.apply(DOC, patch)] == kubectl.judge_patch([DOC], patch, "merge").objects


def random_value(rng: random.Random, depth: int = 0) -> Any:
    if depth < 3 and rng.random() < 0.4:
        return {key: random_value(rng, depth + 1) for key in rng.sample("abcd", rng.randint(0, 3))}
    if depth < 3 and rng.random() < 0.3:
        return [random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return rng.choice([None, 0, 1, True, "x", "", -5])


@pytest.mark.parametrize("seed", range(30))
def test_generated_merge_patches_do_what_they_do_in_kubectl(seed: int) -> None:
    rng = random.Random(seed)
    objects = [{**DOC, "spec": {key: random_value(rng) for key in "abcd"}} for _ in range(8)]
    patch = {"spec": {key: random_value(rng) for key in "abcd"}}
    assert [json_merge.apply(obj, patch) for obj in objects] == kubectl.judge_patch(objects, patch, "merge").objects


@pytest.mark.parametrize("seed", range(15))
def test_made_merge_patches_lead_to_the_second_object_in_kubectl(seed: int) -> None:
    rng = random.Random(seed)
    before, after = (generated.object_of(rng, "Deployment") for _ in range(2))
    patch = json_merge.make(before, after)
    assert kubectl.judge_patch([before], patch or {}, "merge").objects == [after]
