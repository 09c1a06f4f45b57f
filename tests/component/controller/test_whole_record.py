"""All that the real Argo CD said of fleets and sets is what Syncline makes of them on the sandbox.

`make test` takes a share of each (`test_referee.py`, `test_rolling_judged.py`, `test_judged_sets.py`), this takes all.
"""

import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.support import judged_sets
from tests.support.judged_sets import known as sets_known
from tests.support.judged_sets import recorded as sets_recorded
from tests.support.judged_sets import replay as sets_replay
from tests.support.referee import CASES, recorded, replay
from tests.support.referee.known import Mode
from tests.support.rolling import cases as rolling_cases
from tests.support.rolling import judged as rolling_judged
from tests.support.rolling import recorded as rolling_recorded
from tests.support.rolling import replay as rolling_replay

MODES: dict[Mode, Compat] = {"compat": Compat.ARGOCD, "own": Compat.SYNCLINE}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", MODES)
def test_the_fleet(mode: Mode, tmp_path: pathlib.Path) -> None:
    found = recorded.judge(recorded.verdicts(), replay.on_sandbox(tmp_path, CASES, MODES[mode]), mode)
    assert not found.unknown, recorded.told(found)
    gone = [rule for rule in found.unused if rule.why != "server"]
    assert not gone, "these differences are gone: take them out of shown.py or done.py"


@pytest.mark.timeout(900)
def test_the_sets() -> None:
    found = sets_recorded.differences(
        sets_recorded.verdicts(), sets_replay.on_sandbox(judged_sets.CASES, Compat.ARGOCD)
    )
    assert sets_known.unknown(found) == ""


@pytest.mark.timeout(900)
def test_the_rollouts(tmp_path: pathlib.Path) -> None:
    ours = rolling_replay.on_sandbox(tmp_path, rolling_cases.CASES, Compat.ARGOCD)
    assert not rolling_judged.unknown(rolling_recorded.verdicts(), ours)
