"""What is written is read back as the same value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from syncline.apimachinery import yaml


def test_a_manifest_is_written_the_way_people_write_it() -> None:
    value = {
        "apiVersion": "v1",
        "metadata": {"name": "web", "labels": {}, "annotations": {"on": "yes", "note": "two\nlines\n"}},
        "spec": {
            "containers": [{"name": "a", "args": ["--port=80", "-v", "- x"], "ports": []}, [[1], [2.5, None]]],
            "version": "1.10",
            "script": "no end\n  indented\n\n#x",
        },
    }
    assert (
        yaml.dump(value)
        == """\
apiVersion: v1
metadata:
  name: web
  labels: {}
  annotations:
    "on": "yes"
    note: |
      two
      lines
spec:
  containers:
  - name: a
    args:
    - --port=80
    - -v
    - "- x"
    ports: []
  - - - 1
    - - 2.5
      - null
  version: "1.10"
  script: |-
    no end
      indented

    #x
"""
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain text", "plain text"),
        ("http://host:80/a?b=c#d", "http://host:80/a?b=c#d"),
        ("nginx:1.27", "nginx:1.27"),
        ("10.0.0.1", "10.0.0.1"),
        ("y", '"y"'),
        ("1e3", '"1e3"'),
        ("0o17", '"0o17"'),
        ("08", '"08"'),
        ("22:22", '"22:22"'),
        ("2024-01-02", '"2024-01-02"'),
        ("~", '"~"'),
        ("", '""'),
        ("<<", '"<<"'),
        ("---", '"---"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("end:", '"end:"'),
        (" x", '" x"'),
        ("{{ x }}", '"{{ x }}"'),
        ('{"a": 1}', "'{\"a\": 1}'"),
        ("*", '"*"'),
        ("\x85\u2028\x00\t", '"\\x85\\u2028\\0\\t"'),
        ("\r\n", '"\\r\\n"'),
        ("\n", '"\\n"'),
        ("😀", "😀"),
    ],
)
def test_a_string_is_quoted_only_where_it_must_be(text: str, written: str) -> None:
    assert yaml.dump([text]) == f"- {written}\n"
    assert yaml.dump(text) == f"{written}\n"


def test_several_values_are_parted_by_a_line() -> None:
    assert yaml.dump_all([{"a": 1}, {"b": "x\n\n"}, []]) == "a: 1\n---\nb: |+\n  x\n\n---\n[]\n"
    assert yaml.dump_all([]) == ""


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({1: 2}, TypeError),
        ({"a": {1}}, TypeError),
        ([float("inf")], ValueError),
        ([float("nan")], ValueError),
        (["\ud800"], ValueError),
        ([2**63], ValueError),
    ],
)
def test_what_json_cannot_hold_is_not_written(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        yaml.dump(value)


TEXTS = strategies.text() | strategies.text(
    "yn01e.:-+_#'\"\\ \t\n\r|>&*!%@[]{},?~<=\x00\x85\u2028\ufeff😀", max_size=12
)
SCALARS = (
    strategies.none()
    | strategies.booleans()
    | strategies.integers(-(2**63), 2**63 - 1)
    | strategies.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = strategies.recursive(
    SCALARS,
    lambda inner: strategies.lists(inner, max_size=5) | strategies.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=30,
)


@settings(deadline=None)
@given(VALUES)
def test_every_json_value_survives_writing_and_reading(value: Any) -> None:
    read = yaml.load_documents(yaml.dump(value))
    assert [document.value for document in read] == ([] if value is None else [value])


@settings(deadline=None)
@given(strategies.lists(VALUES.filter(lambda value: value is not None), max_size=4))
def test_every_stream_survives_writing_and_reading(values: list[Any]) -> None:
    assert [document.value for document in yaml.load_documents(yaml.dump_all(values))] == values


@settings(deadline=None)
@given(strategies.dictionaries(TEXTS, VALUES, max_size=5))
def test_json_text_is_read_as_json(value: dict[str, Any]) -> None:
    assert yaml.load(json.dumps(value)) == value
    assert yaml.load(json.dumps(value, ensure_ascii=False, indent=1)) == value
