"""What kubectl reads is what we read; what kubectl refuses we refuse."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from syncline.apimachinery import yaml

Judge = Callable[[Sequence[str]], list[Any]]

REFUSED = "refused"
PIECES = [
    *["0", "1", "7", "8", "9", "00", "12", "_", "-", "+", ".", "e", "E", "x", "X", "o", "b", "f", "A", "p", "T"],
    *["0x", "0o", "0b", "0B", "0O", "y", "n", "Y", "on", "no", "true", "False", "~", "null", "inf", "nan"],
    *[".inf", "Z", ":", " ", "2024", "-01", "<", "=", "'", '"', "\\", "#", "@", "é", "٣"],
]
WORDS = [
    *["y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"],
    *["true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "~", "null", "Null", "NULL", "nULL", "", "=", "<<"],
    *["0777", "0o17", "0x1F", "0b101", "08", "1_000", "1_000.5", "1e3", "1.5e-3", "1.e3", ".5", "5.", "+5", "-0"],
    *["1:30", "190:20:30.15", "2024-01-02", "2024-01-02T03:04:05Z", "2001-12-14 21:59:43.10 -5:00", "1e400"],
    *["12345678901234567890", "123456789012345678901234567890", "9223372036854775807", "9223372036854775808"],
    *["-9223372036854775809", "18446744073709551615", "0xffffffffffffffff", "0x7fffffffffffffffff", "1e21", "0.1"],
    *[
        "1.0e+20",
        "100000000000000000000.0",
        "0777777777777777777777777",
        "1152921504606846977.0",
        "4611686018427387904.0",
    ],
    *["!!str 123", '!!int "3"', "!!float 3", "!!binary aGVsbG8=", "!custom foo", "! 12", "!!bool 'no'", "!!null ''"],
    *[
        "!!timestamp 2024-01-02",
        "!!binary /+4i",
        "!!binary 4oI=",
        "! yes",
        "!!str yes",
        "!!set {a, b}",
        "!!omap [a: 1]",
    ],
]


def ours(body: str) -> Any:
    try:
        return yaml.load(body)["spec"]
    except yaml.YamlError:
        return REFUSED


def same(found: Any, expected: Any) -> bool:
    """Compare with types: for Python True, 1 and 1.0 are equal."""
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def made_scalars(count: int) -> list[str]:
    chance = random.Random(20)
    made = {"".join(chance.choices(PIECES, k=chance.randint(1, 6))).strip() for _ in range(count)}
    return sorted(made - {""}) + WORDS


def test_thousands_of_scalars_have_the_type_kubectl_gives_them(kubectl_reads: Judge) -> None:
    readable = [text for text in made_scalars(4000) if ours(f"spec:\n- {text}\n") != REFUSED]
    assert len(readable) > 3000
    body = "spec:\n" + "".join(f"- {text}\n" for text in readable)
    [expected], found = kubectl_reads([body]), ours(body)
    assert [
        (text, got, want) for text, got, want in zip(readable, found, expected, strict=True) if not same(got, want)
    ] == []


def test_scalars_we_refuse_are_refused_by_kubectl(kubectl_reads: Judge) -> None:
    words = [".inf", "-.INF", ".nan", "!!int x", "!!bool 1", "!!timestamp 2024-13-45", "!!binary x", "!!int 1.5"]
    made = [text for text in made_scalars(900) if ours(f"spec:\n- {text}\n") == REFUSED]
    bodies = [f"spec:\n- {text}\n" for text in words + random.Random(1).sample(made, 12)]
    assert [ours(body) for body in bodies] == [REFUSED] * len(bodies)
    assert [kubectl_reads([body]) for body in bodies] == [[REFUSED]] * len(bodies)


def test_keys_become_the_strings_kubectl_makes_of_them(kubectl_reads: Judge) -> None:
    numbers = ["1.50", "1e6", "123456.7", "1e30", "1e300", "0.00001", "16777217.0", ".inf", "-.inf", ".nan", "-1.5"]
    keys = [text for text in made_scalars(700) if ":" not in text] + numbers
    bodies = [f"spec:\n  {key}: 1\n" for key in keys]
    readable = [body for body in bodies if isinstance(ours(body), dict)]
    assert len(readable) > 500
    expected = kubectl_reads(readable)
    assert [(body, want) for body, want in zip(readable, expected, strict=True) if not same(ours(body), want)] == []


STRUCTURES = [
    "spec: {a: 1, b: [x, {c: d}]}",
    "spec:\n  b: &x {c: 1, d: 2}\n  e: *x",
    "spec:\n  base: &x {c: 1, d: 2}\n  late: {c: 9, <<: *x}",
    "spec:\n  base: &x {c: 1, d: 2}\n  early: {<<: *x, c: 9}",
    "spec:\n  a: &a {x: 1}\n  b: &b {x: 2, w: 3}\n  m:\n    <<: [*a, *b]\n    z: 1",
    "spec:\n  a: &a {x: 1}\n  b: &b {<<: *a, w: 3}\n  m:\n    z: 1\n    <<: *b",
    "spec:\n  a: &a {x: 1}\n  b: &b {w: 1}\n  m:\n    <<: *a\n    <<: *b",
    "spec:\n  m:\n    <<: {q: 1}\n    z: 1",
    'spec:\n  m:\n    "<<": {a: 1}',
    "spec:\n  m:\n    !!merge <<: {a: 1}",
    "spec:\n  k: &k name\n  *k : v",
    "spec:\n  &k name: v\n  x: *k",
    "spec:\n  k: &k 1.50\n  *k : v",
    "spec:\n  - &a 1\n  - *a\n  - &a 2\n  - *a",
    "spec:\n  ? a\n  : b",
    "spec:\n  ? " + "k" * 1100 + "\n  : 1",
    "spec: !!map {a: !!seq [1]}",
    "spec: !foo {a: !bar [1, !baz x]}",
    "spec: !!python/object:os.system x",
    "spec:\n  a: !!binary |\n    aGVs\n    bG8=",
    "spec:\n  a: |\n    x\n    y\n  b: |-\n    x\n  c: |+\n    x\n\n  d: >\n    a\n    b\n\n    c\n  e: |2\n      x",
    "spec:\n  a: 'it''s'\n  b: \"\\t\\x41\\u00e9\\U0001F600\\N\\_\\L\\P\\e\\0\"",
    'spec:\n  a: x\n   y\n  b: "x\n   y"',
    "spec:\n- a\n- b",
    "spec:\n  - - a\n    - b\n  -   - c",
    "spec: [a: 1]",
    "spec: {a, b: 1, c: , }",
    "spec:\r\n  a: 1\r\n  b: |\r\n    x\r\n    y\r",
    "spec: http://x:80/a?b=c#d",
    "spec: a#b #c",
    "spec: {a: b:c}",
    'spec: {"a":1}',
    "spec: -x",
    "spec: é😀",
    'spec: "\x85x\u2028y"',
    "spec: null",
    "spec:\n  a:\n  b:\n  - 1\n  -\n  - ~",
    "spec: 'a\n\n  b'",
    "spec: >-\n  a\n   b\n  c",
    "spec: |\n  a\tb\n  \tc",
    "spec: |\n\n\n  x",
    "spec:\n  a   :    1   # c",
]


def test_structures_are_read_as_kubectl_reads_them(kubectl_reads: Judge) -> None:
    bodies = [text + "\n" for text in STRUCTURES]
    expected = kubectl_reads(bodies)
    assert REFUSED not in expected
    assert [(body, want) for body, want in zip(bodies, expected, strict=True) if not same(ours(body), want)] == []


BROKEN = [
    "spec: a\x85b",
    "spec:\n  a: &x-1.b 1\n  b: *x-1.b",
    "spec:\n  a: &a [*a]",
    "spec:\n  a: &a {b: *a}",
    "spec: *a",
    "spec:\n  m:\n    <<: 1",
    "spec:\n  a: &a [{x: 1}]\n  m:\n    <<: *a",
    "spec:\n  m:\n    <<: [{a: 1}, 3]",
    "spec:\n  ~: b",
    "spec:\n  [a]: 1",
    "spec:\n  12345678901234567890: a",
    "spec:\n\ta: 1",
    "spec:\n  a: [1",
    'spec:\n  a: "x',
    "spec:\n  a: b: c",
    "spec:\n  a: 1\n   b: 2",
    "spec: @x",
    "spec: [1,,2]",
    "spec: a\x7fb",
    'spec: "\\ud83d\\ude00"',
    'spec: "x\\qy"',
    "spec:\n  " + "k" * 1100 + ": 1",
]


def test_broken_structures_are_refused_by_both(kubectl_reads: Judge) -> None:
    bodies = [text + "\n" for text in BROKEN]
    assert [ours(body) for body in bodies] == [REFUSED] * len(bodies)
    assert [kubectl_reads([body]) for body in bodies] == [[REFUSED]] * len(bodies)


@pytest.mark.parametrize(
    ("body", "we_read", "kubectl_read"),
    [
        ("spec: {a: 1, a: 2}\n", REFUSED, {"a": 2}),
        ('spec: "\\/"\n', "/", REFUSED),
    ],
)
def test_the_two_known_differences(body: str, we_read: Any, kubectl_read: Any, kubectl_reads: Judge) -> None:
    assert (ours(body), kubectl_reads([body])) == (we_read, [kubectl_read])
