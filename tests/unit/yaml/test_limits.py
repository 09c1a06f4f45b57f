"""Hostile texts are refused quickly and with a place."""

from __future__ import annotations

import itertools

import pytest

from syncline.apimachinery import yaml

LETTERS = "abcdefghi"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{previous}'] * 9)}]\n" for previous, name in itertools.pairwise(LETTERS)
)
MERGES = "a: &a {a1: 1, a2: 2}\n" + "".join(
    f"{name}: &{name}\n  <<: *{previous}\n  own-{name}: {{x: *{previous}, y: *{previous}}}\n"
    for previous, name in itertools.pairwise(LETTERS + "jklmnopqr")
)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (BOMB, r"<input>:6:\d+: aliases expand to more than 400000 fields and items"),
        (MERGES, r"<input>:\d+:\d+: aliases expand to more than 400000 fields and items"),
        ("[" * 3000, "<input>:1:201: nested deeper than 200 levels"),
        ("- " * 3000 + "x", "<input>:1:401: nested deeper than 200 levels"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "<input>:1:1001: nested deeper than 200 levels"),
        ('{"a":' * 250 + "1" + "}" * 250, "<input>:1:1001: nested deeper than 200 levels"),
        ("a" * (10 * 1024 * 1024 + 1), "<input>:1:1: the text has 10485761 bytes, more than the 10485760 allowed"),
    ],
)
def test_a_hostile_text_is_refused(text: str, error: str) -> None:
    with pytest.raises(yaml.YamlError, match=f"^{error}"):
        yaml.load_documents(text)


def test_the_number_of_fields_is_limited_over_all_documents() -> None:
    limits = yaml.YamlLimits(max_nodes=10)
    assert len(yaml.load_documents("a: 1\n---\n" * 9, limits=limits)) == 9
    with pytest.raises(yaml.YamlError, match=r"^<input>:21:1: more than 10 fields and items"):
        yaml.load_documents("a: 1\n---\n" * 12, limits=limits)


def test_one_long_list_counts_too() -> None:
    with pytest.raises(yaml.YamlError, match=r"^<input>:1:4: more than 10 fields and items"):
        yaml.load("a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", limits=yaml.YamlLimits(max_nodes=10))


def test_empty_documents_count_against_the_limit_on_documents() -> None:
    assert yaml.load_documents("---\n" * 10, limits=yaml.YamlLimits(max_documents=10)) == []
    with pytest.raises(yaml.YamlError, match=r"^<input>:11:1: more than 10 documents"):
        yaml.load_documents("---\n" * 11, limits=yaml.YamlLimits(max_documents=10))


def test_nesting_up_to_the_limit_is_read() -> None:
    limits = yaml.YamlLimits(max_depth=3)
    assert yaml.load("a: {b: [1]}", limits=limits) == {"a": {"b": [1]}}
    with pytest.raises(yaml.YamlError, match="1:9: nested deeper than 3 levels"):
        yaml.load("a: {b: [[1]]}", limits=limits)


def test_honest_aliases_are_read() -> None:
    text = "base: &b {cpu: 1, memory: 2}\nall:\n" + "- *b\n" * 1000
    assert yaml.load(text)["all"] == [{"cpu": 1, "memory": 2}] * 1000
