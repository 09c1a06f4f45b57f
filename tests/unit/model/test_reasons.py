"""Every reason can be explained, and its word is fit for scripts."""

import re

import pytest

from syncline.model.reason import Reason


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_is_explained_in_one_sentence(reason: Reason) -> None:
    assert re.fullmatch(r"[A-Z][^.]*\.", reason.explanation)


@pytest.mark.parametrize("reason", list(Reason))
def test_a_reason_is_one_camel_case_word_like_its_name(reason: Reason) -> None:
    assert reason.value == "".join(part.capitalize() for part in reason.name.split("_"))


def test_no_two_reasons_have_the_same_explanation() -> None:
    assert len({reason.explanation for reason in Reason}) == len(Reason)
