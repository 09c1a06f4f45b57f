"""Listing, comparing, merging, removing and extracting fields by schema; every row worked out by hand."""

from typing import Any

import pytest

from syncline.apimachinery import merge
from syncline.apimachinery.merge import FieldSet, typed
from tests.unit.merge.kinds import NODE, Object, thing


def names(fields: FieldSet) -> list[str]:
    return [str(path).removeprefix(".spec") for path in fields.iterate() if str(path).startswith(".spec")]


def spec_fields(tree: Object) -> FieldSet:
    return FieldSet.from_fields_v1({"f:spec": tree})


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"text": "a", "number": 1}, [".number", ".text"]),
        ({"atomic": ["a"], "sealed": {"a": "b"}}, [".atomic", ".sealed"]),
        ({"tags": ["b", "a"]}, ['.tags[="a"]', '.tags[="b"]']),
        ({"labels": {"a": "1"}}, [".labels.a"]),
        ({"struct": {"a": "1"}}, [".struct.a"]),
        ({"struct": {}, "labels": {}, "tags": [], "items": []}, [".labels", ".struct"]),
        ({"text": None, "items": None, "struct": None}, [".items", ".struct", ".text"]),
        (
            {"items": [{"name": "a", "nested": {"x": "1"}}]},
            ['.items[name="a"]', '.items[name="a"].name', '.items[name="a"].nested.x'],
        ),
        ({"ports": [{"port": 80}]}, ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port']),
        ({"free": {"a": {"b": [1], "c": {}}}}, [".free.a", ".free.a.b", ".free.a.c"]),
        ({"free": {}}, [".free"]),
    ],
)
def test_a_configuration_mentions(spec: Object, fields: list[str]) -> None:
    assert names(merge.set_of(thing(spec), NODE)) == fields


@pytest.mark.parametrize(
    ("before", "after", "added", "modified", "removed"),
    [
        ({"text": "a"}, {"text": "b"}, [], [".text"], []),
        ({"number": 1}, {"number": 1.0}, [], [], []),
        ({"free": {"a": 1}}, {"free": {"a": True}}, [], [".free.a"], []),
        ({}, {"struct": {"a": "1"}}, [".struct", ".struct.a"], [], []),
        ({"struct": {"a": "1"}}, {"struct": {"b": "1"}}, [".struct.b"], [], [".struct.a"]),
        ({"struct": {"a": "1"}}, {}, [], [], [".struct", ".struct.a"]),
        ({"struct": None}, {"struct": {"a": "1"}}, [".struct.a"], [], []),
        ({"struct": {}}, {"struct": None}, [], [".struct"], []),
        ({"atomic": ["a"]}, {"atomic": ["a", "b"]}, [], [".atomic"], []),
        ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}, [], [], []),
        ({"tags": ["a"]}, {"tags": ["b"]}, ['.tags[="b"]'], [], ['.tags[="a"]']),
        (
            {"items": [{"name": "a", "value": "1"}]},
            {"items": [{"name": "a", "value": "2"}, {"name": "b"}]},
            ['.items[name="b"]', '.items[name="b"].name'],
            ['.items[name="a"].value'],
            [],
        ),
        ({"free": {"a": "x"}}, {"free": {"a": {"b": "1"}}}, [".free.a.b"], [".free.a"], []),
        ({"tags": ["a"]}, {"tags": ["a", "a"]}, ['.tags[="a"]'], [], ['.tags[="a"]']),
        ({"tags": ["a", "a"]}, {"tags": ["a", "a", "a"]}, [], ['.tags[="a"]'], []),
    ],
)
def test_two_objects_differ_in(
    before: Object, after: Object, added: list[str], modified: list[str], removed: list[str]
) -> None:
    comparison = typed.compare(thing(before), thing(after), NODE)
    found = (names(comparison.added), names(comparison.modified), names(comparison.removed))
    assert found == (added, modified, removed)


