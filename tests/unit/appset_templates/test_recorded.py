"""Templates give what Go's text/template and Sprig gave, text by text and error by error.

The answers were recorded from the Go program in `tests/real/templates` by `python -m tests.real.record_templates`;
`tests.real.test_templates` asks it again, and for thousands of random templates besides.
"""

import json
from typing import Any

import pytest

from syncline.core.appset.functions import FUNCTIONS
from tests.support import gotemplates

RECORDED: list[dict[str, Any]] = [
    json.loads(line) for line in (gotemplates.FIXTURES / "recorded.jsonl").read_text(encoding="utf-8").splitlines()
]
CASES = RECORDED[1:]
PORTION = 100


@pytest.mark.parametrize("start", range(0, len(CASES), PORTION))
def test_templates_give_what_go_gave(start: int) -> None:
    wrong = [
        (case["text"], case["answer"], given)
        for case in CASES[start : start + PORTION]
        if not gotemplates.agrees(given := gotemplates.ours(case), case["answer"])
    ]
    assert wrong == []


def test_the_record_is_of_these_cases_and_says_when_and_by_what_it_was_made() -> None:
    assert set(RECORDED[0]) == {"date", "go", "sprig"}
    asked = gotemplates.written() + gotemplates.drawn()
    assert [case["text"] for case in CASES] == [case["text"] for case in asked]
    assert len(CASES) >= 1500


def test_every_function_that_can_be_asked_is_in_the_record() -> None:
    texts = " ".join(case["text"] for case in CASES)
    assert [name for name in set(FUNCTIONS) - gotemplates.NOT_ASKED if name not in texts] == []
