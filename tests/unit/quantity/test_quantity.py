"""Quantities: value, notation, arithmetic, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import quantity
from syncline.apimachinery.quantity import InvalidQuantity, Quantity

texts = st.builds(
    lambda sign, whole, fraction, suffix: f"{sign}{whole}{fraction}{suffix}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**15),
    st.sampled_from(["", ".5", ".500", ".25", ".0001", ".1234567891"]),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "e-3", "e1"]),
)


@pytest.mark.parametrize(
    ("text", "nanos", "printed"),
    [
        ("0", 0, "0"),
        ("1", 10**9, "1"),
        ("1000m", 10**9, "1"),
        ("100m", 10**8, "100m"),
        ("0.5", 5 * 10**8, "500m"),
        ("1.5", 15 * 10**8, "1500m"),
        ("1.500", 15 * 10**8, "1.500"),
        ("1000", 10**12, "1k"),
        ("1024", 1024 * 10**9, "1024"),
        ("1Ki", 1024 * 10**9, "1Ki"),
        ("1024Ki", 2**20 * 10**9, "1Mi"),
        ("1025Ki", 1025 * 1024 * 10**9, "1025Ki"),
        ("0.5Gi", 2**29 * 10**9, "512Mi"),
        ("0.5Ki", 512 * 10**9, "512"),
        ("1.1Ki", 1126400000000, "1126400m"),
        ("1e3", 10**12, "1e3"),
        ("1e1", 10**10, "10"),
        ("12e-1", 12 * 10**8, "1200e-3"),
        ("0.0000000001", 1, "1n"),
        ("-0.0000000001", -1, "-1n"),
        ("1.0000000001", 10**9 + 1, "1000000001n"),
        ("+5", 5 * 10**9, "+5"),
        ("100Ei", (2**63 - 1) * 10**9, "9223372036854775807"),
        (2, 2 * 10**9, "2"),
        (0.25, 25 * 10**7, "250m"),
    ],
)
def test_a_quantity_has_a_value_and_a_printed_form(text: str | float, nanos: int, printed: str) -> None:
    parsed = quantity.parse(text)
    assert (parsed.nanos, str(parsed)) == (nanos, printed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1.2.3", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1GB", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        ("1K", "unable to parse quantity's suffix"),
        ("1mi", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
    ],
)
def test_what_is_no_quantity_is_refused_in_kubernetes_words(text: str, message: str) -> None:
    with pytest.raises(InvalidQuantity) as caught:
        quantity.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1", "1000m", True),
        ("1Gi", "1024Mi", True),
        ("1G", "1Gi", False),
        ("1e3", "1k", True),
        (1, "1", True),
        ("nonsense", "nonsense", True),
        ("nonsense", "1", False),
    ],
)
def test_quantities_are_compared_by_value(left: str | float, right: str | float, same: bool) -> None:
    assert quantity.equal(left, right) is same


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("100m", "200m", "300m"),
        ("1Gi", "1Gi", "2Gi"),
        ("1Gi", "1", "1073741825"),
        ("0", "1Ki", "1Ki"),
        ("1", "-1", "0"),
    ],
)
def test_a_sum_keeps_the_notation_of_the_first(left: str, right: str, total: str) -> None:
    assert str(quantity.parse(left) + quantity.parse(right)) == total


def test_whole_and_thousandth_values_are_rounded_up() -> None:
    half = quantity.parse("1500u")
    assert (half.value, half.milli_value, (-half).value, (-half).milli_value) == (1, 2, -1, -2)


def test_order_ignores_notation() -> None:
    texts = ["1Mi", "100m", "1", "1k", "0", "-1", "1M", "1Ki"]
    ordered = sorted(texts, key=quantity.parse)
    assert ordered == ["-1", "0", "100m", "1", "1k", "1Ki", "1M", "1Mi"]


@settings(deadline=None)
@given(texts)
def test_the_printed_form_says_the_same_and_is_final(text: str) -> None:
    printed = quantity.canonical(text)
    assert quantity.parse(printed) == quantity.parse(text)
    assert quantity.canonical(printed) == printed


@settings(deadline=None)
@given(texts, texts)
def test_a_sum_has_the_sum_of_the_values(left: str, right: str) -> None:
    first, second = quantity.parse(left), quantity.parse(right)
    assert first + second == Quantity(first.nanos + second.nanos)
    assert first + second - second == first
