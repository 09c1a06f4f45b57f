"""Puts an explanation on one screen: wrapped to its width, worst first, and what does not fit is counted.

Handed what the engine found by `syncline.cli.why`. Nothing is hidden without a word; `--verbose` has no limits.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from syncline.cli.show import terminal
from syncline.cli.show.tables import age
from syncline.cli.show.words import short_revision
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.rules.live import sync_stuck, waiting
from syncline.model.finding import Finding, Severity

_MARKS = {Severity.ERROR: ("✖", "red"), Severity.WARNING: ("◆", "yellow"), Severity.INFO: ("◔", "blue")}
_WAITS = {sync_stuck.RULE.code, waiting.RULE.code}
_INDENT = "    "
_MESSAGE_LINES = 3
_EVIDENCE_LINES = 2


def screen(explanation: Explanation, now: datetime, *, width: int, height: int = 0) -> str:
    """Return the explanation for a terminal; without a height nothing is left out."""
    headline = _headline(explanation, now)
    if explanation.good and not explanation.findings:
        return f"{headline}: nothing to explain."
    if not height:
        return "\n".join([headline, *(line for one in explanation.findings for line in _block(one, width, cut=False))])
    lines, left = [headline], list(_kept(explanation.findings))
    while left:
        block = _block(left[0], width, cut=True)
        # One line is kept for the count of what does not fit; the first finding is always told.
        if len(lines) > 1 and len(lines) + len(block) > height - 1:
            break
        lines += block
        left.pop(0)
    return "\n".join([*lines, *_rest(left)])


def _headline(explanation: Explanation, now: datetime) -> str:
    name = explanation.app.partition("/")[2]
    since = f" since {age(explanation.since, now)}" if explanation.since else ""
    revision = f", {short_revision(explanation.revision)}" if explanation.revision else ""
    return f"{name} is {explanation.sync} and {explanation.health}{since}{revision}"


def _kept(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings worst first, of each severity one of every kind first.

    That the sync waits for an object is left out where another finding says what is wrong with that object.
    """
    told = {finding.subject for finding in findings if finding.code not in _WAITS}
    seen: Counter[str] = Counter()
    ranked = []
    for finding in findings:
        if finding.code in _WAITS and finding.subject in told:
            continue
        ranked.append((finding.severity, seen[finding.code] > 0, finding))
        seen[finding.code] += 1
    order = list(_MARKS)
    ranked.sort(key=lambda one: (order.index(one[0]), one[1]))
    return [finding for _severity, _again, finding in ranked]


def _rest(left: Sequence[Finding]) -> list[str]:
    if not left:
        return []
    counts = Counter(finding.name for finding in left)
    listed = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return [f"… {len(left)} more: {listed} (all with --verbose)"]


def _block(finding: Finding, width: int, *, cut: bool) -> list[str]:
    """Return the lines of one finding."""
    mark, colour = _MARKS[finding.severity]
    # Code and name stay together, for whoever searches for them.
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    text = f"{finding.message}{times}  [{finding.code}\N{NO-BREAK SPACE}{finding.name}]"
    first, *more = (line.replace("\N{NO-BREAK SPACE}", " ") for line in _wrapped(text, width - 2, cut=cut))
    lines = [f"{terminal.style(mark, colour)} {first}", *(f"  {line}" for line in more)]
    for text in _evidence(finding):
        lines += _indented(text, width, cut=cut)
    if finding.fix is not None:
        command = f": {finding.fix.command}" if finding.fix.command else ""
        text = f"fix   {finding.fix.text}{command}"
        # A command is to be copied, so it stays in one piece.
        lines += [f"{_INDENT}{text}"] if command else _indented(text, width, cut=False)
    return lines


def _evidence(finding: Finding) -> Iterator[str]:
    for evidence in finding.evidence:
        where = f"{evidence.place}  " if evidence.place else ""
        if evidence.text and evidence.text not in finding.message:
            yield f"{where}{evidence.text}"
        elif where:
            yield where.strip()


def _wrapped(text: str, width: int, *, cut: bool, most: int = _MESSAGE_LINES) -> list[str]:
    """Return a text in lines, its middle left out where it is too long; its end holds the code of the finding."""
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    if not cut or len(lines) <= most:
        return lines
    return [*lines[: most - 1], textwrap.shorten(f"… {lines[-1]}", width, placeholder=" …")]


def _indented(text: str, width: int, *, cut: bool) -> list[str]:
    # Two columns are kept for the sign that something was left out.
    lines = textwrap.wrap(text, width - len(_INDENT) - 2, break_long_words=False, break_on_hyphens=False)
    if cut and len(lines) > _EVIDENCE_LINES:
        lines = [*lines[: _EVIDENCE_LINES - 1], f"{lines[_EVIDENCE_LINES - 1]} …"]
    return [f"{_INDENT}{line}" for line in lines]