@pytest.mark.parametrize(
    ("live", "config", "merged"),
    [
        ({"text": "a"}, {"number": 1}, {"text": "a", "number": 1}),
        ({"labels": {"a": "1"}}, {"labels": {"b": "2"}}, {"labels": {"a": "1", "b": "2"}}),
        ({"labels": {"a": "1"}}, {"labels": None}, {"labels": {"a": "1"}}),
        ({"labels": {"a": "1"}}, {"labels": {}}, {"labels": {"a": "1"}}),
        ({"sealed": {"a": "1"}}, {"sealed": {"b": "2"}}, {"sealed": {"b": "2"}}),
        ({"sealed": {"a": "1"}}, {"sealed": None}, {"sealed": None}),
        ({"text": "a"}, {"text": None}, {"text": None}),
        ({"atomic": ["a", "b"]}, {"atomic": ["c"]}, {"atomic": ["c"]}),
        ({"tags": ["a"]}, {"tags": []}, {"tags": ["a"]}),
        ({"free": {"a": [1, 2]}}, {"free": {"a": [3], "b": 1}}, {"free": {"a": [3], "b": 1}}),
        ({"free": {"a": {"x": 1}}}, {"free": {"a": "text"}}, {"free": {"a": "text"}}),
        (
            {"items": [{"name": "a", "value": "1"}, {"name": "b", "value": "1"}]},
            {"items": [{"name": "b", "value": "2"}]},
            {"items": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]},
        ),
        (
            {"ports": [{"port": 80, "protocol": "TCP"}]},
            {"ports": [{"port": 80, "name": "web"}, {"port": 80, "protocol": "UDP"}]},
            {"ports": [{"port": 80, "protocol": "TCP", "name": "web"}, {"port": 80, "protocol": "UDP"}]},
        ),
    ],
)
def test_a_configuration_is_merged_into_live(live: Object, config: Object, merged: Object) -> None:
    assert typed.combine(thing(live), thing(config), NODE) == thing(merged)


@pytest.mark.parametrize(
    ("live", "config", "merged"),
    [
        ("abc", "abc", "abc"),
        ("abc", "cba", "cba"),
        ("abc", "d", "abcd"),
        ("abc", "ca", "bca"),
        ("abcde", "exc", "abdexc"),
        ("abc", "xb", "axbc"),
        ("ab", "xyab", "xyab"),
        ("abcd", "db", "acdb"),
    ],
)
def test_items_follow_the_configuration_and_others_keep_their_place(live: str, config: str, merged: str) -> None:
    found = typed.combine(thing({"tags": list(live)}), thing({"tags": list(config)}), NODE)
    assert "".join(found["spec"]["tags"]) == merged


def test_what_a_configuration_leaves_alone_is_the_very_same_object() -> None:
    live = thing({"struct": {"a": "1"}, "items": [{"name": "a", "value": "1"}], "text": "x"})
    assert typed.combine(live, thing({"items": [{"name": "a"}]}), NODE) is live
    merged = typed.combine(live, thing({"text": "y"}), NODE)
    assert merged["spec"]["items"] is live["spec"]["items"]


@pytest.mark.parametrize(
    ("spec", "fields", "left"),
    [
        ({"text": "a", "number": 1}, {"f:text": {}}, {"number": 1}),
        ({"labels": {"a": "1", "b": "1"}}, {"f:labels": {"f:a": {}}}, {"labels": {"b": "1"}}),
        ({"labels": {"a": "1"}}, {"f:labels": {"f:a": {}}}, {"labels": None}),
        ({"labels": {"a": "1"}}, {"f:labels": {".": {}, "f:a": {}}}, None),
        ({"atomic": ["a"], "text": "x"}, {"f:atomic": {}}, {"text": "x"}),
        ({"tags": ["a", "b"]}, {"f:tags": {'v:"a"': {}}}, {"tags": ["b"]}),
        (
            {"items": [{"name": "a", "value": "1"}, {"name": "b"}]},
            {"f:items": {'k:{"name":"a"}': {"f:value": {}}, 'k:{"name":"b"}': {}}},
            {"items": [{"name": "a"}]},
        ),
    ],
)
def test_fields_are_removed(spec: Object, fields: Object, left: Object | None) -> None:
    assert typed.remove(thing(spec), spec_fields(fields), NODE) == {**thing(), "spec": left}


