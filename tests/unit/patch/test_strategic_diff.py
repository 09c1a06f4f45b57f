"""Strategic merge patches computed: between two objects, and three-way as kubectl apply does."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import GroupVersionKind, gvk_of
from syncline.apimachinery.patch import errors, strategic, strategic_diff
from syncline.apimachinery.schema import builtin
from tests.oracle.patch import generated

DEPLOYMENT = builtin.for_kind(GroupVersionKind("apps", "v1", "Deployment"))

Doc = dict[str, Any]
seeds = st.integers(0, 10**9)


def deployment(*containers: Doc, **spec: Any) -> Doc:
    return {"spec": {**spec, "template": {"spec": {"containers": list(containers)}}}}


def pod_patch(patch: Doc) -> Doc:
    return {"spec": {"template": {"spec": patch}}}


def web(**more: Any) -> Doc:
    return {"name": "web", "image": "web:1", **more}


def decoded(value: Any) -> Any:
    """Return what kube-apiserver keeps of a merged object: no nulls, no directives left over in added elements."""
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items() if item is not None and not key.startswith("$")}
    return [decoded(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(deployment(web()), deployment(web()), {}, id="equal"),
        pytest.param(
            deployment(web()),
            deployment({"name": "web", "image": "web:2"}),
            pod_patch(
                {
                    "containers": [{"name": "web", "image": "web:2"}],
                    "$setElementOrder/containers": [{"name": "web"}],
                }
            ),
            id="a changed element is named by its key",
        ),
        pytest.param(
            deployment(web(), {"name": "log"}),
            deployment(web()),
            pod_patch(
                {
                    "containers": [{"name": "log", "$patch": "delete"}],
                    "$setElementOrder/containers": [{"name": "web"}],
                }
            ),
            id="a removed element is deleted",
        ),
        pytest.param(
            deployment(web(), {"name": "log"}),
            deployment({"name": "log"}, web()),
            pod_patch({"$setElementOrder/containers": [{"name": "log"}, {"name": "web"}]}),
            id="a mere reordering",
        ),
        pytest.param(
            deployment(web(command=["a"])),
            deployment(web(command=["a", "b"])),
            pod_patch(
                {
                    "containers": [{"name": "web", "command": ["a", "b"]}],
                    "$setElementOrder/containers": [{"name": "web"}],
                }
            ),
            id="an atomic list is replaced",
        ),
        pytest.param(
            deployment(strategy={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}),
            deployment(strategy={"type": "Recreate"}),
            {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate", "rollingUpdate": None}}},
            id="retained keys are listed",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a", "b"]}},
            {"metadata": {"finalizers": ["b", "c"]}},
            {
                "metadata": {
                    "finalizers": ["c"],
                    "$deleteFromPrimitiveList/finalizers": ["a"],
                    "$setElementOrder/finalizers": ["b", "c"],
                }
            },
            id="a list of texts gets parallel lists",
        ),
        pytest.param({"spec": {"paused": True}}, {"spec": {"paused": 1}}, {"spec": {"paused": 1}}, id="true is not 1"),
    ],
)
def test_the_patch_between_two_objects(before: Doc, after: Doc, expected: Doc) -> None:
    assert strategic_diff.diff_maps(before, after, DEPLOYMENT, strategic_diff.DiffScope()) == expected


@pytest.mark.parametrize(
    ("original", "modified", "current", "expected"),
    [
        pytest.param(
            deployment(web()),
            deployment(web()),
            deployment(web(imagePullPolicy="Always"), replicas=3),
            {},
            id="foreign fields stay",
        ),
        pytest.param(
            deployment(web()),
            deployment(web()),
            deployment(web(), {"name": "sidecar"}),
            pod_patch({"$setElementOrder/containers": [{"name": "web"}]}),
            id="foreign elements stay, and as in kubectl the order is sent again",
        ),
        pytest.param(
            deployment(web(), replicas=1),
            deployment(web()),
            deployment(web(), replicas=5),
            {"spec": {"replicas": None}},
            id="what was applied and no longer is goes, whatever its value",
        ),
        pytest.param(
            deployment(web()),
            deployment(web(), replicas=2),
            deployment(web(), replicas=2),
            {},
            id="what is already so is not sent",
        ),
        pytest.param(
            deployment(web(), {"name": "old"}),
            deployment(web()),
            deployment({"name": "injected"}, web(), {"name": "old"}),
            pod_patch(
                {
                    "containers": [{"name": "old", "$patch": "delete"}],
                    "$setElementOrder/containers": [{"name": "web"}],
                }
            ),
            id="only the element once applied is deleted",
        ),
        pytest.param({}, {"spec": {"replicas": 1}}, {"spec": {}}, {"spec": {"replicas": 1}}, id="never applied before"),
    ],
)
def test_the_three_way_patch(original: Doc, modified: Doc, current: Doc, expected: Doc) -> None:
    assert strategic.three_way(original, modified, current, DEPLOYMENT) == expected


def test_without_overwrite_a_field_changed_by_others_is_a_conflict() -> None:
    original, current = deployment(web(), replicas=1), deployment(web(), replicas=5)
    modified = deployment(web(), replicas=2)
    with pytest.raises(errors.PatchError) as caught:
        strategic.three_way(original, modified, current, DEPLOYMENT, overwrite=False)
    assert str(caught.value) == "patch conflicts with changes made from original to current: spec.replicas"


def test_without_overwrite_the_same_change_by_others_is_none() -> None:
    original, current = deployment(web(), replicas=1), deployment(web(), replicas=5)
    modified = deployment(web(image="web:2"), replicas=5)
    patch = strategic.three_way(original, modified, current, DEPLOYMENT, overwrite=False)
    assert strategic.apply(current, patch, DEPLOYMENT) == modified


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_applying_the_two_way_patch_gives_the_second_object(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(generated.KINDS)
    before = generated.object_of(rng, kind)
    after = generated.blend(rng, before, generated.object_of(rng, kind))
    node = builtin.for_kind(gvk_of(before))
    assert (
        strategic.apply(before, strategic_diff.diff_maps(before, after, node, strategic_diff.DiffScope()), node)
        == after
    )


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_a_second_three_way_patch_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(generated.KINDS)
    original, modified = generated.object_of(rng, kind), generated.object_of(rng, kind)
    current = generated.blend(rng, original, generated.object_of(rng, kind))
    node = builtin.for_kind(gvk_of(original))
    patched = decoded(strategic.apply(current, strategic.three_way(original, modified, current, node), node))
    again = strategic.three_way(modified, modified, patched, node)
    assert strategic.apply(patched, again, node) == patched


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_a_three_way_patch_leaves_foreign_fields_alone(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(generated.KINDS)
    original, modified = generated.object_of(rng, kind), generated.object_of(rng, kind)
    foreign: Doc = {"annotations": {"foreign/note": "1"}, "labels": {"foreign": "2"}, "finalizers": ["foreign/hold"]}
    current = {**original, "metadata": {**original["metadata"], **foreign}, "status": {"seen": True}}
    node = builtin.for_kind(gvk_of(original))
    patched = strategic.apply(current, strategic.three_way(original, modified, current, node), node)
    kept = patched["metadata"]
    given_away = {key for key in foreign if key in original["metadata"] and key not in modified["metadata"]}
    for key in foreign.keys() - given_away:
        assert ("foreign/hold" in kept[key]) if key == "finalizers" else (foreign[key].items() <= kept[key].items())
    assert patched["status"] == {"seen": True}
