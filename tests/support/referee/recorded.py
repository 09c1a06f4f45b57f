"""What the referee said when it was last run, and how our verdicts are held against it.

`verdicts.json` is written by `make test-referee` with SYNCLINE_RECORD=1 (`tests/argocd/test_referee.py`), in the form
of `tests.support.referee.normal`. A difference that `tests.support.referee.judged` does not name is a failure.
"""

import json
import pathlib

from tests.support import verdicts as file
from tests.support.referee.case import Json
from tests.support.referee.judged import KNOWN
from tests.support.referee.known import Compared, Mode, compare

_FILE = pathlib.Path(__file__).parents[2] / "fixtures" / "referee" / "verdicts.json"


def verdicts() -> dict[str, list[Json]]:
    """Return the recorded verdicts of every case."""
    return file.read(_FILE)


def record(found: dict[str, list[Json]], referee: str, day: str) -> None:
    """Write verdicts down."""
    file.write(_FILE, found, referee, day)


def judge(theirs: dict[str, list[Json]], ours: dict[str, list[Json]], mode: Mode) -> Compared:
    """Hold our verdicts against those of the referee."""
    return compare(theirs, ours, mode, KNOWN)


def told(found: Compared) -> str:
    """Return the differences that nobody knows as a text for whoever has to judge them."""
    lines = []
    for name in sorted(found.unknown):
        theirs, ours = found.unknown[name]
        lines.append(f"{name}\n    Argo CD:  {json.dumps(theirs)[:600]}\n    Syncline: {json.dumps(ours)[:600]}")
    return "\n".join(lines)
