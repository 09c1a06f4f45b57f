"""Sync windows: which apply to an app, when they are open, and what several of them add up to."""

from typing import Any

import msgspec
import pytest

from syncline.core.policy.windows import Standing, concerns, standing
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.project import SyncWindow

HERE = Destination(server=names.IN_CLUSTER_SERVER, namespace="shop")
ALL = ("*",)


def window(kind: str = "deny", schedule: str = "0 22 * * *", length: str = "2h", **rest: Any) -> SyncWindow:
    return SyncWindow(**{"kind": kind, "schedule": schedule, "duration": length, "applications": ALL, **rest})


def at(*rules: SyncWindow, time: str, manual: bool = False, since: str = "") -> Standing:
    return standing("shop", HERE, rules, as_of=time, manual=manual, started_at=since)


@pytest.mark.parametrize(
    ("lists", "concerned"),
    [
        ({"applications": ("shop",)}, True),
        ({"applications": ("sh*",)}, True),
        ({"applications": ("other", "s?op")}, True),
        ({"applications": ("other",)}, False),
        ({"namespaces": ("shop",)}, True),
        ({"namespaces": ("prod-*",)}, False),
        ({"clusters": ("in-cluster",)}, True),
        ({"clusters": ("https://kubernetes.*",)}, True),
        ({"clusters": ("prod",)}, False),
        ({}, False),
        ({"applications": ("other",), "namespaces": ("shop",)}, True),
        ({"applications": ("shop",), "namespaces": ("prod",), "and_operator": True}, False),
        ({"applications": ("shop",), "namespaces": ("shop",), "and_operator": True}, True),
        ({"applications": ("shop",), "clusters": ("prod",), "and_operator": True}, False),
        ({"clusters": ("in-cluster",), "and_operator": True}, True),
        ({"and_operator": True}, False),
    ],
)
def test_a_window_concerns_an_app_by_any_of_its_lists_or_with_and_by_all_that_are_given(
    lists: dict[str, Any], concerned: bool
) -> None:
    assert concerns(SyncWindow(kind="deny", schedule="* * * * *", duration="1h", **lists), "shop", HERE) is concerned


@pytest.mark.parametrize(
    ("time", "open_"),
    [
        ("2026-03-01T21:59:59Z", False),
        ("2026-03-01T22:00:00Z", True),
        ("2026-03-01T23:59:59Z", True),
        ("2026-03-02T00:00:00Z", False),
    ],
)
def test_a_window_is_open_from_its_start_until_its_duration_is_over(time: str, open_: bool) -> None:
    assert at(window("deny"), time=time).allowed is not open_
    assert at(window("allow"), time=time).allowed is open_


def test_without_windows_or_with_windows_for_others_everything_may_sync() -> None:
    assert at(time="2026-03-01T22:30:00Z") == Standing(allowed=True)
    assert at(window(applications=("other",)), time="2026-03-01T22:30:00Z") == Standing(allowed=True)


DENY, ALLOW = window("deny"), window("allow")
CLOSED_DENY, CLOSED_ALLOW = window("deny", "0 3 * * *"), window("allow", "0 3 * * *")


def by_hand(rule: SyncWindow) -> SyncWindow:
    return msgspec.structs.replace(rule, manual_sync=True)


@pytest.mark.parametrize(
    ("rules", "automatic", "manual"),
    [
        ((DENY,), False, False),
        ((CLOSED_DENY,), True, True),
        ((ALLOW,), True, True),
        ((CLOSED_ALLOW,), False, False),
        ((DENY, ALLOW), False, False),
        ((CLOSED_DENY, ALLOW), True, True),
        ((CLOSED_DENY, CLOSED_ALLOW), False, False),
        ((ALLOW, CLOSED_ALLOW), True, True),
        ((by_hand(DENY),), False, True),
        ((by_hand(DENY), DENY), False, False),
        ((by_hand(DENY), CLOSED_DENY), False, True),
        ((by_hand(DENY), CLOSED_ALLOW), False, True),
        ((DENY, by_hand(ALLOW)), False, False),
        ((by_hand(CLOSED_ALLOW),), False, True),
        ((by_hand(CLOSED_ALLOW), window("allow", "0 4 * * *")), False, False),
        ((by_hand(CLOSED_ALLOW), by_hand(window("allow", "0 4 * * *"))), False, True),
    ],
)
def test_denies_win_then_an_open_allow_permits_then_closed_allows_block_and_manual_syncs_pass_where_all_agree(
    rules: tuple[SyncWindow, ...], automatic: bool, manual: bool
) -> None:
    now = "2026-03-01T22:30:00Z"
    assert (at(*rules, time=now).allowed, at(*rules, time=now, manual=True).allowed) == (automatic, manual)


def over(rule: SyncWindow) -> SyncWindow:
    return msgspec.structs.replace(rule, sync_overrun=True)


@pytest.mark.parametrize(
    ("rules", "since", "goes_on"),
    [
        ((over(DENY),), "2026-03-01T21:00:00Z", True),
        ((DENY,), "2026-03-01T21:00:00Z", False),
        # It began within the deny window, so it was not allowed in the first place.
        ((over(DENY),), "2026-03-01T22:10:00Z", False),
        ((over(DENY), window("deny", "15 22 * * *")), "2026-03-01T21:00:00Z", False),
        ((over(DENY), over(window("deny", "15 22 * * *"))), "2026-03-01T21:00:00Z", True),
        # An allow window from 20:00 to 22:00 is over; the sync began inside it.
        ((over(window("allow", "0 20 * * *")),), "2026-03-01T21:00:00Z", True),
        ((over(window("allow", "0 20 * * *")),), "2026-03-01T19:00:00Z", False),
        ((window("allow", "0 20 * * *"),), "2026-03-01T21:00:00Z", False),
        ((over(window("allow", "0 20 * * *")), CLOSED_ALLOW), "2026-03-01T21:00:00Z", False),
    ],
)
def test_a_sync_goes_on_beyond_its_window_if_it_was_allowed_at_its_start_and_all_windows_in_the_way_let_it(
    rules: tuple[SyncWindow, ...], since: str, goes_on: bool
) -> None:
    assert at(*rules, time="2026-03-01T22:30:00Z", since=since).allowed is goes_on


