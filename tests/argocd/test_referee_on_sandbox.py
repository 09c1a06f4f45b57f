"""The real Argo CD and Syncline deliver the same fleet on sandboxes, and come to the verdicts of a real server.

Another share of the fleet than on a real server, and the cases whose workloads live; `SYNCLINE_WHOLE=1` takes all. What
Argo CD says on a real server is recorded, so that a difference between its two verdicts is one of the sandbox alone.
"""

import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd import deliveries, grounds
from tests.argocd.build import Programs
from tests.argocd.chosen import chosen
from tests.support.referee import CASES, done, judged, living, recorded
from tests.support.referee.known import Mode, compare
from tests.support.verdicts import Verdicts

pytestmark = pytest.mark.referee
MODES: dict[Mode, Compat] = {"compat": Compat.ARGOCD, "own": Compat.SYNCLINE}
LIMIT = 3600
FLEET = (*chosen(CASES, first=2), *living.CASES)


@pytest.fixture(scope="module")
def theirs(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """What Argo CD makes of the fleet."""
    return deliveries.by_argocd(tmp_path_factory.mktemp("theirs"), programs, FLEET, grounds.SANDBOX)


@pytest.mark.timeout(LIMIT)
def test_argo_cd_says_on_a_sandbox_what_it_says_on_a_real_server(theirs: Verdicts) -> None:
    there = {name: told for name, told in recorded.verdicts().items() if name in theirs}
    found = compare(there, {name: theirs[name] for name in there}, "compat", (*done.SANDBOX, *done.RACES))
    assert not found.unknown, recorded.told(found)


@pytest.mark.timeout(LIMIT)
@pytest.mark.parametrize("mode", MODES)
def test_both_come_to_the_same_verdicts(mode: Mode, theirs: Verdicts, tmp_path: pathlib.Path) -> None:
    ours = deliveries.by_syncline(tmp_path, FLEET, MODES[mode], grounds.SANDBOX)
    found = compare(theirs, ours, mode, (*judged.KNOWN, *living.KNOWN, *done.RACES))
    assert not found.unknown, recorded.told(found)
