"""Windows against a model that walks minute by minute by the wall clock of the zone, over changes of clocks too."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.times import format_time, parse
from syncline.core.policy.windows import opens, standing, states
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.project import SyncWindow

HERE = Destination(server=names.IN_CLUSTER_SERVER, namespace="shop")
ZONES = ("", "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Nowhere/Land")
# Clocks change in these nights in Berlin, New York and on Lord Howe Island; the last one is an ordinary night.
NIGHTS = ("2026-03-28", "2026-10-24", "2026-03-07", "2026-10-31", "2026-04-04", "2026-10-03", "2026-06-10")
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
AHEAD = 5 * 60
"""Minutes that the model looks ahead."""


@st.composite
def rules(draw: st.DrawFn) -> SyncWindow:
    minute = draw(st.sampled_from(["0", "30", "15,45", "*/20", "59"]))
    hour = draw(st.sampled_from(["*", "1", "2", "3", "22", "*/6", "0-4"]))
    days = draw(st.sampled_from(["* *", "1 *", "* 0", "25 *", "29 0", "*/2 *"]))
    day, weekday = days.split()
    return SyncWindow(
        kind=draw(st.sampled_from(["allow", "deny"])),
        schedule=f"{minute} {hour} {day} * {weekday}",
        duration=draw(st.sampled_from(["1m", "25m", "1h", "2h30m", "7h"])),
        applications=("*",),
        manual_sync=draw(st.booleans()),
        time_zone=draw(st.sampled_from(ZONES)),
    )


def minutes_of(rule: SyncWindow) -> int:
    return {"1m": 1, "25m": 25, "1h": 60, "2h30m": 150, "7h": 420}[rule.duration]


def listed(text: str, value: int, low: int = 0) -> bool:
    """Whether a field of a schedule names a number."""
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if (value - low) % int(step or 1) == 0 if span == "*" else int(first) <= value <= int(last or first):
            return True
    return False


def starts(rule: SyncWindow, wall: datetime) -> bool:
    """Whether a window starts at this minute of the wall clock."""
    minute, hour, day, _, weekday = rule.schedule.split()
    by_day, by_weekday = listed(day, wall.day, 1), listed(weekday, wall.isoweekday() % 7)
    days = by_day and by_weekday if "*" in (day, weekday) else by_day or by_weekday
    return listed(minute, wall.minute) and listed(hour, wall.hour) and days


def wall_clock(rule: SyncWindow, moment: datetime) -> datetime:
    try:
        zone = zoneinfo.ZoneInfo(rule.time_zone or "UTC")
    except zoneinfo.ZoneInfoNotFoundError:
        zone = zoneinfo.ZoneInfo("UTC")
    return moment.astimezone(zone).replace(tzinfo=None)


class Model:
    """Knows of each minute of the wall clock, some hours around a moment, whether a window is open."""

    def __init__(self, rule: SyncWindow, moment: datetime) -> None:
        self.rule = rule
        begin = wall_clock(rule, moment) - 9 * HOUR
        minutes = [begin + number * MINUTE for number in range(9 * 60 + AHEAD + 2 * 60)]
        self._open = {
            start + number * MINUTE for start in minutes if starts(rule, start) for number in range(minutes_of(rule))
        }

    def is_open(self, moment: datetime) -> bool:
        return wall_clock(self.rule, moment) in self._open


def allowed(found: list[Model], moment: datetime, *, manual: bool) -> bool:
    denies = [one for one in found if one.rule.kind == "deny" and one.is_open(moment)]
    allows = [one for one in found if one.rule.kind == "allow"]
    if denies:
        return manual and all(one.rule.manual_sync for one in denies)
    if any(one.is_open(moment) for one in allows):
        return True
    return not allows or (manual and all(one.rule.manual_sync for one in allows))


MOMENTS = st.builds(
    lambda night, minutes: datetime.fromisoformat(night).replace(tzinfo=UTC) + minutes * MINUTE,
    st.sampled_from(NIGHTS),
    st.integers(0, 2 * 24 * 60),
)


@settings(max_examples=20, deadline=None)
@given(rule=rules(), moment=MOMENTS)
def test_a_window_is_open_when_the_model_says_so_and_does_not_turn_unnoticed(
    rule: SyncWindow, moment: datetime
) -> None:
    (state,) = states([rule], format_time(moment))
    assert state is not None
    model = Model(rule, moment)
    ahead = [moment + number * MINUTE for number in range(AHEAD)]
    before = [at for at in ahead if at < parse(state.turns)]
    assert {model.is_open(at) for at in before} == {state.open}


@settings(max_examples=20, deadline=None)
@given(found=st.lists(rules(), min_size=1, max_size=3), moment=MOMENTS, manual=st.booleans())
def test_several_windows_add_up_as_the_model_says(found: list[SyncWindow], moment: datetime, manual: bool) -> None:
    told = standing("shop", HERE, found, as_of=format_time(moment), manual=manual)
    assert told.allowed is allowed([Model(rule, moment) for rule in found], moment, manual=manual)


@settings(max_examples=20, deadline=None)
@given(found=st.lists(rules(), min_size=1, max_size=2), moment=MOMENTS)
def test_when_an_app_may_sync_again_is_the_first_minute_that_the_model_allows(
    found: list[SyncWindow], moment: datetime
) -> None:
    told = opens("shop", HERE, found, as_of=format_time(moment), manual=False)
    models, ahead = [Model(rule, moment) for rule in found], [moment + number * MINUTE for number in range(AHEAD)]
    first = next((at for at in ahead if allowed(models, at, manual=False)), None)
    assert parse(told) == first if first is not None else not told or parse(told) > ahead[-1]
