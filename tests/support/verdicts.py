"""The file that keeps what a referee said: who it was, the day, and the verdicts of every case, one case a line."""

import json
import pathlib
from typing import Any

Json = dict[str, Any]
Verdicts = dict[str, list[Json]]


def read(path: pathlib.Path) -> Verdicts:
    """Return the recorded verdicts of every case."""
    found: Verdicts = json.loads(path.read_text())["verdicts"]
    return found


def write(path: pathlib.Path, found: Verdicts, referee: str, day: str) -> None:
    """Write verdicts down."""
    lines = [f"{json.dumps(name)}:{compact(found[name])}" for name in sorted(found)]
    head = f'{{"referee":{json.dumps(referee)},"recorded":{json.dumps(day)},"verdicts":{{\n'
    path.parent.mkdir(exist_ok=True)
    path.write_text(head + ",\n".join(lines) + "\n}}\n")


def compact(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
