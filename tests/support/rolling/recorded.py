"""What Argo CD did with the cases when it was last asked; written by `tests/argocd/test_rolling.py`."""

import pathlib

from tests.support import verdicts as file

_FILE = pathlib.Path(__file__).parents[2] / "fixtures" / "rolling" / "verdicts.json"


def verdicts() -> file.Verdicts:
    """Return what was recorded of every case."""
    return file.read(_FILE)


def record(found: file.Verdicts, referee: str, day: str) -> None:
    """Write it down."""
    file.write(_FILE, found, referee, day)
