"""Argo CD and Syncline deliver workloads that live, each on a control plane of its own, to the same verdicts."""

import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd import deliveries, grounds
from tests.argocd.build import Programs
from tests.support.referee import judged, living, recorded
from tests.support.referee.known import Mode, compare
from tests.support.verdicts import Verdicts

pytestmark = pytest.mark.referee
MODES: dict[Mode, Compat] = {"compat": Compat.ARGOCD, "own": Compat.SYNCLINE}


@pytest.fixture(scope="module")
def theirs(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """What Argo CD makes of the cases."""
    return deliveries.by_argocd(tmp_path_factory.mktemp("theirs"), programs, living.CASES, grounds.WHOLE)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", MODES)
def test_both_come_to_the_same_verdicts(mode: Mode, theirs: Verdicts, tmp_path: pathlib.Path) -> None:
    ours = deliveries.by_syncline(tmp_path, living.CASES, MODES[mode], grounds.WHOLE)
    found = compare(theirs, ours, mode, (*judged.KNOWN, *living.KNOWN))
    assert not found.unknown, recorded.told(found)
    gone = [rule for rule in found.unused if rule in living.KNOWN]
    assert not gone, "these differences are gone: take them out of living.py"
