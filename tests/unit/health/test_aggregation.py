"""Health of a whole app: the worst of its objects."""

from itertools import permutations
from typing import Any

import pytest

from syncline.core.health.assess import aggregate
from syncline.model import names
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.health import Health, HealthCode
from tests.support.objects import config_map, key, row

HEALTHY, SUSPENDED, PROGRESSING = HealthCode.HEALTHY, HealthCode.SUSPENDED, HealthCode.PROGRESSING
MISSING, DEGRADED, UNKNOWN = HealthCode.MISSING, HealthCode.DEGRADED, HealthCode.UNKNOWN
BEST_TO_WORST = (HEALTHY, SUSPENDED, PROGRESSING, MISSING, DEGRADED, UNKNOWN)
A, B = key("Deployment", "a", group="apps"), key("Deployment", "b", group="apps")
CHILD = key("Application", "child", group=names.GROUP)


def synced(found: Any, **rest: Any) -> ComparedObject:
    return row(found, Verdict.SYNCED, **rest)


@pytest.mark.parametrize(("first", "second"), list(permutations(BEST_TO_WORST, 2)))
def test_the_worst_health_counts(first: HealthCode, second: HealthCode) -> None:
    found = aggregate([synced(A), synced(B)], {A: Health(first), B: Health(second)}, {})
    assert found.status is max(first, second, key=BEST_TO_WORST.index)


def test_an_app_without_objects_or_without_any_health_is_healthy() -> None:
    assert aggregate([], {}, {}) == Health(HEALTHY)
    assert aggregate([synced(A)], {}, {}) == Health(HEALTHY)


def test_the_message_names_three_causes_and_counts_the_rest() -> None:
    keys = [key("Deployment", name, group="apps") for name in "abcde"]
    found = aggregate([synced(one) for one in keys], dict.fromkeys(keys, Health(DEGRADED, "why", "Reason")), {})
    assert found.message == (
        "Caused by apps/Deployment:shop/a, apps/Deployment:shop/b, apps/Deployment:shop/c and 2 more"
    )
    assert found.reason == "Reason"


def test_hooks_and_skipped_objects_do_not_count() -> None:
    rows = [synced(A, hook=True), row(B, Verdict.NONE)]
    assert aggregate(rows, {A: Health(DEGRADED), B: Health(DEGRADED)}, {}).status is HEALTHY


def test_objects_marked_to_be_ignored_do_not_count() -> None:
    marked = config_map(annotations={names.IGNORE_HEALTHCHECK: "true"})
    assert aggregate([synced(A)], {A: Health(DEGRADED)}, {A: marked}).status is HEALTHY


@pytest.mark.parametrize(
    ("child", "expected"),
    [(MISSING, HEALTHY), (UNKNOWN, HEALTHY), (DEGRADED, DEGRADED), (PROGRESSING, PROGRESSING)],
)
def test_a_child_app_that_is_missing_or_unknown_does_not_count(child: HealthCode, expected: HealthCode) -> None:
    assert aggregate([synced(CHILD)], {CHILD: Health(child)}, {}).status is expected


def test_an_app_that_manages_itself_does_not_count_itself() -> None:
    assert aggregate([synced(CHILD)], {CHILD: Health(DEGRADED)}, {}, CHILD).status is HEALTHY


def test_single_missing_objects_do_not_count() -> None:
    rows = [row(A, live=False), synced(B)]
    assert aggregate(rows, {B: Health(HEALTHY)}, {}).status is HEALTHY


def test_an_app_of_which_nothing_is_live_is_missing() -> None:
    assert aggregate([row(A, live=False), row(B, live=False)], {}, {}).status is MISSING