@pytest.mark.parametrize(
    ("spec", "fields", "part"),
    [
        ({"text": "a", "number": 1}, {"f:text": {}}, {"text": "a"}),
        ({"atomic": ["a"], "labels": {"a": "1", "b": "1"}}, {"f:labels": {"f:b": {}}}, {"labels": {"b": "1"}}),
        ({"labels": {"a": "1", "b": "1"}}, {"f:labels": {".": {}, "f:b": {}}}, {"labels": {"b": "1"}}),
        (
            {"items": [{"name": "a", "value": "1", "nested": {"x": "1"}}, {"name": "b"}]},
            {"f:items": {'k:{"name":"a"}': {"f:value": {}}}},
            {"items": [{"name": "a", "value": "1"}]},
        ),
        ({"tags": ["a", "b"]}, {"f:tags": {'v:"b"': {}}}, {"tags": ["b"]}),
    ],
)
def test_fields_are_extracted_with_the_keys_of_their_items(spec: Object, fields: Object, part: Object) -> None:
    assert typed.extract(thing(spec), spec_fields(fields), NODE) == {"spec": part}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"foo": 1}, ".spec.foo: field not declared in schema"),
        ({"text": 1}, ".spec.text: expected string, got &value.valueUnstructured{Value:1}"),
        ({"number": "1"}, ".spec.number: expected numeric (int or float), got string"),
        ({"flag": "yes"}, ".spec.flag: expected boolean, got &{yes}"),
        ({"struct": "x"}, ".spec.struct: expected map, got &{x}"),
        ({"items": "x"}, ".spec.items: expected list, got &{x}"),
        ({"quantity": {"a": 1}}, ".spec.quantity: expected any scalar, got &{map[a:1]}"),
        ({"items": [{"name": "a"}, {"name": "a"}]}, '.spec.items: duplicate entries for key [name="a"]'),
        ({"tags": ["a", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        ({"items": [{"name": "a", "foo": 1}]}, '.spec.items[name="a"].foo: field not declared in schema'),
        (
            {"items": [{"value": "1"}]},
            (
                ".spec.items: element 0: associative list with keys has an element that omits all key fields"
                ' ["name"] (and doesn\'t have default values for any key fields)'
            ),
        ),
        ({"items": ["x"]}, ".spec.items: element 0: associative list with keys may not have non-map elements"),
        ({"items": [None]}, ".spec.items: element 0: associative list with keys may not have a null element"),
        (
            {"tags": [{"a": 1}]},
            ".spec.tags: element 0: associative list without keys has an element that's a map type",
        ),
        ({"atomic": ["a", 1]}, ".spec.atomic[1]: expected string, got &value.valueUnstructured{Value:1}"),
    ],
)
def test_what_the_schema_does_not_know_is_refused_in_the_servers_words(spec: Object, message: str) -> None:
    with pytest.raises(merge.SchemaError) as refusal:
        merge.apply(None, thing(spec), manager="one", node=NODE, force=False, now="")
    prefix = "failed to create typed patch object (/x; example.com/v1, Kind=Thing): "
    assert str(refusal.value) == prefix + message


@pytest.mark.parametrize("spec", [{"quantity": 1}, {"either": 1}, {"either": "a"}, {"free": {"a": {"b": None}}}])
def test_what_is_not_described_is_not_refused(spec: Any) -> None:
    assert merge.apply(None, thing(spec), manager="one", node=NODE, force=False, now="").changed
