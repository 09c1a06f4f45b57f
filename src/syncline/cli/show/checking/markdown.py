"""Findings as markdown, short enough for a comment and safe whatever a repository holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncline.cli.show.checked import counts, groups, verdict
from syncline.cli.show.frames import place_of
from syncline.cli.show.previewing.markdown import code, escaped, fitted
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked

_EACH = 10


def markdown(found: Checked, seconds: float) -> str:
    """Return the findings, the worst first; what does not fit is counted."""
    return fitted(list(_lines(found, seconds)))


def _lines(found: Checked, seconds: float) -> Iterator[str]:
    yield f"### {escaped(verdict(found, verbose=True))}"
    yield ""
    yield counts(found, seconds)
    yield ""
    together = groups(found.findings)
    for severity in Severity:
        for group in together:
            if group[0].severity is severity:
                yield from _group(group)
    if found.left_out:
        yield f"Not checked: {sum(one.count for one in found.left_out)}"
        yield ""
        for one in found.left_out:
            yield f"- {escaped(one.what)}" + (f": {code(one.remedy)}" if one.remedy else "")


def _group(group: list[Finding]) -> Iterator[str]:
    first = group[0]
    yield f"**{first.severity.value} {first.code} {first.name}**" + (f" × {len(group)}" if len(group) > 1 else "")
    yield ""
    for one in group[:_EACH]:
        place = place_of(one)
        yield f"- {escaped(one.message)}" + (f" · {code(str(place))}" if place is not None else "")
    if len(group) > _EACH:
        yield f"- {len(group) - _EACH} more"
    if first.fix is not None and first.fix.text:
        yield ""
        yield f"fix: {escaped(first.fix.text)}"
    yield ""
