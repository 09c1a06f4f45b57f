"""JSON Merge Patch: applied as Kubernetes does, and made so that applying it gives the second document."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.patch import errors, json_merge

leaves = st.integers(-3, 3) | st.booleans() | st.text("ab", max_size=2)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
)
documents = st.dictionaries(st.text("abc", max_size=2), values, max_size=4)


@pytest.mark.parametrize(
    ("doc", "patch", "expected"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": None}, {}),
        ({"a": 1}, {"b": None}, {"a": 1}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}}, {"a": {"c": 2, "d": 3}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({}, {"a": [{"b": None, "c": 1}, None]}, {"a": [{"c": 1}, None]}),
        ({"a": {"b": 1}}, {"a": [{"c": None}]}, {"a": [{"c": None}]}),
    ],
)
def test_a_patch_is_merged(doc: dict[str, Any], patch: dict[str, Any], expected: dict[str, Any]) -> None:
    assert json_merge.apply(doc, patch) == expected


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (None, "Invalid JSON Patch"),
        ([], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("a", "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"),
        (1, "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"),
    ],
)
def test_a_patch_that_is_no_object_is_refused(patch: Any, message: str) -> None:
    with pytest.raises(errors.PatchError) as caught:
        json_merge.apply({}, patch)
    assert (str(caught.value), caught.value.reason) == (message, "BadRequest")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": [1]}, {"a": [1, 2]}, {"a": [1, 2]}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": {}}, {"a": {"b": {}}}, {"a": {"b": {}}}),
    ],
)
def test_the_made_patch_holds_only_what_differs(
    before: dict[str, Any], after: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    assert json_merge.make(before, after) == expected


@pytest.mark.parametrize(
    ("original", "modified", "current", "expected"),
    [
        ({"a": 1, "b": 1}, {"a": 2}, {"a": 1, "b": 1, "x": 9}, {"a": 2, "b": None}),
        ({}, {"a": 1}, {"a": 1, "x": 9}, {}),
        ({"s": {"a": 1, "b": 1}}, {"s": {"a": 1}}, {"s": {"a": 3, "b": 1, "c": 4}}, {"s": {"a": 1, "b": None}}),
        ({"s": {"a": 1}}, {}, {"s": {"a": 1}}, {"s": None}),
    ],
)
def test_a_three_way_patch_leaves_foreign_fields_alone(
    original: dict[str, Any], modified: dict[str, Any], current: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert json_merge.three_way(original, modified, current) == expected


@settings(deadline=None)
@given(documents, documents)
def test_applying_the_made_patch_gives_the_second_document(before: dict[str, Any], after: dict[str, Any]) -> None:
    patch = json_merge.make(before, after)
    assert json_merge.apply(before, patch or {}) == after
