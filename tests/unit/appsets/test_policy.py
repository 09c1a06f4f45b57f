"""What sets may do, how much they may delete unasked, and when their generators are asked again."""

from typing import Any

import pytest

from syncline.core.appset.policy import policy_of
from syncline.core.appset.requeue import requeue_after
from syncline.core.appset.shrink import digest, frozen
from syncline.model.settings.parts import ApplicationSets, Safety
from syncline.model.settings.settings import Compat, Settings


@pytest.mark.parametrize(
    ("operator", "override", "chosen", "may"),
    [
        ("", False, None, (True, True)),
        ("", False, "create-only", (False, False)),
        ("", False, "create-update", (True, False)),
        ("", False, "create-delete", (False, True)),
        ("", False, "sync", (True, True)),
        ("create-only", False, "sync", (False, False)),
        ("create-only", True, "sync", (True, True)),
        ("create-delete", True, None, (False, True)),
        ("sync", False, "create-only", (True, True)),
    ],
)
def test_the_operator_wins_unless_sets_may_choose(
    operator: str, override: bool, chosen: str | None, may: tuple[bool, bool]
) -> None:
    spec = {"syncPolicy": {"applicationsSync": chosen}} if chosen else {}
    assert tuple(policy_of(spec, ApplicationSets(policy=operator, policy_override=override))) == may


PULLS = {"matrix": {"generators": [{"list": {}}, {"pullRequest": {"github": {}}}]}}


@pytest.mark.parametrize(
    ("doomed", "present", "generators", "compat", "held"),
    [
        (5, 5, [], Compat.SYNCLINE, False),
        (6, 6, [], Compat.SYNCLINE, True),
        (6, 12, [], Compat.SYNCLINE, False),
        (7, 12, [], Compat.SYNCLINE, True),
        (6, 6, [{"pullRequest": {}}], Compat.SYNCLINE, False),
        (6, 6, [PULLS], Compat.SYNCLINE, False),
        (6, 6, [], Compat.ARGOCD, False),
    ],
)
def test_many_deletions_are_frozen(
    doomed: int, present: int, generators: list[Any], compat: Compat, held: bool
) -> None:
    names = [f"app-{number}" for number in range(doomed)]
    settings = Settings(compat=compat)
    assert bool(frozen(names, present, {"generators": generators}, "", settings)) is held
    assert frozen(names, present, {"generators": generators}, digest(names), settings) == ""


def test_an_approval_is_for_one_list_and_the_share_is_a_setting() -> None:
    names = [f"app-{number}" for number in range(10)]
    assert frozen(names, 10, {}, digest(names[1:]), Settings())
    assert not frozen(names, 10, {}, "", Settings(safety=Safety(prune_percent=100)))


@pytest.mark.parametrize(
    ("generators", "seconds"),
    [
        ([{"list": {"elements": []}}], None),
        ([{"clusters": {}}], None),
        ([{"git": {}}], 180.0),
        ([{"git": {"requeueAfterSeconds": 20}}, {"clusterDecisionResource": {}}], 20.0),
        ([{"git": {"requeueAfterSeconds": 0}}], None),
        ([{"scmProvider": {}}], 1800.0),
        ([{"pullRequest": {"requeueAfterSeconds": 60}}, {"plugin": {}}], 60.0),
        ([{"matrix": {"generators": [{"list": {}}, {"merge": {"generators": [{"git": {}}, {"plugin": {}}]}}]}}], 180.0),
    ],
)
def test_generators_are_asked_again(generators: list[Any], seconds: float | None) -> None:
    assert requeue_after(generators, 180.0) == seconds
