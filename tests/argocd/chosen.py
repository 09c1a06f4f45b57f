"""Which cases the real Argo CD is asked about: every fourth one; what it said of the others is recorded.

All of them with SYNCLINE_WHOLE=1 (`make test-referee-whole`) or SYNCLINE_RECORD=1, which also writes down what it says;
those of a pattern with SYNCLINE_CASES='hook-*'. Our side is always asked about all.
"""

import datetime as dt
import os
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from tests.argocd.build import VERSION
from tests.support.verdicts import Verdicts

SHARE = 4


class Named(Protocol):
    """A case."""

    @property
    def name(self) -> str:
        """What it is recorded under."""


C = TypeVar("C", bound=Named)


def chosen(cases: Sequence[C], first: int = 0) -> Sequence[C]:
    """Return the cases that Argo CD is asked about now; another first one makes it another share of them."""
    pattern = os.environ.get("SYNCLINE_CASES")
    if pattern:
        return [case for case in cases if fnmatchcase(case.name, pattern)]
    if os.environ.get("SYNCLINE_WHOLE") or os.environ.get("SYNCLINE_RECORD"):
        return cases
    return cases[first::SHARE]


def with_recorded(
    live: Verdicts, cases: Sequence[C], recorded: Verdicts, record: Callable[[Verdicts, str, str], None]
) -> Verdicts:
    """Return what Argo CD says of all cases, now or when it was recorded; record it where that is asked for."""
    said = {**recorded, **live}
    said = {case.name: said[case.name] for case in cases}
    if os.environ.get("SYNCLINE_RECORD"):
        record(said, f"Argo CD {VERSION}", dt.datetime.now(dt.UTC).date().isoformat())
    return said
