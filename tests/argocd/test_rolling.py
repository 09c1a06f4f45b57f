"""The real Argo CD and Syncline roll ApplicationSets out in the same steps, each on a server of its own.

`tests.argocd.chosen` says what Argo CD is asked now and what is taken from the record, which
`tests/component/controller/test_rolling_judged.py` reads too.
"""

import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd import deliveries
from tests.argocd.build import Programs
from tests.argocd.chosen import chosen, with_recorded
from tests.support.rolling import judged, recorded
from tests.support.rolling.cases import CASES


@pytest.mark.referee
@pytest.mark.timeout(3600)
def test_both_roll_out_in_the_same_steps(programs: Programs, tmp_path: pathlib.Path) -> None:
    live = deliveries.rolled_by_argocd(tmp_path / "theirs", programs, chosen(CASES))
    theirs = with_recorded(live, CASES, recorded.verdicts(), recorded.record)
    ours = deliveries.rolled_by_syncline(tmp_path / "ours", CASES, Compat.ARGOCD)
    found = judged.unknown(theirs, ours)
    assert not found, found
