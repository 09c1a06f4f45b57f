"""Documents, merges, aliases and the refusals that name a place."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery import yaml


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("# only a comment\n", []),
        ("---\n---\n...\n", []),
        ("~\n", []),
        ("a: 1\n", [1]),
        ("---\n# c\n\na: 1\n---\n\n---\n- b\n", [4, 8]),
        ("\ufeffa: 1\r\n---\r\nb: 2\r\n", [1, 3]),
        ("a: 1\n--- # c\nb: 2\n...\n---\nc: 3", [1, 3, 6]),
        ('{"a": 1}\n{"b": 2}\n\n  {"c": 3}\n', [1, 2, 4]),
    ],
)
def test_empty_documents_are_left_out_and_the_rest_are_counted(text: str, lines: list[int]) -> None:
    documents = yaml.load_documents(text)
    assert [document.line for document in documents] == lines
    assert [document.index for document in documents] == list(range(len(lines)))


@pytest.mark.parametrize("encode", [str.encode, lambda text: ("\ufeff" + text).encode("utf-16-le")])
def test_bytes_are_read_like_text(encode: Any) -> None:
    assert yaml.load(encode("a: é\n")) == {"a": "é"}


@pytest.mark.parametrize(
    ("mapping", "value"),
    [
        ("{<<: *one, x: 9}", {"x": 9}),
        ("{x: 9, <<: *one}", {"x": 1}),
        ("{<<: [*one, *two]}", {"x": 1, "w": 2}),
        ("{<<: [*two, *one]}", {"x": 2, "w": 2}),
        ("{<<: *one, <<: *two}", {"x": 2, "w": 2}),
        ("{<<: {z: 1}, <<: *two, w: 5}", {"z": 1, "x": 2, "w": 5}),
        ("{'<<': *one}", {"<<": {"x": 1}}),
    ],
)
def test_a_merge_overrides_what_stands_before_it(mapping: str, value: object) -> None:
    text = f"one: &one {{x: 1}}\ntwo: &two {{x: 2, w: 2}}\nmerged: {mapping}\n"
    assert yaml.load(text)["merged"] == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: 1\nb: 2\na: 3\n", '3:1: key "a" is given twice: first on line 1, again here'),
        ("a:\n  b: {c: 1}\n  d: 1\n  b: 2\n", '4:3: key "b" is given twice: first on line 2, again here'),
        ("1: a\n'1': b\n", '2:1: key "1" is given twice: first on line 1, again here'),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  b: 1\n  b: 2\n", '5:3: key "b" is given twice: first on line 4, again here'),
        ('{"a": 1,\n "a": 2}', '2:2: key "a" is given twice: first on line 1, again here'),
        ("a: &x [*x]\n", "1:8: the value of anchor &x contains itself"),
        ("a: &x 1\nb: &x {c: *x}\n", "2:11: the value of anchor &x contains itself"),
        ("a: *x\n", "1:4: no anchor &x is defined before this alias"),
        ("a: &x 1\n---\nb: *x\n", "3:4: no anchor &x is defined before this alias"),
        ("a:\n  <<: 1\n", "2:7: `<<` takes a mapping or a list of mappings"),
        ("a: &x [{b: 1}]\nc:\n  <<: *x\n", "3:7: `<<` takes a mapping or a list of mappings"),
        (
            "a:\n  - b\n  c: d\n",
            "3:3: did not find expected '-' indicator while parsing a block collection that starts on line 2",
        ),
        ("a: b: c\n", "1:5: mapping values are not allowed in this context"),
        ("a: x\nb: y\0\n", "2:5: character U+0000 is not allowed"),
        ("a: \x1b[0m\n", "1:4: character U+001B is not allowed"),
        ("a: \ud800\n", "1:4: character U+D800, half of a surrogate pair, is not allowed"),
        ('a: "\\ud800"\n', "1:7: found invalid Unicode character escape code while parsing a quoted scalar"),
        ('{"a": "\\ud800"}', "1:10: found invalid Unicode character escape code while parsing a quoted scalar"),
        (b"a: 1\r\nb: \xff\r\n", "2:4: the text is not valid UTF-8"),
    ],
)
def test_a_refusal_names_the_place(text: bytes | str, error: str) -> None:
    with pytest.raises(yaml.YamlError) as caught:
        yaml.load_documents(text, source="f.yaml")
    assert str(caught.value) == f"f.yaml:{error}"
    assert (caught.value.source, caught.value.message) == ("f.yaml", error.split(": ", 1)[1])


@pytest.mark.parametrize(("text", "line"), [("", 1), ("a: 1\n---\nb: 1\n", 3)])
def test_load_wants_exactly_one_document(text: str, line: int) -> None:
    with pytest.raises(yaml.YamlError, match=f"^<input>:{line}:1: .*document"):
        yaml.load(text)


def test_json_is_read_by_the_rules_of_json() -> None:
    text = '\n {"smile": "\\ud83d\\ude00", "line": "a\u2028b", "slash": "\\/", "n": [1.0, 1e3, 12345678901234567890],\n'
    text += '  "' + "k" * 2000 + '": null}'
    assert yaml.load(text) == {
        "smile": "😀",
        "line": "a\u2028b",
        "slash": "/",
        "n": [1, 1000, 12345678901234567890.0],
        "k" * 2000: None,
    }


@pytest.mark.parametrize("text", ["{a: 1}", '{"a": 1, # c\n}', '{"a": 0o1}', "{'a': 1}"])
def test_a_brace_may_also_open_yaml(text: str) -> None:
    assert yaml.load(text) == {"a": 1}
