"""What the real Argo CD made of ApplicationSets is what Syncline makes of them on the sandbox.

The verdicts were recorded by `tests/argocd/test_sets.py`; every difference is known, with its reason.
"""

from syncline.model.settings.settings import Compat
from tests.support.judged_sets import CASES, recorded, replay
from tests.support.judged_sets.known import KNOWN, unknown, untold

# All cases take seconds of processor (`test_whole_record.py`): each run plays every sixth one, and those that differ.
SHARE = 6


def test_the_recorded_sets_are_the_sets() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 400
    assert {case.name: 1 + len(case.steps) for case in CASES} == {
        name: len(told) for name, told in recorded.verdicts().items()
    }


def test_every_known_difference_is_documented() -> None:
    assert untold() == []


def test_the_sets_come_to_the_recorded_verdicts() -> None:
    differing = {name.partition(" ")[0] for names in KNOWN.values() for name in names}
    cases = [case for number, case in enumerate(CASES) if number % SHARE == 0 or case.name in differing]
    ours = replay.on_sandbox(cases, Compat.ARGOCD)
    theirs = {name: told for name, told in recorded.verdicts().items() if name in ours}
    found = recorded.differences(theirs, ours)
    assert unknown(found) == ""
    assert {name.partition(" ")[0] for name in found} == differing, "some differences are gone: take them out of known"
