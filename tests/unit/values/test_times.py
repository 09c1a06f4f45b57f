"""Times in objects: RFC 3339, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import times

NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-15T12:00:00Z", NOON),
        ("2026-11-15T14:00:00+02:00", NOON),
        ("2026-11-15T12:00:00.25Z", NOON + timedelta(microseconds=250_000)),
        ("2026-11-15T12:00:00.123456789Z", NOON + timedelta(microseconds=123_456)),
    ],
)
def test_a_time_is_read(text: str, moment: datetime) -> None:
    assert times.parse(text) == moment


@pytest.mark.parametrize(
    "text", ["", "2026-11-15", "2026-11-15T12:00:00", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+23:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(times.InvalidTime, match="not an RFC 3339 time"):
        times.parse(text)


def test_a_time_is_printed_to_the_second_and_a_micro_time_to_the_microsecond() -> None:
    moment = NOON + timedelta(microseconds=1500)
    assert times.format_time(moment) == "2026-11-15T12:00:00Z"
    assert times.format_micro_time(moment) == "2026-11-15T12:00:00.001500Z"


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(UTC)).filter(lambda moment: moment.year >= 1000))
def test_what_is_printed_reads_as_the_same_time(moment: datetime) -> None:
    assert times.parse(times.format_micro_time(moment)) == moment
    assert times.parse(times.format_time(moment)) == moment.replace(microsecond=0)
