"""What a known difference is, and how verdicts are held against each other; `judged.py` beside it lists all of them.

Asked by the tests that compare verdicts. Whatever no rule covers is a bug, of ours until shown otherwise; and a rule
that covers nothing any more is taken out (`Compared.unused`).
"""

import dataclasses
import json
import re
from collections.abc import Iterable
from typing import Any, Literal

from tests.support.referee.case import Json
from tests.support.referee.normal import HEALS, differences

Mode = Literal["compat", "own"]
Why = Literal["purpose", "later", "sandbox", "server", "race"]
BOTH: tuple[Mode, ...] = ("compat", "own")
# Sentences that begin with as many letters alike begin with the same words.
_ALIKE = 20


@dataclasses.dataclass(frozen=True)
class Known:
    """One difference: on purpose (`differences.md` names it), changed after 3.2, of the sandbox or a real server alone,
    or of Argo CD with itself, where it depends on how busy the machine is.

    `case`, `path` and both values are regular expressions that have to match as a whole. The path is that of a field
    of the verdict, after `N.`, the number of the step. A value that is no text is matched as JSON, one that is not
    there as `null`.
    """

    why: Why
    case: str
    path: str
    because: str
    theirs: str = ".*"
    ours: str = ".*"
    modes: tuple[Mode, ...] = BOTH
    alike: bool = False
    """Whether both have to begin with the same words."""
    named: str = ""
    """Words of `differences.md`, for what is on purpose."""
    hasty: bool = False
    """Whether it counts only where one of the two says that it healed before anything had been changed."""

    def covers(self, case: str, path: str, both: tuple[Any, Any], *, hasty: bool = False) -> bool:
        if self.hasty and not hasty:
            return False
        theirs, ours = (_text(value) for value in both)
        if self.alike and not _begin_alike(theirs, ours):
            return False
        pairs = ((self.case, case), (self.path, path), (self.theirs, theirs), (self.ours, ours))
        return all(re.fullmatch(pattern, text, re.DOTALL) for pattern, text in pairs)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _begin_alike(theirs: str, ours: str) -> bool:
    length = min(_ALIKE, len(theirs), len(ours))
    return theirs[:length] == ours[:length]


@dataclasses.dataclass(frozen=True)
class Compared:
    """What came of a comparison: differences that nobody knows, and known ones that are none any more."""

    cases: int
    equal: int
    unknown: dict[str, tuple[Any, Any]]
    unused: list[Known]


def compare(theirs: dict[str, list[Json]], ours: dict[str, list[Json]], mode: Mode, known: Iterable[Known]) -> Compared:
    """Hold our verdicts against those of the referee."""
    assert theirs.keys() == ours.keys()
    rules = [rule for rule in known if mode in rule.modes]
    unknown: dict[str, tuple[Any, Any]] = {}
    used: set[Known] = set()
    equal = 0
    for case, told in theirs.items():
        hasty = any(_heals(verdicts[0]) for verdicts in (told, ours[case]) if verdicts)
        found = _of_case(told, ours[case])
        equal += not found
        for path, both in found.items():
            covering = {rule for rule in rules if rule.covers(case, path, both, hasty=hasty)}
            used |= covering
            if not covering:
                unknown[f"{case}: {path}"] = both
    return Compared(len(theirs), equal, unknown, [rule for rule in rules if rule not in used])


def _of_case(theirs: list[Json], ours: list[Json]) -> dict[str, tuple[Any, Any]]:
    assert len(theirs) == len(ours)
    numbered = [(f"{number}", *both) for number, both in enumerate(zip(theirs, ours, strict=True))]
    found = {path: both for number, one, other in numbered for path, both in differences(one, other, number).items()}
    return {path: both for path, both in found.items() if not path.endswith(f".state.{HEALS}")}


def _heals(verdict: Json) -> int:
    return int((verdict.get("state") or {}).get(HEALS) or 0)
