"""Puts an explanation on one screen: causes first, wrapped to its width, and what does not fit is counted.

Handed what the engine found by `syncline.cli.why`. Nothing is hidden without a word; `--verbose` has no limits. Of what
is told, messages and fixes are never cut: where the screen is full, evidence goes first, from the last finding on, and
then whole findings from the end.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import IntEnum

from syncline.cli.show import terminal
from syncline.cli.show.tables import age
from syncline.cli.show.words import short_revision
from syncline.core.diagnose.explain import Explanation
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

_MARKS = {Severity.ERROR: ("✖", "red"), Severity.WARNING: ("◆", "yellow"), Severity.INFO: ("◔", "blue")}
_EFFECT = ("↳", "white")
_INDENT = "    "
_LABEL = 6
_PLACES, _LINES, _EVIDENCE_LINES = 4, 3, 2
_SORTS = {EvidenceKind.LOG: "log   ", EvidenceKind.COMMAND: "more  "}


class _Detail(IntEnum):
    """How much is shown of a finding."""

    ALL = 0
    SOME = 1
    BARE = 2


def screen(explanation: Explanation, now: datetime, *, width: int, height: int = 0) -> str:
    """Return the explanation for a terminal; without a height nothing is left out."""
    headline = _headline(explanation, now, width)
    findings = _ranked(explanation.findings)
    if explanation.good and not findings:
        headline[0] += ": nothing to explain."
        return "\n".join(headline)
    if not height:
        return "\n".join([*headline, *_lines(findings, [_Detail.ALL] * len(findings), width)])
    details = _fitted(findings, width, height - len(headline))
    return "\n".join([*headline, *_lines(findings, details, width), *_rest(findings[len(details) :], width)])


def _headline(explanation: Explanation, now: datetime, width: int) -> list[str]:
    name = explanation.app.partition("/")[2]
    revision = f", {short_revision(explanation.revision)}" if explanation.revision else ""
    health = explanation.health
    if explanation.since:
        health = f"has been {health} for {age(explanation.since, now)}"
    lines = [f"{name} is {explanation.sync} and {health}{revision}"]
    if explanation.not_rendered:
        lines += textwrap.wrap(f"not rendered here: {explanation.not_rendered}", width, break_long_words=False)
    if explanation.unreadable:
        lines.append(f"could not be read: {', '.join(explanation.unreadable)}")
    return lines


def _ranked(findings: Sequence[Finding]) -> list[Finding]:
    """Return causes before effects, worst first, of each severity one of every kind first."""
    seen: Counter[str] = Counter()
    ranked = []
    for finding in findings:
        ranked.append((bool(finding.effect_of), list(_MARKS).index(finding.severity), seen[finding.code] > 0, finding))
        seen[finding.code] += 1
    return [finding for *_rank, finding in sorted(ranked, key=lambda one: one[:3])]


def _fitted(findings: list[Finding], width: int, height: int) -> list[_Detail]:
    """Return how much to show of each finding that is shown; the first is always told."""
    details = [_Detail.BARE if finding.effect_of else _Detail.ALL for finding in findings]
    for detail in (_Detail.SOME, _Detail.BARE):
        for index in reversed(range(len(findings))):
            if _fits(findings, details, width, height):
                return details
            details[index] = max(details[index], detail)
    while len(details) > 1 and not _fits(findings, details, width, height):
        details.pop()
    # What is left of the screen goes to the evidence of what is told, the first finding first.
    for index in range(len(details)):
        for detail in (_Detail.ALL, _Detail.SOME):
            more = [*details[:index], detail, *details[index + 1 :]]
            if not findings[index].effect_of and _fits(findings, more, width, height):
                details = more
                break
    return details


def _fits(findings: list[Finding], details: list[_Detail], width: int, height: int) -> bool:
    return len(_lines(findings, details, width)) + len(_rest(findings[len(details) :], width)) <= height


def _rest(left: Sequence[Finding], width: int) -> list[str]:
    if not left:
        return []
    counts: Counter[str] = Counter()
    for finding in left:
        counts[finding.name] += finding.count
    listed = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    told = f"… {sum(counts.values())} more: {listed} (all with --verbose)"
    return textwrap.wrap(told, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _lines(findings: Sequence[Finding], details: Sequence[_Detail], width: int) -> list[str]:
    shown = zip(findings, details, strict=False)
    return [line for finding, detail in shown for line in _block(finding, width, detail)]


def _block(finding: Finding, width: int, detail: _Detail) -> list[str]:
    """Return the lines of one finding."""
    lines = _message(finding, width)
    for text in _evidence(finding, detail):
        lines += _indented(text, width, cut=detail is not _Detail.ALL)
    for number, fix in enumerate([finding.fix, *finding.options]):
        if fix is not None:
            lines += _fix(fix, "or" if number else "fix", width)
    return lines


def _message(finding: Finding, width: int) -> list[str]:
    mark, colour = _EFFECT if finding.effect_of else _MARKS[finding.severity]
    times = f" ({finding.count} times)" if finding.count > 1 and " and " not in finding.subject else ""
    because = f", because of {finding.effect_of}" if finding.effect_of else ""
    # Code and name stay together, for whoever searches for them.
    code = f"[{finding.code}\N{NO-BREAK SPACE}{finding.name}]"
    wrapped = textwrap.wrap(
        f"{finding.message}{times}{because}  {code}", width - 2, break_long_words=False, break_on_hyphens=False
    )
    shown = [_faced(line, code, bold=not finding.effect_of) for line in wrapped]
    return [f"{terminal.style(mark, colour)} {shown[0]}", *(f"  {line}" for line in shown[1:])]


def _faced(line: str, code: str, *, bold: bool) -> str:
    """Return a line of a message: the words of a cause bold, the code dim."""
    words, found, _rest = line.partition(code)
    shown = terminal.style(words, "bold") if bold and words.strip() else words
    return f"{shown}{terminal.style(code.replace(chr(0xA0), ' '), 'dim')}" if found else shown


def _fix(fix: Fix, label: str, width: int) -> list[str]:
    """Return a fix: edits and command each on a line of their own, to be copied whole; a remark below them."""
    lines = []
    for number, edit in enumerate(fix.edits):
        lines.append(_labelled("" if number else label, str(edit)))
    if fix.command:
        lines.append(_labelled("then" if fix.edits else label, fix.command))
    if fix.text:
        first = _labelled("" if lines else label, "")
        wrapped = textwrap.wrap(fix.text, width - len(_INDENT) - _LABEL, break_long_words=False, break_on_hyphens=False)
        if lines:
            lines += [terminal.style(f"{_INDENT}{'':<{_LABEL}}{line}", "dim") for line in wrapped]
        else:
            lines.append(f"{first}{wrapped[0]}")
            lines += [f"{_INDENT}{'':<{_LABEL}}{line}" for line in wrapped[1:]]
    return lines


def _labelled(label: str, text: str) -> str:
    return f"{_INDENT}{terminal.style(f'{label:<{_LABEL}}', 'green') if label else ' ' * _LABEL}{text}"


def _evidence(finding: Finding, detail: _Detail) -> Iterator[str]:
    """Yield what a finding rests on: lines of files first, then of logs, then what was said, without repetitions."""
    if detail is _Detail.BARE:
        return
    # Several objects, or reasons, may point at one line.
    places = list({_worded(one): one for one in finding.evidence if one.place}.values())
    said = [
        one for one in finding.evidence if not one.place and (one.kind is EvidenceKind.LOG or _is_new(one, finding))
    ]
    if detail is _Detail.SOME:
        more = len(places) - _PLACES
        yield from map(_worded, places[:_PLACES])
        if more > 0:
            yield f"… and {more} more lines"
        logs = [one for one in said if one.kind is EvidenceKind.LOG][-_LINES:]
        said = [*logs, *(one for one in said if one.kind is EvidenceKind.COMMAND)] or said[:1]
        places = []
    yield from map(_worded, places)
    yield from (f"{_SORTS.get(one.kind, '')}{one.text}" for one in said)


def _is_new(evidence: Evidence, finding: Finding) -> bool:
    return bool(evidence.text) and evidence.text not in finding.message


def _worded(evidence: Evidence) -> str:
    return f"{evidence.place}  {evidence.text}".rstrip()


def _indented(text: str, width: int, *, cut: bool) -> list[str]:
    if text.startswith(_SORTS[EvidenceKind.COMMAND]):
        return [terminal.style(f"{_INDENT}{text}", "dim")]
    # Two columns are kept for the sign that something was left out.
    lines = textwrap.wrap(text, width - len(_INDENT) - 2, break_long_words=False, break_on_hyphens=False)
    if cut and len(lines) > _EVIDENCE_LINES:
        lines = [*lines[: _EVIDENCE_LINES - 1], f"{lines[_EVIDENCE_LINES - 1]} …"]
    return [terminal.style(f"{_INDENT}{line}", "dim") for line in lines]
