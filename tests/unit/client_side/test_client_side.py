"""Client-side apply: the patch from what was applied, what is desired and what is live."""

import json
from typing import Any

import pytest

from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema.node import ANY
from syncline.core.sync.client_side import Patch, annotated, patch_for
from syncline.model.names import LAST_APPLIED
from tests.support.objects import APPLIER, as_applied, config_map, deployment, node_for, obj


def change(desired: Object, live: Object) -> Patch | None:
    return patch_for(desired, live, manager=APPLIER, node=node_for(gvk_of(desired)))


def told(patch: Patch | None) -> dict[str, Any]:
    """Return a patch without the annotation, which changes whenever anything does."""
    assert patch is not None
    body = dict(patch.body)
    metadata = dict(body.pop("metadata", {}))
    annotations = {name: text for name, text in metadata.pop("annotations", {}).items() if name != LAST_APPLIED}
    kept = {**metadata, **({"annotations": annotations} if annotations else {})}
    return {**body, **({"metadata": kept} if kept else {})}


def test_what_is_applied_is_kept_in_the_annotation_as_kubectl_writes_it() -> None:
    text = annotated(config_map(data={"b": "<2>", "a": "1"}))["metadata"]["annotations"][LAST_APPLIED]
    assert text == (
        '{"apiVersion":"v1","data":{"a":"1","b":"\\u003c2\\u003e"},"kind":"ConfigMap",'
        '"metadata":{"annotations":{},"name":"settings","namespace":"shop"}}\n'
    )


def test_the_annotation_does_not_hold_itself() -> None:
    once = annotated(config_map())
    assert annotated(once) == once


def test_an_object_that_is_as_it_was_applied_needs_no_patch() -> None:
    assert change(config_map(), annotated(config_map())) is None


@pytest.mark.parametrize(
    ("before", "live", "desired", "expected"),
    [
        ({"a": "1"}, {"a": "1"}, {"a": "2"}, {"data": {"a": "2"}}),
        ({"a": "1", "b": "1"}, {"a": "1", "b": "1"}, {"a": "1"}, {"data": {"b": None}}),
        ({"a": "1"}, {"a": "1", "theirs": "x"}, {"a": "2"}, {"data": {"a": "2"}}),
        ({"a": "1"}, {"a": "drifted"}, {"a": "1"}, {"data": {"a": "1"}}),
    ],
    ids=["changed", "removed", "of others", "drifted"],
)
def test_the_patch_sets_what_is_desired_and_removes_what_only_was_applied(
    before: dict[str, str], live: dict[str, str], desired: dict[str, str], expected: dict[str, Any]
) -> None:
    present = {**annotated(config_map(data=before)), "data": live}
    found = change(config_map(data=desired), present)
    assert told(found) == expected
    assert found is not None
    assert found.kind == "strategic"


def test_lists_of_built_in_kinds_are_merged_by_their_keys() -> None:
    live = annotated(deployment(image="shop/web:1"))
    live["spec"]["template"]["spec"]["containers"].append({"name": "injected", "image": "mesh:1"})
    patch = told(change(deployment(image="shop/web:2"), live))
    assert patch["spec"]["template"]["spec"]["containers"] == [{"name": "web", "image": "shop/web:2"}]


def test_custom_kinds_get_a_merge_patch() -> None:
    before, after = ({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": spec}
                     for spec in ({"size": 1, "colour": "red"}, {"size": 2}))  # fmt: skip
    found = patch_for(after, annotated(before), manager=APPLIER, node=ANY)
    assert found is not None
    assert (found.kind, told(found)) == ("merge", {"spec": {"size": 2, "colour": None}})


def test_without_the_annotation_what_we_applied_server_side_stands_in_for_it() -> None:
    live = as_applied(config_map(data={"a": "1", "b": "1"}))
    live["data"]["theirs"] = "x"
    assert told(change(config_map(data={"a": "1"}), live)) == {"data": {"b": None}}


def test_without_annotation_and_ownership_nothing_is_removed() -> None:
    live = config_map(data={"a": "1", "b": "1"})
    assert told(change(config_map(data={"a": "2"}), live)) == {"data": {"a": "2"}}


def test_an_unreadable_annotation_counts_as_none() -> None:
    live = config_map(data={"b": "1"}, annotations={LAST_APPLIED: "{not json"})
    assert told(change(config_map(data={"a": "1"}), live)) == {"data": {"a": "1"}}


def test_the_new_annotation_is_part_of_the_patch() -> None:
    patch = change(config_map(data={"a": "2"}), annotated(config_map(data={"a": "1"})))
    assert patch is not None
    text = patch.body["metadata"]["annotations"][LAST_APPLIED]
    assert json.loads(text)["data"] == {"a": "2"}


def test_objects_without_annotations_get_one() -> None:
    assert list(annotated(obj("Secret", "keys"))["metadata"]["annotations"]) == [LAST_APPLIED]


def test_a_key_that_is_gone_from_string_data_goes_from_the_data_it_became() -> None:
    applied = obj("Secret", "login", stringData={"user": "ada", "word": "canary"})
    live = {**annotated(applied), "data": {"user": "YWRh", "word": "Y2FuYXJ5"}}
    del live["stringData"]
    desired = obj("Secret", "login", data={"user": "YWRh"})
    assert told(change(desired, live)) == {"data": {"word": None}}
