"""How the real Argo CD rolled ApplicationSets out is how Syncline does on the sandbox, in steps and order.

Recorded by `tests/argocd/test_rolling.py`; every difference is known, with its reason.
"""

import pathlib

from syncline.model.settings.settings import Compat
from tests.argocd.differences import document
from tests.support.rolling import judged, recorded, replay
from tests.support.rolling.cases import CASES

# All cases take seconds of processor (`test_whole_record.py`): each run plays every fourth one, and those that differ.
SHARE = 4


def test_the_recorded_sets_are_the_sets() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) > 15
    assert {case.name: 1 + len(case.steps) for case in CASES} == {
        name: len(told) for name, told in recorded.verdicts().items()
    }


def test_the_sets_roll_out_as_recorded(tmp_path: pathlib.Path) -> None:
    cases = [case for number, case in enumerate(CASES) if number % SHARE == 0 or case.name == "selected-twice"]
    ours = replay.on_sandbox(tmp_path, cases, Compat.ARGOCD)
    found = judged.unknown({name: recorded.verdicts()[name] for name in ours}, ours)
    assert not found, found


def test_what_differs_is_documented() -> None:
    assert "An Application that two steps select belongs to the first" in document()
