"""A fault in a values file or a patch: `why` names that layer, what it hides, and the edit printed there repairs it."""

import pytest

from tests.support.breakages import Breakage
from tests.support.layered_breakages import LAYERED
from tests.support.repairs import Told, play

by_name = pytest.mark.parametrize("one", LAYERED, ids=[one.name for one in LAYERED])


@pytest.fixture(scope="module")
def played() -> dict[str, Told]:
    return play(LAYERED, with_tools=True)


@by_name
def test_the_layer_is_named(one: Breakage, played: dict[str, Told]) -> None:
    told = played[one.name]
    assert [words for words in one.says if words not in told.words] == [], told.shown
    assert [words for words in one.never if words in told.words] == [], told.shown


@by_name
def test_the_edit_printed_there_repairs_it(one: Breakage, played: dict[str, Told]) -> None:
    told = played[one.name]
    assert told.after == ("Synced", "Healthy"), f"{told.shown}\n\nfollowed {told.commands}\n\n{told.shown_after}"
    assert "nothing to explain" in told.shown_after, told.shown_after
