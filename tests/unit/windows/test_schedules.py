"""Cron schedules of sync windows are read as Argo CD reads them."""

from datetime import datetime

import pytest

from syncline.core.policy import cron

at = datetime.fromisoformat
SUNDAY = at("2026-03-01T12:00")
"""The first of March 2026 is a Sunday."""


@pytest.mark.parametrize(
    ("schedule", "following"),
    [
        ("0 22 * * *", at("2026-03-01T22:00")),
        ("0 12 * * *", at("2026-03-02T12:00")),
        ("? 13 ? * ?", at("2026-03-01T13:00")),
        ("30/15 * * * *", at("2026-03-01T12:30")),
        ("0 9-17/4 * * *", at("2026-03-01T13:00")),
        ("0 0 * * mon-fri", at("2026-03-02T00:00")),
        ("0 0 * * SAT", at("2026-03-07T00:00")),
        ("0 0 * * 0", at("2026-03-08T00:00")),
        ("0 0 15 jun *", at("2026-06-15T00:00")),
        ("0 0 29 2 *", at("2028-02-29T00:00")),
        ("5,10 0 1 1 *", at("2027-01-01T00:05")),
    ],
)
def test_the_next_start_is_later_than_the_time_given(schedule: str, following: datetime) -> None:
    assert cron.start_after(schedule, SUNDAY) == following


def test_the_last_start_may_be_the_time_given_itself() -> None:
    assert cron.start_by("0 12 * * *", SUNDAY) == SUNDAY
    assert cron.start_by("1 12 * * *", SUNDAY) == at("2026-02-28T12:01")


@pytest.mark.parametrize(
    ("schedule", "following"),
    [
        # The 13th or a Friday, whichever comes first: Friday the 6th.
        ("0 0 13 * 5", at("2026-03-06T00:00")),
        # A plain star on either side leaves the other one to decide.
        ("0 0 13 * *", at("2026-03-13T00:00")),
        ("0 0 * * 5", at("2026-03-06T00:00")),
        ("0 0 */1 * 5", at("2026-03-06T00:00")),
        # Every other day is no plain star: odd days (the 3rd) or Fridays.
        ("0 0 */2 * 5", at("2026-03-03T00:00")),
        ("0 0 13 * */3", at("2026-03-04T00:00")),
    ],
)
def test_two_day_fields_are_alternatives_unless_one_is_a_plain_star(schedule: str, following: datetime) -> None:
    assert cron.start_after(schedule, SUNDAY) == following


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("0 0 * *", "has 4 fields"),
        ("0 0 0 * * *", "has 6 fields"),
        ("0 0 * * 7", "'7' (day of the week) is not between 0 and 6"),
        ("60 0 * * *", "'60' (minute) is not between 0 and 59"),
        ("0 24 * * *", "not between 0 and 23"),
        ("0 0 0 * *", "not between 1 and 31"),
        ("0 0 * 13 *", "not between 1 and 12"),
        ("0 0 * * 5-1", "ends before it starts"),
        ("*/0 * * * *", "the step of '*/0' (minute) is 0"),
        ("0 0 L * *", "'L' (day of the month) is not a number"),
        ("0 0 15W * *", "'15W' (day of the month) is not a number"),
        ("0 0 * * 1#2", "'1#2' (day of the week) is not a number"),
        ("0 0 * mai *", "'mai' (month) is not a number"),
        ("@daily", "has 1 fields"),
        ("", "has 0 fields"),
        ("0 0 30 2 *", "never starts"),
    ],
)
def test_what_argo_cd_refuses_is_refused(schedule: str, words: str) -> None:
    with pytest.raises(cron.InvalidSchedule, match=words.replace("(", r"\(").replace(")", r"\)").replace("*", r"\*")):
        cron.start_after(schedule, SUNDAY)
