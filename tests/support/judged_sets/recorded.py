"""What Argo CD made of the cases when it was last asked, and how our verdicts compare.

`verdicts.json` is written by `tests/argocd/test_sets.py` with SYNCLINE_RECORD=1.
"""

import pathlib

from tests.support import verdicts as file
from tests.support.judged_sets.case import Json

_FILE = pathlib.Path(__file__).parents[2] / "fixtures" / "judged_sets" / "verdicts.json"


def verdicts() -> dict[str, list[Json]]:
    """Return the recorded verdicts of every case."""
    return file.read(_FILE)


def record(found: dict[str, list[Json]], referee: str, day: str) -> None:
    """Write verdicts down."""
    file.write(_FILE, found, referee, day)


def differences(theirs: dict[str, list[Json]], ours: dict[str, list[Json]]) -> dict[str, str]:
    """Return the cases whose verdicts differ, each with both sides; messages need not be the same words."""
    found = {}
    for name, told in theirs.items():
        for number, (one, other) in enumerate(zip(told, ours[name], strict=True)):
            if _compared(one) != _compared(other):
                found[f"{name} {number}"] = f"\n    Argo CD:  {file.compact(one)}\n    Syncline: {file.compact(other)}"
    return found


def _compared(told: Json) -> Json:
    return {**told, "messages": sorted(told.get("messages") or ())}
