"""Whether two findings are the same one in two versions of the files: for baselines, and for what a change brings.

Used by `syncline.core.preview.findings` and `syncline.api.check`. Lines move when something is added above them, so
numbers of lines do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from syncline.model.finding import Finding

_LINE = re.compile(r"(?<=[\w.]):\d+(:\d+)?\b")

Identity = tuple[str, str, str]


def identity(one: Finding) -> Identity:
    """Return what makes a finding the same in another version of the files."""
    return one.code, _LINE.sub("", one.subject), _LINE.sub("", one.message)


def split(found: Sequence[Finding], known: Iterable[Identity]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings that are not known, and those that are; each known one stands for one finding."""
    left = Counter(known)
    own: list[Finding] = []
    shared: list[Finding] = []
    for one in found:
        key = identity(one)
        if left[key] > 0:
            left[key] -= 1
            shared.append(one)
        else:
            own.append(one)
    return tuple(own), tuple(shared)
