"""Types of plain scalars: worked out from Go's number syntax and YAML 1.1's words."""

from __future__ import annotations

import json
import math

import pytest

from syncline.apimachinery import yaml

VALUES = {
    "yes": True,
    "Off": False,
    "y": True,
    "N": False,
    "yEs": "yEs",
    "~": None,
    "": None,
    "Null": None,
    "nUll": "nUll",
    "0777": 511,
    "0o17": 15,
    "0O17": 15,
    "0x1F": 31,
    "+0x10": 16,
    "-0x10": -16,
    "0b101": 5,
    "-0b101": -5,
    "0b-101": -5,
    "0b2": "0b2",
    "08": 8,
    "09.5": 9.5,
    "0_7": 7,
    "1_000": 1000,
    "_1": "_1",
    "1e3": 1000,
    "1.e3": 1000,
    ".5": 0.5,
    ".5_5": ".5_5",
    "5.": 5,
    "-0.0": 0,
    "1e400": "1e400",
    "1e-400": 0,
    "1e21": 1e21,
    "22:22": "22:22",
    "1.2.3": "1.2.3",
    "2024-01-02": "2024-01-02",
    "<<": "<<",
    "=": "=",
    "٣": "٣",
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "9223372036854775808": float(2**63),
    "-9223372036854775809": -float(2**63),
    "18446744073709551616": float(2**64),
    "0xffffffffffffffff": float(2**64 - 1),
    "0x1ffffffffffffffff": "0x1ffffffffffffffff",
    "1" * 5000: "1" * 5000,
    "1.0e17": 10**17,
    "1152921504606846976.0": 1152921504606847000,
}


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_a_plain_scalar_has_the_type_go_gives_it(text: str, value: object) -> None:
    assert json.dumps(yaml.resolve_plain(text)) == json.dumps(value)


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN"])
def test_a_number_without_json_form_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(yaml.YamlError) as caught:
        yaml.load(f"a:\n- {text}\n", source="f.yaml")
    assert str(caught.value) == (
        "f.yaml:2:3: infinity and not-a-number have no JSON form: quote the value or give a number"
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("!!str 123", "123"),
        ('!!int "3"', 3),
        ("!!float 3", 3),
        ('!!bool "no"', False),
        ("!!null ''", None),
        ("!!timestamp 2024-02-29", "2024-02-29"),
        ("!!timestamp 2024-02-29 1:2:3.5", "2024-02-29 1:2:3.5"),
        ("!!binary aGVsbG8=", "hello"),
        ("!!binary /+4i", '\ufffd\ufffd"'),
        ("!custom 12", "12"),
        ("! 12", "12"),
        ("!custom [1]", [1]),
    ],
)
def test_a_tag_decides_the_type_if_go_knows_it(written: str, value: object) -> None:
    assert json.dumps(yaml.load(f"a: {written}")) == json.dumps({"a": value})


@pytest.mark.parametrize(
    "written",
    [
        "!!int x",
        "!!int 1.5",
        "!!bool 1",
        "!!null x",
        "!!float y",
        "!!timestamp 2023-02-29",
        "!!binary a",
        "!!binary \u00b6",
    ],
)
def test_a_tag_that_does_not_fit_its_value_is_refused_without_showing_the_value(written: str) -> None:
    with pytest.raises(yaml.YamlError, match=r"^<input>:1:4: the (!!binary )?value is not [^`]*$"):
        yaml.load(f"a: {written}")


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("1", "1"),
        ("0x10", "16"),
        ("yes", "true"),
        ("'yes'", "yes"),
        ("1.50", "1.5"),
        ("-1.5", "-1.5"),
        ("100000.0", "100000"),
        ("1e6", "1e+06"),
        ("16777217.0", "1.6777216e+07"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        (".inf", ".inf"),
        ("-.inf", "-.inf"),
        (".nan", ".nan"),
        ("1e300", ".inf"),
        ("2024-01-02", "2024-01-02"),
        ('"<<"', "<<"),
        ("!!str 1.50", "1.50"),
    ],
)
def test_a_key_becomes_the_string_go_makes_of_it(written: str, key: str) -> None:
    assert yaml.load(f"{written}: x") == {key: "x"}


def test_the_empty_string_is_a_key() -> None:
    assert yaml.load("'': x") == {"": "x"}


@pytest.mark.parametrize("written", ["~", "null", "[a]", "{a: b}", "12345678901234567890"])
def test_other_odd_keys_are_refused(written: str) -> None:
    with pytest.raises(yaml.YamlError, match="key"):
        yaml.load(f"{written}: x")


def test_whole_floats_arrive_as_integers() -> None:
    value = yaml.load("a: 3.0")["a"]
    assert (type(value), value, math.copysign(1, value)) == (int, 3, 1)
