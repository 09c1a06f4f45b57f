"""Numbers or percentages: scaled to a total, compared by value."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery import intorstring


@pytest.mark.parametrize(
    ("value", "total", "down", "up"),
    [(3, 10, 3, 3), ("25%", 10, 2, 3), ("50%", 4, 2, 2), ("0%", 7, 0, 0), ("100%", 7, 7, 7), ("1%", 1, 0, 1)],
)
def test_a_value_is_scaled_to_the_total(value: Any, total: int, down: int, up: int) -> None:
    scaled = [intorstring.scaled(value, total, round_up=round_up) for round_up in (False, True)]
    assert scaled == [down, up]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "nil value for IntOrString"),
        ("5", "invalid value for IntOrString: invalid type: string is not a percentage"),
        (
            "x%",
            'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax',
        ),
    ],
)
def test_what_is_neither_is_refused_in_kubernetes_words(value: Any, message: str) -> None:
    with pytest.raises(intorstring.InvalidIntOrString) as caught:
        intorstring.scaled(value, 10, round_up=True)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (80, 80, True),
        (80, "80", False),
        ("25%", "025%", True),
        ("25%", 25, False),
        ("http", "http", True),
        (1, True, False),
    ],
)
def test_values_are_compared_within_their_type(left: Any, right: Any, same: bool) -> None:
    assert intorstring.equal(left, right) is same
