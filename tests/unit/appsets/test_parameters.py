"""Parameters as Go has them: printed, flattened, as parts of names. The expected texts were printed by Go."""

from typing import Any

import pytest

from syncline.core.appset.parameters import flat_texts, from_json, go_text, normalized, to_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (8080.0, "8080"),
        (123456.0, "123456"),
        (1234567.0, "1.234567e+06"),
        (12345678.0, "1.2345678e+07"),
        (123456789012.0, "1.23456789012e+11"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (1e20, "1e+20"),
        (1.5, "1.5"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-12345678.0, "-1.2345678e+07"),
        (True, "true"),
        (False, "false"),
        (None, "<nil>"),
        ("text", "text"),
        ({"b": 1.0, "a": "x"}, "map[a:x b:1]"),
        (["a", 1.0], "[a 1]"),
        ((), "[]"),
    ],
)
def test_values_are_printed_as_go_prints_them(value: Any, text: str) -> None:
    assert go_text(value) == text


def test_nested_parameters_are_flattened_with_dots_and_lists_of_texts_stay_whole() -> None:
    nested = {"a": {"b": {"c": "1"}}, "list": ["x", {"y": 2}], "empty": {}, "none": [], "path": ("p", "q")}
    assert flat_texts(from_json(nested)) == {"a.b.c": "1", "list.0": "x", "list.1.y": "2", "path": "[p q]"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Staging_01", "staging-01"),
        ("-a.b-", "a.b"),
        ("https://host:443/x", "https---host-443-x"),
        ("ünï", "n"),
        ("x" * 300, "x" * 253),
        (".", ""),
    ],
)
def test_names_are_made_fit_for_dns(name: str, found: str) -> None:
    assert normalized(name) == found


def test_whole_numbers_are_shown_without_a_fraction() -> None:
    assert to_json({"a": [1.0, 1.5], "b": ("x",)}) == {"a": [1, 1.5], "b": ["x"]}
