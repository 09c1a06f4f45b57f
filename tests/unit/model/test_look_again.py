"""When to look again: one value, and the earliest of several."""

import pytest

from syncline.model import codec
from syncline.model.decision import Decision, DecisionKind
from syncline.model.look_again import LookAgain
from syncline.model.reason import Reason

NOW, SOON, LATER, ON_CHANGE = LookAgain.now(), LookAgain.after(1.0), LookAgain.after(60.0), LookAgain.on_change()


@pytest.mark.parametrize(
    ("looks", "first"),
    [
        ((), ON_CHANGE),
        ((ON_CHANGE, ON_CHANGE), ON_CHANGE),
        ((ON_CHANGE, LATER), LATER),
        ((LATER, SOON, ON_CHANGE), SOON),
        ((SOON, NOW, ON_CHANGE), NOW),
    ],
)
def test_the_earliest_look_wins_and_a_change_alone_comes_after_every_time(
    looks: tuple[LookAgain, ...], first: LookAgain
) -> None:
    assert LookAgain.earliest(*looks) == first


@pytest.mark.parametrize("seconds", [0.0, -5.0])
def test_a_time_that_has_passed_is_now(seconds: float) -> None:
    assert LookAgain.after(seconds) == NOW


@pytest.mark.parametrize(("look_again", "written"), [(ON_CHANGE, False), (NOW, True), (SOON, True)])
def test_a_decision_that_waits_for_a_change_does_not_write_it_down(look_again: LookAgain, written: bool) -> None:
    decision = Decision(kind=DecisionKind.REST, reason=Reason.PAUSED, look_again=look_again)
    assert (b"look_again" in codec.encode(decision)) is written
    assert codec.decode(Decision, codec.encode(decision)) == decision
