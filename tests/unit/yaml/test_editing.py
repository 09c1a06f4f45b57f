"""Edits change one field and leave every other character alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies

from syncline.apimachinery import yaml
from tests.unit.yaml.walking import all_paths

TEXT = """\
# top
apiVersion: v1 # version
metadata:
  name: "x"   # the name
  labels: {a: b, c: d}
spec:
  # about containers
  containers: # list
  - name: web # n
    image: 'a:1'
    args: []

  # second
  - name: side
    env:
    - name: A
      value: b
# end
"""


def replaced(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("metadata", "name"), "yes", replaced('"x"  ', '"yes"  ')),
        (("apiVersion",), "on", replaced("v1 #", '"on" #')),
        (("metadata", "labels", "a"), {"q": 1}, replaced("a: b,", "a: {q: 1},")),
        (("metadata", "labels", "e"), "x, z", replaced("c: d}", 'c: d, e: "x, z"}')),
        (("metadata", "notes", "k"), "v", replaced("c: d}\n", "c: d}\n  notes:\n    k: v\n")),
        (("spec", "containers", 0, "image"), "b:2", replaced("'a:1'", "'b:2'")),
        (("spec", "containers", 0, "args"), ["--x", "y"], replaced("args: []", 'args:\n    - --x\n    - "y"')),
        (("spec", "containers", 0, "args", 0), 1, replaced("args: []", "args:\n    - 1")),
        (("spec", "containers", 0, "name"), "a\nb\n", replaced("web # n", "| # n\n      a\n      b")),
        (("spec", "containers", 0, "name"), {"z": 1}, replaced(" web # n", " # n\n      z: 1")),
        (("spec", "containers", 1, "env", 0, "value"), None, replaced("value: b", "value: null")),
        (("spec", "containers", 1, "env"), "none", replaced("\n    - name: A\n      value: b", " none")),
        (
            ("spec", "containers", 1, "env", 1),
            {"name": "B"},
            replaced("value: b", "value: b\n    - name: B"),
        ),
        (("spec", "replicas"), 3, replaced("value: b", "value: b\n  replicas: 3")),
    ],
)
def test_setting_a_value_keeps_the_rest(path: yaml.Path, value: Any, expected: str) -> None:
    assert yaml.edit.set_value(TEXT, 0, path, value) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("spec", "containers", 0), {"name": "first"}, replaced("- name: web", "- name: first\n  - name: web")),
        (("spec", "containers", 1), "x", replaced("  - name: side", "  - x\n  - name: side")),
        (("spec", "containers", 2), "x", replaced("value: b", "value: b\n  - x")),
        (("metadata", "uid"), "u", replaced("c: d}\n", "c: d}\n  uid: u\n")),
    ],
)
def test_inserting_moves_the_rest_along(path: yaml.Path, value: Any, expected: str) -> None:
    assert yaml.edit.insert(TEXT, 0, path, value) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("metadata", "name"), replaced('  name: "x"   # the name\n', "")),
        (("metadata", "labels", "a"), replaced("a: b, ", "")),
        (("metadata", "labels", "c"), replaced(", c: d", "")),
        (("spec", "containers", 0, "name"), replaced("name: web # n\n    image", "image")),
        (("spec", "containers", 0), replaced("  - name: web # n\n    image: 'a:1'\n    args: []\n", "")),
        (("spec", "containers", 1, "env", 0), replaced("env:\n    - name: A\n      value: b", "env: []")),
    ],
)
def test_deleting_takes_whole_lines(path: yaml.Path, expected: str) -> None:
    assert yaml.edit.delete(TEXT, 0, path) == expected


def test_only_the_named_document_changes_and_line_ends_stay() -> None:
    text = "\ufeffa: 1\r\n---\r\n---\r\nb:\r\n    - x\r\nc: 2\r\n"
    assert yaml.edit.set_value(text, 1, ("d",), ["y", "z"]) == text + 'd:\r\n    - "y"\r\n    - z\r\n'
    assert yaml.edit.insert(text, 1, ("b", 1), "w") == text.replace("- x\r\n", "- x\r\n    - w\r\n")


def test_a_merged_field_is_overridden_beside_the_merge() -> None:
    text = "base: &b {cpu: 1}\nweb:\n  <<: *b\n"
    assert yaml.edit.set_value(text, 0, ("web", "cpu"), 2) == text + "  cpu: 2\n"


@pytest.mark.parametrize(
    ("text", "path", "error"),
    [
        ("a: 1\n", ("b",), "1:1: there is nothing to delete"),
        ("a: 1\n", ("a", "b"), "1:1: the path does not exist here"),
        ("a: 1\n", (), "1:1: an edit needs the path of a field"),
        ("a: &x {b: 1}\nc: *x\n", ("c", "b"), "2:4: the value comes from anchor &x: change it by hand"),
        ("a: &x 1\nc: *x\n", ("a",), "1:4: anchor &x is defined here and may be used elsewhere: change it by hand"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", ("c", "b"), "2:4: the field is merged from elsewhere: change it by hand"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str, path: yaml.Path, error: str) -> None:
    with pytest.raises(yaml.YamlError) as caught:
        yaml.edit.delete(text, 0, path)
    assert str(caught.value) == f"<input>:{error}"


def test_a_document_that_is_not_there_is_refused() -> None:
    with pytest.raises(yaml.YamlError, match="the text has no document 1: it has 1"):
        yaml.edit.delete("a: 1", 1, ("a",))


NAMES = strategies.text("abcxyz #:", min_size=1, max_size=4)
TEXTS = NAMES | strategies.text(max_size=8) | strategies.sampled_from(["a\nb\n", "a\n\n", " a\n"])
LEAVES = strategies.integers(-9, 9) | TEXTS | strategies.none()
TREES = strategies.recursive(
    LEAVES,
    lambda inner: strategies.lists(inner, max_size=3) | strategies.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(strategies.dictionaries(NAMES, TREES, min_size=1, max_size=4), TREES, strategies.data())
def test_every_field_of_what_we_write_can_be_set_and_deleted(
    value: dict[str, Any], new: Any, data: strategies.DataObject
) -> None:
    text = yaml.dump(value)
    path = data.draw(strategies.sampled_from(all_paths(value)))
    parent: Any = value
    for step in path[:-1]:
        parent = parent[step]
    was = parent[path[-1]]
    parent[path[-1]] = new
    assert yaml.load(yaml.edit.set_value(text, 0, path, new)) == value
    parent[path[-1]] = was
    del parent[path[-1]]
    assert yaml.load(yaml.edit.delete(text, 0, path)) == value