@pytest.mark.parametrize(
    ("zone", "time", "open_"),
    [
        # 22:00 in Berlin is 21:00 UTC in winter and 20:00 UTC in summer.
        ("Europe/Berlin", "2026-01-10T21:30:00Z", True),
        ("Europe/Berlin", "2026-01-10T20:30:00Z", False),
        ("Europe/Berlin", "2026-07-10T20:30:00Z", True),
        ("Europe/Berlin", "2026-07-10T22:30:00Z", False),
        # 22:00 in Kolkata is 16:30 UTC.
        ("Asia/Kolkata", "2026-07-10T16:29:00Z", False),
        ("Asia/Kolkata", "2026-07-10T16:30:00Z", True),
        # A zone nobody knows counts as UTC.
        ("Europe/Nowhere", "2026-07-10T22:30:00Z", True),
        ("../etc/passwd", "2026-07-10T22:30:00Z", True),
    ],
)
def test_the_schedule_is_read_in_the_time_zone_of_the_window(zone: str, time: str, open_: bool) -> None:
    assert at(window(time_zone=zone), time=time).allowed is not open_


@pytest.mark.parametrize(
    ("schedule", "length", "time", "open_"),
    [
        # On 29 March 2026 clocks in Berlin go from 02:00 (01:00 UTC) to 03:00. From 01:00 for four hours means until
        # 05:00 by the clock (03:00 UTC): three hours.
        ("0 1 * * *", "4h", "2026-03-29T00:00:00Z", True),
        ("0 1 * * *", "4h", "2026-03-29T02:59:00Z", True),
        ("0 1 * * *", "4h", "2026-03-29T03:00:00Z", False),
        # 02:30 does not exist that day; the hour from it is open while the clock shows 03:00 to 03:30.
        ("30 2 * * *", "1h", "2026-03-29T00:59:59Z", False),
        ("30 2 * * *", "1h", "2026-03-29T01:00:00Z", True),
        ("30 2 * * *", "1h", "2026-03-29T01:30:00Z", False),
        # On 25 October 2026 the clock shows 02:00 to 03:00 twice (00:00 and 01:00 UTC): open both times.
        ("0 2 * * *", "30m", "2026-10-25T00:10:00Z", True),
        ("0 2 * * *", "30m", "2026-10-25T00:40:00Z", False),
        ("0 2 * * *", "30m", "2026-10-25T01:10:00Z", True),
        ("0 2 * * *", "30m", "2026-10-25T01:40:00Z", False),
        # From 01:00 for four hours means until 05:00 by the clock (04:00 UTC): five hours, from 23:00 UTC on.
        ("0 1 * * *", "4h", "2026-10-24T23:00:00Z", True),
        ("0 1 * * *", "4h", "2026-10-25T03:59:00Z", True),
        ("0 1 * * *", "4h", "2026-10-25T04:00:00Z", False),
    ],
)
def test_across_a_clock_change_a_window_follows_the_wall_clock(
    schedule: str, length: str, time: str, open_: bool
) -> None:
    assert at(window("deny", schedule, length, time_zone="Europe/Berlin"), time=time).allowed is not open_


def test_a_window_longer_than_its_period_never_closes() -> None:
    assert not any(
        at(window("deny", "0 0 * * *", "25h"), time=f"2026-03-01T{hour:02}:00:00Z").allowed for hour in (0, 23)
    )


def test_the_windows_in_the_way_are_named_with_until_when_they_last() -> None:
    rule = window("deny", description="year end", time_zone="Europe/Berlin")
    assert at(rule, time="2026-03-01T21:30:00Z") == Standing(
        allowed=False,
        forbidding=("the deny window '0 22 * * *' Europe/Berlin for 2h (year end) is open until 2026-03-01T23:00:00Z",),
        changes_after=5400.0,
        windows=("deny '0 22 * * *' Europe/Berlin for 2h (year end)",),
    )
    assert at(CLOSED_ALLOW, time="2026-03-01T22:30:00Z") == Standing(
        allowed=False,
        forbidding=("the allow window '0 3 * * *' for 2h is closed until 2026-03-02T03:00:00Z",),
        changes_after=16200.0,
        windows=("allow '0 3 * * *' for 2h",),
    )


def test_the_next_change_is_that_of_any_window_of_the_app() -> None:
    assert at(ALLOW, CLOSED_DENY, time="2026-03-01T22:30:00Z") == Standing(allowed=True, changes_after=5400.0)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (window(schedule="0 22 * * 7"), "schedule '7' (day of the week) is not between 0 and 6"),
        (window(length="two hours"), 'time: invalid duration "two hours"'),
        (window("maybe"), "kind 'maybe' is unknown"),
    ],
)
def test_a_window_that_cannot_be_read_lets_nothing_through_and_says_so(rule: SyncWindow, words: str) -> None:
    found = at(rule, time="2026-03-01T22:30:00Z", manual=True)
    assert (found.allowed, found.forbidding) == (
        False,
        (f"a sync window is invalid, so nothing is synced: {words}",),
    )
    assert at(msgspec.structs.replace(rule, applications=("other",)), time="2026-03-01T22:30:00Z").allowed
