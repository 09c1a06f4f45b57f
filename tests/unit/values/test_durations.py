"""Go durations: read, printed, refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import duration

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "nanoseconds", "printed"),
    [
        ("0", 0, "0s"),
        ("0s", 0, "0s"),
        ("1h30m", 5400 * SECOND, "1h30m0s"),
        ("90s", 90 * SECOND, "1m30s"),
        ("1.5s", 15 * SECOND // 10, "1.5s"),
        ("-2m", -120 * SECOND, "-2m0s"),
        ("250ms", SECOND // 4, "250ms"),
        ("1us", 1000, "1µs"),
        ("1µs", 1000, "1µs"),
        ("1500ns", 1500, "1.5µs"),
        (".5h", 1800 * SECOND, "30m0s"),
        ("100h", 360_000 * SECOND, "100h0m0s"),
        ("2540400h", 2540400 * 3600 * SECOND, "2540400h0m0s"),
    ],
)
def test_a_duration_is_read_and_printed(text: str, nanoseconds: int, printed: str) -> None:
    assert duration.parse(text) == nanoseconds
    assert duration.text(nanoseconds) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("s", 'time: invalid duration "s"'),
        ("1h ", 'time: unknown unit "h " in duration "1h "'),
        ("9999999h", 'time: invalid duration "9999999h"'),
    ],
)
def test_what_is_no_duration_is_refused_in_gos_words(text: str, message: str) -> None:
    with pytest.raises(duration.InvalidDuration) as caught:
        duration.parse(text)
    assert str(caught.value) == message


@settings(deadline=None)
@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_what_is_printed_reads_as_the_same_duration(nanoseconds: int) -> None:
    assert duration.parse(duration.text(nanoseconds)) == nanoseconds
