"""When a failed attempt is tried again."""

import pytest

from syncline.core.sync import retry
from syncline.model.operation import Backoff, Operation, OperationPhase, OperationState, RetryStrategy
from tests.support.objects import NOW


@pytest.mark.parametrize(("count", "seconds"), [(1, 10), (2, 20), (3, 40), (4, 80), (5, 160), (6, 180), (5000, 180)])
def test_default_pauses_are_10_20_40_80_160_then_three_minutes(count: int, seconds: float) -> None:
    assert retry.pause(Operation(retry=RetryStrategy(limit=-1)), count) == seconds


@pytest.mark.parametrize(
    ("backoff", "count", "seconds"),
    [
        (Backoff(duration="1s", factor=3, max_duration="1m"), 2, 9),
        (Backoff(duration="1s", factor=3, max_duration="1m"), 9, 60),
        (Backoff(duration="30"), 1, 60),
        (Backoff(factor=1), 4, 5),
        (Backoff(duration="nonsense"), 1, 10),
        (Backoff(duration="1m", max_duration="10m"), 4, 600),
    ],
)
def test_pauses_follow_duration_factor_and_longest(backoff: Backoff, count: int, seconds: float) -> None:
    assert retry.pause(Operation(retry=RetryStrategy(limit=5, backoff=backoff)), count) == seconds


@pytest.mark.parametrize(
    ("limit", "count", "may"),
    [(None, 0, False), (0, 0, False), (5, 0, True), (5, 4, True), (5, 5, False), (-1, 999, True)],
)
def test_another_attempt_is_made_until_the_limit_and_minus_one_has_none(
    limit: int | None, count: int, may: bool
) -> None:
    strategy = None if limit is None else RetryStrategy(limit=limit)
    state = OperationState(Operation(retry=strategy), OperationPhase.RUNNING, NOW, retry_count=count)
    assert retry.may_retry(state) is may


@pytest.mark.parametrize(
    ("since", "left"),
    [
        (1000.0, 30.0),
        (990.0, 20.0),
        (900.0, 0.0),
        (1002.0, 32.0),
        (1060.0, 90.0),
        (4600.0, 0.0),
    ],
)
def test_what_is_left_of_a_pause_is_measured_unless_it_begins_far_in_the_future(since: float, left: float) -> None:
    """A clock that was an hour ahead when the end was written down must not hold up the next try for an hour."""
    assert retry.left(since, 30.0, now=1000.0) == left
