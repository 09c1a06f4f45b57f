"""Places of fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies

from syncline.apimachinery import yaml

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


def _paths(value: Any, path: yaml.Path = ()) -> list[yaml.Path]:
    """List the paths of all fields and items in the order in which a writer puts them down."""
    steps: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    found: list[yaml.Path] = []
    for step in steps:
        found.append((*path, step))
        if isinstance(value[step], dict | list):
            found += _paths(value[step], (*path, step))
    return found


NAMES = strategies.text("abcxyz0123 -:#é", min_size=1, max_size=5)
TREES = strategies.recursive(
    strategies.integers(-9, 9) | NAMES,
    lambda inner: strategies.lists(inner, max_size=4) | strategies.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(strategies.dictionaries(NAMES, TREES, min_size=1, max_size=5))
def test_every_key_stands_where_its_position_says(value: dict[str, Any]) -> None:
    text = yaml.dump(value)
    [document] = yaml.load_documents(text)
    lines = text.split("\n")
    places = []
    for path in _paths(value):
        place = document.position(path)
        assert place is not None
        places.append((place.line, place.column))
        if isinstance(path[-1], str):
            key = yaml.dump({path[-1]: 0}).removesuffix(" 0\n")
            assert lines[place.line - 1][place.column - 1 :].startswith(key)
    assert places == sorted(places)
