"""Tells findings that a change brings from those that it takes away and those that were there before.

Called by `syncline.core.preview.preview`.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.core.diagnose.findings.same import identity, split
from syncline.model.finding import Finding

Compared = tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[Finding, ...]]


def compared(before: Sequence[Finding], after: Sequence[Finding]) -> Compared:
    """Return the findings that are new, those that are gone, and those that stay."""
    new, kept = split(after, map(identity, before))
    fixed, _ = split(before, map(identity, after))
    return new, fixed, kept
