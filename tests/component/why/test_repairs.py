"""Each way of breaking an app: `why` names the cause, and what it prints repairs it."""

import pytest

from tests.support.breakages import BREAKAGES, Breakage
from tests.support.everyday_breakages import EVERYDAY
from tests.support.more_breakages import MORE
from tests.support.oncall_breakages import ON_CALL
from tests.support.repairs import Told, play

ALL = (*BREAKAGES, *MORE, *EVERYDAY, *ON_CALL)
by_name = pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])


@pytest.fixture(scope="module")
def played() -> dict[str, Told]:
    return play(ALL)


@by_name
def test_the_cause_is_named_in_these_words(one: Breakage, played: dict[str, Told]) -> None:
    told = played[one.name]
    assert [words for words in one.says if words not in told.words] == [], told.shown
    assert [words for words in one.never if words in told.words] == [], told.shown


@by_name
def test_what_is_printed_repairs_it(one: Breakage, played: dict[str, Told]) -> None:
    told = played[one.name]
    if one.heals:
        assert told.after == ("Synced", "Healthy"), f"{told.shown}\n\nfollowed {told.commands}\n\n{told.shown_after}"
        assert "nothing to explain" in told.shown_after, told.shown_after
    else:
        assert "nothing to explain" not in told.shown_after
