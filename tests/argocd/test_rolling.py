"""The real Argo CD and Syncline roll ApplicationSets out in the same steps, each on a server of its own.

With SYNCLINE_RECORD=1 what Argo CD did is written down for `tests/component/controller/test_rolling_judged.py`.
"""

import datetime as dt
import os
import pathlib

import pytest

from syncline.model.settings.settings import Compat
from tests.argocd import deliveries
from tests.argocd.build import VERSION, Programs
from tests.support.rolling import judged, recorded
from tests.support.rolling.cases import CASES


@pytest.mark.referee
@pytest.mark.timeout(900)
def test_both_roll_out_in_the_same_steps(programs: Programs, tmp_path: pathlib.Path) -> None:
    theirs = deliveries.rolled_by_argocd(tmp_path / "theirs", programs, CASES)
    if os.environ.get("SYNCLINE_RECORD"):
        recorded.record(theirs, f"Argo CD {VERSION}", dt.datetime.now(dt.UTC).date().isoformat())
    ours = deliveries.rolled_by_syncline(tmp_path / "ours", CASES, Compat.ARGOCD)
    found = judged.unknown(theirs, ours)
    assert not found, found
