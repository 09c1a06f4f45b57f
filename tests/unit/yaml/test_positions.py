"""Places of fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies

from syncline.apimachinery import yaml
from tests.unit.yaml.walking import all_paths

TEXT = """\
# a comment
kind: Deployment
base: &base
  cpu: 1
  more: {memory: 2, list: [a,
    b]}
spec:
  containers:
  - name: web
    args: [x, y]
  -
    name: side
    <<: *base
    cpu: 3
  - *base
  late: {cpu: 9, <<: *base, z: 1}
  after: true
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 2, 1),
        (("kind",), 2, 1),
        (("base",), 3, 1),
        (("base", "more", "list", 1), 6, 5),
        (("spec", "containers"), 8, 3),
        (("spec", "containers", 0), 9, 5),
        (("spec", "containers", 0, "args", 1), 10, 15),
        (("spec", "containers", 1), 12, 5),
        (("spec", "containers", 1, "name"), 12, 5),
        (("spec", "containers", 1, "cpu"), 14, 5),
        (("spec", "containers", 1, "more", "list", 0), 5, 28),
        (("spec", "containers", 2), 15, 5),
        (("spec", "containers", 2, "more", "memory"), 5, 10),
        (("spec", "late", "cpu"), 4, 3),
        (("spec", "late", "z"), 16, 29),
        (("spec", "after"), 17, 3),
    ],
)
def test_a_path_leads_to_its_key(path: yaml.Path, line: int, column: int) -> None:
    [document] = yaml.load_documents(TEXT)
    assert document.position(path) == yaml.Position(line, column)


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        (("nothing",), ()),
        (("spec", "containers", 7, "x"), ("spec", "containers")),
        (("kind", "below", 0), ("kind",)),
        (("spec", "containers", 1, "more", "nothing"), ("base", "more")),
    ],
)
def test_a_path_that_leads_nowhere_falls_back_to_the_nearest_parent(path: yaml.Path, parent: yaml.Path) -> None:
    [document] = yaml.load_documents(TEXT)
    assert document.position(path) is None
    assert document.position_or_parent(path) == document.position(parent)


def test_json_fields_have_places_too() -> None:
    text = '{"a": {"smile": "\\ud83d\\ude00"},\n "b": [1,\n  {"c": 2}]}\n {"d": 1}\n'
    first, second = yaml.load_documents(text)
    assert [first.position(path) for path in ((), ("a", "smile"), ("b", 1), ("b", 1, "c"))] == [
        yaml.Position(1, 1),
        yaml.Position(1, 8),
        yaml.Position(3, 3),
        yaml.Position(3, 4),
    ]
    assert (second.line, second.position(("d",))) == (4, yaml.Position(4, 3))


def test_json_that_yaml_cannot_follow_falls_back_to_its_first_line() -> None:
    [document] = yaml.load_documents('\n{"' + "k" * 2000 + '": {"a": 1}}')
    assert document.position_or_parent(("k" * 2000, "a")) == yaml.Position(2, 1)


NAMES = strategies.text("abcxyz0123 -:#é", min_size=1, max_size=5)
TREES = strategies.recursive(
    strategies.integers(-9, 9) | NAMES,
    lambda inner: strategies.lists(inner, max_size=4) | strategies.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@settings(deadline=None)
@given(strategies.dictionaries(NAMES, TREES, min_size=1, max_size=5))
def test_every_key_stands_where_its_position_says(value: dict[str, Any]) -> None:
    text = yaml.dump(value)
    [document] = yaml.load_documents(text)
    lines = text.split("\n")
    places = []
    for path in all_paths(value):
        place = document.position(path)
        assert place is not None
        places.append((place.line, place.column))
        if isinstance(path[-1], str):
            key = yaml.dump({path[-1]: 0}).removesuffix(" 0\n")
            assert lines[place.line - 1][place.column - 1 :].startswith(key)
    assert places == sorted(places)
    assert document.places() == [(path, document.position(path)) for path in all_paths(value)]


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "a: {}\nb: []\nc: {d: [], e: {}}\nf: 1\n",
        "base: &b {x: &y {z: 1}}\nboth: {<<: [*b, {x: 2, w: 3}], x: *y}\nlast: [*b, *y, 1]\n",
        '{"a": {"b": [1, {"c": 2}]},\n "d": 3}',
    ],
)
def test_all_places_at_once_are_those_found_one_by_one(text: str) -> None:
    [document] = yaml.load_documents(text)
    places = document.places()
    assert {path for path, _ in places} == set(all_paths(document.value))
    assert places == [(path, document.position(path)) for path, _ in places]


def test_places_below_a_path_are_named_as_the_caller_wants() -> None:
    [document] = yaml.load_documents(TEXT)
    named = document.named_places(("spec", "containers", 0), root="web", join=lambda name, step: f"{name}/{step}")
    assert named == [
        ("web/name", yaml.Position(9, 5)),
        ("web/args", yaml.Position(10, 5)),
        ("web/args/0", yaml.Position(10, 12)),
        ("web/args/1", yaml.Position(10, 15)),
    ]


@pytest.mark.parametrize("path", [("kind",), ("nothing",), ("kind", "below")])
def test_below_a_scalar_and_below_nothing_there_are_no_places(path: yaml.Path) -> None:
    [document] = yaml.load_documents(TEXT)
    assert document.named_places(path, root=0, join=lambda number, _: number + 1) == []


def test_json_that_yaml_cannot_follow_has_no_places_but_its_first_line() -> None:
    [document] = yaml.load_documents('\n{"' + "k" * 2000 + '": {"a": 1}}')
    assert document.places() == []
