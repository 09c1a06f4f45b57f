"""Tells findings that a change brings from those that it takes away and those that were there before.

Called by `syncline.core.preview.preview`. Lines move when something is added above them, so numbers of lines do not
count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from syncline.model.finding import Finding

_LINE = re.compile(r"(?<=[\w.]):\d+(:\d+)?\b")

Compared = tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[Finding, ...]]


def identity(one: Finding) -> tuple[str, str, str]:
    """Return what makes a finding the same in another version of the files."""
    return one.code, _LINE.sub("", one.subject), _LINE.sub("", one.message)


def compared(before: Sequence[Finding], after: Sequence[Finding]) -> Compared:
    """Return the findings that are new, those that are gone, and those that stay."""
    new, kept = _split(after, before)
    fixed, _ = _split(before, after)
    return new, fixed, kept


def _split(found: Sequence[Finding], others: Sequence[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    known = Counter(map(identity, others))
    own: list[Finding] = []
    shared: list[Finding] = []
    for one in found:
        key = identity(one)
        if known[key] > 0:
            known[key] -= 1
            shared.append(one)
        else:
            own.append(one)
    return tuple(own), tuple(shared)
