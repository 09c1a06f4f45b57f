"""What Argo CD made of the cases when it was last asked, and how our verdicts compare.

`verdicts.json` is written by `tests/argocd/test_sets.py` with SYNCLINE_RECORD=1.
"""

import json
import pathlib
from typing import Any

from tests.support.judged_sets.case import Json

FOLDER = pathlib.Path(__file__).parents[2] / "fixtures" / "judged_sets"
_FILE = FOLDER / "verdicts.json"


def verdicts() -> dict[str, list[Json]]:
    """Return the recorded verdicts of every case."""
    found: dict[str, list[Json]] = json.loads(_FILE.read_text())["verdicts"]
    return found


def record(found: dict[str, list[Json]], referee: str, day: str) -> None:
    """Write verdicts down, one case a line."""
    lines = [f"{json.dumps(name)}:{_compact(found[name])}" for name in sorted(found)]
    head = f'{{"referee":{json.dumps(referee)},"recorded":{json.dumps(day)},"verdicts":{{\n'
    FOLDER.mkdir(exist_ok=True)
    _FILE.write_text(head + ",\n".join(lines) + "\n}}\n")


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def differences(theirs: dict[str, list[Json]], ours: dict[str, list[Json]]) -> dict[str, str]:
    """Return the cases whose verdicts differ, each with both sides; messages need not be the same words."""
    found = {}
    for name, told in theirs.items():
        for number, (one, other) in enumerate(zip(told, ours[name], strict=True)):
            if _compared(one) != _compared(other):
                found[f"{name} {number}"] = f"\n    Argo CD:  {_compact(one)}\n    Syncline: {_compact(other)}"
    return found


def _compared(told: Json) -> Json:
    return {**told, "messages": sorted(told.get("messages") or ())}
