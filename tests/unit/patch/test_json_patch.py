"""JSON Patch: what the operations do, and kube-apiserver's words where they do not apply."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.patch import errors, json_patch

DOC: dict[str, Any] = {"a": {"b": 1, "none": None}, "list": ["x", "y", "z"], "a/b": {"m~n": True}}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/c", "value": 2}, {**DOC, "c": 2}),
        ({"op": "add", "path": "/list/-", "value": "w"}, {**DOC, "list": ["x", "y", "z", "w"]}),
        ({"op": "add", "path": "/list/1", "value": "w"}, {**DOC, "list": ["x", "w", "y", "z"]}),
        ({"op": "add", "path": "/list/-1", "value": "w"}, {**DOC, "list": ["x", "y", "z", "w"]}),
        ({"op": "add", "path": "/c"}, {**DOC, "c": None}),
        ({"op": "remove", "path": "/list/-1"}, {**DOC, "list": ["x", "y"]}),
        ({"op": "remove", "path": "/a~1b/m~0n"}, {**DOC, "a/b": {}}),
        ({"op": "replace", "path": "/list/0", "value": "w"}, {**DOC, "list": ["w", "y", "z"]}),
        ({"op": "replace", "path": "/a/absent", "value": 3}, {**DOC, "a": {"b": 1, "none": None, "absent": 3}}),
        ({"op": "replace", "path": "", "value": {"new": 1}}, {"new": 1}),
        ({"op": "move", "from": "/a/b", "path": "/c"}, {**DOC, "a": {"none": None}, "c": 1}),
        ({"op": "copy", "from": "/a", "path": "/list/0"}, {**DOC, "list": [DOC["a"], "x", "y", "z"]}),
        ({"op": "copy", "from": "/a/absent", "path": "/c"}, {**DOC, "c": None}),
        ({"op": "test", "path": "/a/none"}, DOC),
        ({"op": "test", "path": "/a/absent", "value": None}, DOC),
        ({"op": "test", "path": "", "value": DOC}, DOC),
    ],
)
def test_an_operation_changes_the_document(operation: dict[str, Any], expected: Any) -> None:
    assert json_patch.apply(DOC, [operation]) == expected


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "test", "path": "/a/b", "value": 2}, "testing value /a/b failed: test failed"),
        ({"op": "test", "path": "/a/b", "value": 1.0}, "testing value /a/b failed: test failed"),
        ({"op": "test", "path": "/a/b", "value": True}, "testing value /a/b failed: test failed"),
        (
            {"op": "test", "path": "/no/b", "value": 2},
            "test operation does not apply: is missing path: /no/b: missing value",
        ),
        (
            {"op": "remove", "path": "/absent"},
            "error in remove for path: '/absent': Unable to remove nonexistent key: absent: missing value",
        ),
        (
            {"op": "remove", "path": "/list/3"},
            "error in remove for path: '/list/3': Unable to access invalid index: 3: invalid index referenced",
        ),
        (
            {"op": "add", "path": "/no/b", "value": 1},
            'add operation does not apply: doc is missing path: "/no/b": missing value',
        ),
        (
            {"op": "add", "path": "/list/x", "value": 1},
            (
                """error in add for path: '/list/x': value was not a proper array index: 'x': """
                """strconv.Atoi: parsing "x": invalid syntax"""
            ),
        ),
        (
            {"op": "replace", "path": "/list/9", "value": 1},
            "replace operation does not apply: doc is missing key: /list/9: missing value",
        ),
        (
            {"op": "move", "from": "/a/absent", "path": "/c"},
            "error in move for path: 'absent': Unable to remove nonexistent key: absent: missing value",
        ),
        ({"op": "add", "value": 1}, "add operation failed to decode path: missing value"),
        ({"op": "merge", "path": "/a"}, "Unexpected kind: merge"),
        ({"path": "/a"}, "Unexpected kind: unknown"),
    ],
)
def test_an_operation_that_does_not_apply_says_why(operation: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.PatchError) as caught:
        json_patch.apply(DOC, [operation])
    assert (str(caught.value), caught.value.status) == (message, 422)


@pytest.mark.parametrize(
    ("patch", "status", "message"),
    [
        (
            {"op": "add"},
            400,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            ["add"],
            400,
            "error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp",
        ),
        (
            [{"op": "test", "path": "/a/b", "value": 1}] * 10_001,
            413,
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
        ),
    ],
)
def test_what_is_no_patch_is_refused(patch: Any, status: int, message: str) -> None:
    with pytest.raises(errors.PatchError) as caught:
        json_patch.apply(DOC, patch)
    assert (caught.value.status, str(caught.value)) == (status, message)


def test_a_failing_operation_leaves_nothing_of_the_others() -> None:
    before = {"a": [1, 2]}
    with pytest.raises(errors.PatchError):
        json_patch.apply(before, [{"op": "add", "path": "/a/-", "value": 3}, {"op": "remove", "path": "/b"}])
    assert before == {"a": [1, 2]}


def test_copies_of_copies_are_limited() -> None:
    doubling = [{"op": "copy", "from": "", "path": "/a/-"}, {"op": "copy", "from": "/a", "path": "/a/-"}]
    with pytest.raises(errors.PatchError, match="doc is missing from path"):
        json_patch.apply({"a": ["x"]}, doubling)
    with pytest.raises(errors.PatchError, match="exceeding the limit 3145728"):
        json_patch.apply({"a": ["x"]}, doubling[1:] * 40)


def test_unchanged_parts_are_shared() -> None:
    after = json_patch.apply(DOC, [{"op": "add", "path": "/c", "value": 2}])
    assert after["list"] is DOC["list"]


def test_errors_never_show_values() -> None:
    secret = {"data": {"password": "hunter2"}}
    with pytest.raises(errors.PatchError) as caught:
        json_patch.apply(secret, [{"op": "test", "path": "/data/password", "value": "guess"}])
    assert "hunter2" not in str(caught.value)
    assert "guess" not in str(caught.value)
