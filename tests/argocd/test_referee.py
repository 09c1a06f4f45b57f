"""The real Argo CD and Syncline deliver the same fleet, each on a server of its own, and come to the same verdicts.

`tests.argocd.chosen` says what Argo CD is asked now and what is taken from the record, which
`tests/component/controller/test_referee.py` reads too.
"""

import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd import deliveries
from tests.argocd.build import Programs
from tests.argocd.chosen import chosen, with_recorded
from tests.support.referee import CASES, recorded
from tests.support.referee.known import Mode
from tests.support.verdicts import Verdicts

pytestmark = pytest.mark.referee
MODES: dict[Mode, Compat] = {"compat": Compat.ARGOCD, "own": Compat.SYNCLINE}
LIMIT = 3600


@pytest.fixture(scope="module")
def theirs(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """What Argo CD makes of the fleet."""
    live = deliveries.by_argocd(tmp_path_factory.mktemp("theirs"), programs, chosen(CASES))
    return with_recorded(live, CASES, recorded.verdicts(), recorded.record)


@pytest.mark.timeout(LIMIT)
@pytest.mark.parametrize("mode", MODES)
def test_both_come_to_the_same_verdicts(mode: Mode, theirs: Verdicts, tmp_path: pathlib.Path) -> None:
    ours = deliveries.by_syncline(tmp_path, CASES, MODES[mode])
    found = recorded.judge(theirs, ours, mode)
    assert not found.unknown, recorded.told(found)
    gone = [rule for rule in found.unused if rule.why != "sandbox"]
    assert not gone, "these differences are gone: take them out of shown.py or done.py"
