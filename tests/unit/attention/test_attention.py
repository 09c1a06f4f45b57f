"""Somebody waits for an Application from the moment something is asked for until there is nothing left to do."""

from typing import Any

import pytest

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.attention import Attention

APP = AppKey("argocd", "web")
REFRESH = {"annotations": {"argocd.argoproj.io/refresh": "normal"}}
BY_HAND = {"initiatedBy": {"username": "ada"}, "sync": {}}
AUTOMATED = {"initiatedBy": {"automated": True}, "sync": {}}


def app(operation: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    obj: dict[str, Any] = {"metadata": {"namespace": "argocd", "name": "web", **metadata}}
    return {**obj, "operation": operation} if operation else obj


@pytest.mark.parametrize(
    ("obj", "awaited"),
    [
        (app(), False),
        (app(AUTOMATED), False),
        (app(BY_HAND), True),
        (app(**REFRESH), True),
        (app(deletionTimestamp="2030-01-01T00:00:00Z"), True),
    ],
)
def test_what_was_asked_for_is_waited_for(obj: dict[str, Any], awaited: bool) -> None:
    attention = Attention()
    attention.heard(APP, obj)
    assert attention.is_on(APP) is awaited


@pytest.mark.parametrize(
    ("obj", "still"),
    [(None, False), (app(), False), (app(**REFRESH), True), (app(BY_HAND), True), (app(AUTOMATED), True)],
)
def test_after_a_pass_nobody_waits_unless_there_is_more_to_do(obj: dict[str, Any] | None, still: bool) -> None:
    attention = Attention()
    attention.turn_to(APP)
    attention.looked_at(APP, obj)
    assert attention.is_on(APP) is still
