"""What the real Argo CD made of a fleet of small Applications is what Syncline makes of it on the sandbox.

The verdicts were recorded by `make test-referee`; every difference is known, with its reason.
"""

import pathlib
import re

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd.differences import document
from tests.support.referee import CASES, living, recorded, replay
from tests.support.referee.case import Json
from tests.support.referee.judged import KNOWN
from tests.support.referee.known import Known, Mode, compare

MODES: dict[Mode, Compat] = {"compat": Compat.ARGOCD, "own": Compat.SYNCLINE}
DOCUMENT = document().replace("**", "")
# All cases take half a minute of processor (`test_whole_record.py`): each mode plays every thirtieth one, not the same.
SHARE = 30


def test_the_recorded_fleet_is_the_fleet() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 150
    assert sorted(recorded.verdicts()) == sorted(names)
    assert {case.name: 1 + len(case.steps) for case in CASES} == {
        name: len(verdicts) for name, verdicts in recorded.verdicts().items()
    }


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", MODES)
def test_the_fleet_comes_to_the_recorded_verdicts(mode: Mode, tmp_path: pathlib.Path) -> None:
    cases = CASES[list(MODES).index(mode) :: SHARE]
    ours = replay.on_sandbox(tmp_path, cases, MODES[mode])
    found = recorded.judge({name: recorded.verdicts()[name] for name in ours}, ours, mode)
    assert not found.unknown, recorded.told(found)


def rules_because(why: str) -> list[Known]:
    return [rule for rule in (*KNOWN, *living.KNOWN) if rule.why == why]


@pytest.mark.parametrize("rule", rules_because("purpose"), ids=lambda rule: rule.because[:40])
def test_a_difference_on_purpose_is_named_in_the_document(rule: Known) -> None:
    assert rule.named
    assert rule.named in DOCUMENT


@pytest.mark.parametrize("rule", rules_because("later"), ids=lambda rule: rule.because[:40])
def test_a_difference_of_a_later_version_cites_its_source(rule: Known) -> None:
    assert re.search(r"\w+\.go of v3\.6", rule.because)


@pytest.mark.parametrize("rule", KNOWN, ids=lambda rule: rule.because[:40])
def test_a_rule_is_about_cases_of_the_fleet(rule: Known) -> None:
    assert any(re.fullmatch(rule.case, case.name) for case in CASES)


RULE = Known("purpose", "hook-.*", r"\d+\.health", "for this test", theirs="Healthy", ours="null")


@pytest.mark.parametrize(
    ("case", "ours", "unknown", "unused"),
    [
        ("hook-sync", {}, 0, False),
        ("wave-one", {}, 1, True),
        ("hook-sync", {"health": "Degraded"}, 1, True),
        ("hook-sync", {"health": "Healthy"}, 0, True),
        ("hook-sync", {"sync": "Synced"}, 1, False),
    ],
)
def test_a_rule_covers_what_it_names_and_one_without_a_difference_is_told(
    case: str, ours: Json, unknown: int, unused: bool
) -> None:
    found = compare({case: [{"health": "Healthy"}]}, {case: [ours]}, "own", [RULE])
    assert (len(found.unknown), found.unused) == (unknown, [RULE] if unused else [])


def test_sentences_are_alike_that_begin_with_the_same_words() -> None:
    rule = Known("purpose", ".*", ".*", "for this test", alike=True)
    assert rule.covers("a", "0.state.message", ("could not find the thing", "could not find the thing: look there"))
    assert not rule.covers("a", "0.state.message", ("could not find the thing", "successfully synced"))
