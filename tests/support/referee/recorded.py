"""What the referee said when it was last run, and how our verdicts are held against it.

`verdicts.json` is written by `make test-referee` with SYNCLINE_RECORD=1 (`tests/argocd/test_referee.py`), in the form
of `tests.support.referee.normal`. A difference that `tests.support.referee.judged` does not name is a failure.
"""

import json
import pathlib
from typing import Any

from tests.support.referee.case import Json
from tests.support.referee.judged import KNOWN
from tests.support.referee.known import Compared, Mode, compare

FOLDER = pathlib.Path(__file__).parents[2] / "fixtures" / "referee"


def verdicts() -> dict[str, list[Json]]:
    """Return the recorded verdicts of every case."""
    found: dict[str, list[Json]] = json.loads((FOLDER / "verdicts.json").read_text())["verdicts"]
    return found


def record(found: dict[str, list[Json]], referee: str, day: str) -> None:
    """Write verdicts down, one case a line."""
    lines = [f"{json.dumps(name)}:{_compact(found[name])}" for name in sorted(found)]
    head = f'{{"referee":{json.dumps(referee)},"recorded":{json.dumps(day)},"verdicts":{{\n'
    (FOLDER / "verdicts.json").write_text(head + ",\n".join(lines) + "\n}}\n")


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


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
