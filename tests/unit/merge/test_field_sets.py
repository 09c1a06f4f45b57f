"""Sets of field paths: reading, writing, order, and the laws of their arithmetic."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import merge
from syncline.apimachinery.merge import FieldSet

ELEMENTS = st.one_of(
    st.sampled_from("abc").map(merge.FieldName),
    st.sampled_from("ab").map(lambda name: merge.key(name=name)),
    st.sampled_from([1, True, "x"]).map(merge.ValueElement),
)
PATHS = st.lists(ELEMENTS, min_size=1, max_size=3).map(merge.Path)
MEMBERS = st.lists(PATHS, max_size=8)


def listed(fields: FieldSet) -> set[str]:
    return {str(path) for path in fields.iterate()}


def texts(paths: list[merge.Path]) -> set[str]:
    return {str(path) for path in paths}


@settings(deadline=None)
@given(MEMBERS)
def test_a_set_holds_what_it_was_made_of(members: list[merge.Path]) -> None:
    fields = FieldSet.of(*members)
    assert listed(fields) == texts(members)
    assert all(fields.has(member) for member in members)
    assert bool(fields) == bool(members)


@settings(deadline=None)
@given(MEMBERS)
def test_fields_v1_comes_back_unchanged(members: list[merge.Path]) -> None:
    fields = FieldSet.of(*members)
    written = fields.to_fields_v1()
    assert FieldSet.from_fields_v1(written) == fields
    assert FieldSet.from_fields_v1(written).to_fields_v1() == written


@settings(deadline=None)
@given(MEMBERS, MEMBERS)
def test_arithmetic_is_that_of_sets(left: list[merge.Path], right: list[merge.Path]) -> None:
    one, two = FieldSet.of(*left), FieldSet.of(*right)
    assert listed(one.union(two)) == texts(left) | texts(right)
    assert listed(one.intersection(two)) == texts(left) & texts(right)
    assert listed(one.difference(two)) == texts(left) - texts(right)
    assert one.union(two) == two.union(one)
    assert one.intersection(two) == two.intersection(one)
    assert one.difference(two).union(one.intersection(two)) == one


@settings(deadline=None)
@given(MEMBERS, MEMBERS)
def test_recursive_difference_takes_everything_below(left: list[merge.Path], right: list[merge.Path]) -> None:
    def is_below(path: merge.Path) -> bool:
        # By text: Python holds 1 and True for equal.
        return any(str(path[: len(cut)] and merge.Path(path[: len(cut)])) == str(cut) for cut in right)

    wanted = {str(path) for path in left if not is_below(path)}
    assert listed(FieldSet.of(*left).recursive_difference(FieldSet.of(*right))) == wanted


@pytest.mark.parametrize(
    ("given_fields", "members"),
    [
        ({}, []),
        (None, []),
        ({"f:a": {}}, [".a"]),
        ({"f:a": {".": {}}}, [".a"]),
        ({"f:a": None}, [".a"]),
        ({"f:a": {".": {}, "f:b": {}}}, [".a", ".a.b"]),
        ({"f:a": {"f:b": {}}}, [".a.b"]),
        ({"r:new": {}, "f:a": {"r:new": {}}}, [".a"]),
        ({'k:{"b":1,"a":2}': {}, 'k:{"a":2, "b":1}': {"f:x": {}}}, ["[a=2,b=1]", "[a=2,b=1].x"]),
    ],
)
def test_fields_v1_is_read_as_kubernetes_reads_it(given_fields: Any, members: list[str]) -> None:
    assert [str(path) for path in FieldSet.from_fields_v1(given_fields).iterate()] == members


@pytest.mark.parametrize("fields", [{"f:a": 1}, {"f:a": []}, {"x": {}}, {"i:x": {}}, {"v:": {}}])
def test_malformed_fields_v1_is_refused(fields: Any) -> None:
    with pytest.raises(merge.InvalidPathElement):
        FieldSet.from_fields_v1(fields)


def test_fields_v1_is_written_in_kubernetes_order() -> None:
    fields = FieldSet.from_fields_v1(
        {
            "f:spec": {
                'k:{"port":443}': {},
                'k:{"port":80}': {},
                'v:"b"': {},
                "v:10": {},
                "v:9": {},
                "i:2": {},
                "i:10": {},
                "f:b": {"f:x": {}, ".": {}},
                "f:a": {},
                ".": {},
            }
        }
    )
    inside = fields.to_fields_v1()["f:spec"]
    assert list(inside) == [
        ".",
        "f:a",
        "f:b",
        'k:{"port":80}',
        'k:{"port":443}',
        "v:9",
        "v:10",
        'v:"b"',
        "i:2",
        "i:10",
    ]
    assert list(inside["f:b"]) == [".", "f:x"]


def test_paths_come_with_members_before_what_lies_below() -> None:
    fields = FieldSet.from_fields_v1({"f:a": {"f:x": {}}, "f:b": {".": {}, "f:y": {}}, "f:c": {}})
    assert [str(path) for path in fields.iterate()] == [".b", ".c", ".a.x", ".b.y"]
