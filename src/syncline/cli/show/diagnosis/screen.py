"""A diagnosis on a terminal: two lines of counts, the table of causes, the details of as many as fit, what to do first.

Words are wrapped and never cut. Where a screen is full, the details of later causes are counted, and how to see them
is said.
"""

from __future__ import annotations

import textwrap

from syncline.cli.show import terminal
from syncline.cli.show.columns import cells
from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model.diagnosis import RootCause
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_INDENT = "    "
_LABEL = 7
_SYNC = "syncline app sync "
_WORDS = 8
"""As many words of a command for afterwards are shown beside others."""
_PROOFS, _LOG_LINES, _PLACES, _EDITS, _RULED_OUT = 2, 2, 3, 4, 4
_NARROWEST = 60


def screen(report: Report, *, width: int, height: int = 0) -> str:
    """Return the whole answer; without a height nothing is folded."""
    width = max(width, _NARROWEST)
    head = [*_wrapped(report.first_line, width), *_wrapped(report.second_line, width, "bold")]
    found = report.diagnosis
    if not found.causes and not found.unexplained:
        return "\n".join(head)
    tail = [*_cannot_tell(found.unexplained, width), *_not_it(report, width), *_wrapped(report.order(), width, "bold")]
    body = [*head, *(["", *_table(report, width)] if found.causes else [])]
    details = [["", *detail(report, cause, width)] for cause in found.causes]
    shown = len(details) if not height else _fitting(details, height - len(body) - len(tail) - 1)
    for lines in details[:shown]:
        body += lines
    if shown < len(details):
        first = found.causes[shown]
        body.append(_dim(f"{_INDENT}{len(details) - shown} more: syncline diagnose {first.id} (one), -o wide (all)"))
    return "\n".join([*body, *(["", *tail] if tail else [])])


def one(report: Report, cause: RootCause, *, width: int) -> str:
    """Return one cause with all that is known of it."""
    width = max(width, _NARROWEST)
    lines = [*_wrapped(report.first_line, width), "", *detail(report, cause, width, everything=True)]
    lines += _labelled("hits", _listed(cause.affected, report), width)
    for behind in cause.next_in_line:
        cause_id, _, message = behind.partition(": ")
        lines += _labelled("next", f"#{report.rank(cause_id)} {without_secrets(message)}", width)
    return "\n".join(lines)


def target(report: Report, name: str, *, width: int) -> str:
    """Return why one object is as it is: what was read, how it stands, and each cause with all that is known of it."""
    width = max(width, _NARROWEST)
    found = report.diagnosis
    state = next(iter(found.counts), "")
    verdict = f"{name}: {state}" if state else f"{name} is in order"
    lines = [*_wrapped(report.first_line, width), terminal.style(verdict, "bold")]
    for cause in found.causes:
        lines += ["", *_wrapped(words.title(cause), width, "bold"), *detail(report, cause, width, everything=True)]
    if found.unexplained:
        lines += ["", *_cannot_tell(found.unexplained, width)]
    return "\n".join(lines)


def _listed(names: tuple[str, ...], report: Report) -> str:
    return ", ".join(f"{name} ({state})" if (state := report.state(name)) else name for name in names)


def _fitting(details: list[list[str]], room: int) -> int:
    """Return how many details fit; the first is always told."""
    used = 0
    for number, lines in enumerate(details):
        used += len(lines)
        if used > room:
            return max(1, number)
    return len(details)


def _table(report: Report, width: int) -> list[str]:
    """Return the table of causes; sentences are wrapped inside their column."""
    rows = [
        (
            str(cause.rank),
            f"{len(cause.affected):,}",
            words.title(cause),
            report.age(cause.finding.since),
            words.effort(cause),
        )
        for cause in report.diagnosis.causes
    ]
    header = ("#", f"{report.counted.upper()}S", "CAUSE", "SINCE", "FIX")
    sizes = [max(cells(row[column]) for row in (header, *rows)) for column in range(len(header))]
    room = width - sum(sizes[column] for column in (0, 1, 3, 4)) - 2 * (len(header) - 1) - 1
    sizes[2] = max(20, min(sizes[2], room))
    lines = [_dim(_row(header, sizes))]
    for row in rows:
        first, *rest = textwrap.wrap(row[2], sizes[2], break_long_words=False, break_on_hyphens=False) or [""]
        padded = terminal.style(first, "bold") + " " * max(0, sizes[2] - cells(first))
        lines.append(_row((row[0], row[1], padded, row[3], row[4]), sizes).rstrip())
        lines += [f"{' ' * (sizes[0] + sizes[1] + 5)}{terminal.style(line, 'bold')}" for line in rest]
    return lines


def _row(row: tuple[str, ...], sizes: list[int]) -> str:
    number, count, cause, since, fix = row
    padded = cause if len(terminal.plain(cause)) >= sizes[2] else cause.ljust(sizes[2])
    return f" {number:>{sizes[0]}}  {count:>{sizes[1]}}  {padded}  {since:<{sizes[3]}}  {fix}".rstrip()


def detail(report: Report, cause: RootCause, width: int, *, everything: bool = False) -> list[str]:
    """Return what is known of one cause: how it leads to the symptoms, the proof, where it stems from, the fix."""
    tag = f"{words.code(cause)}  {cause.id}"
    lines = [f"{terminal.style(f'#{cause.rank}', 'bold')}  {report.named(cause.thing)}  {_dim(tag)}"]
    if steps := words.chain(cause):
        lines += _wrapped(" ".join(f"└ {step}" for step in steps), width, indent=_INDENT)
    lines += _proof(report, cause, width, everything=everything)
    found = words.places(cause)
    shown = found if everything else found[:_PLACES]
    for number, place in enumerate(shown):
        lines += _labelled("" if number else "from", _place(place), width, face="dim")
    if len(found) > len(shown):
        lines += _labelled("", f"… and {len(found) - len(shown)} more lines", width, face="dim")
    for label, fix in words.fixes(cause):
        # Ranks change while others repair, and by then may be those of other causes; the id stays.
        lines += _fix(cause.id, fix, label, width, everything=everything)
        if label == "fix":
            lines += _afterwards(cause, width, everything=everything)
    for assumption in cause.assumptions:
        lines += _labelled("if", without_secrets(assumption), width, face="dim")
    return lines


def _proof(report: Report, cause: RootCause, width: int, *, everything: bool) -> list[str]:
    found = list(words.proof(cause, with_logs=report.with_logs))
    sure = words.SURE[cause.finding.confidence]
    shown = found if everything else _telling(found)
    lines: list[str] = []
    for number, evidence in enumerate(shown):
        text = _said(evidence) + ("" if number else f"   {sure}")
        lines += _labelled("" if number else "proof", text, width, face="dim")
    if not found and words.is_quoted(cause):
        lines += _labelled("proof", f"as quoted above   {sure}", width, face="dim")
    elif len(shown) < len(found):
        lines += _labelled("", f"… and {len(found) - len(shown)} more", width, face="dim")
    return lines


def _telling(found: list[Evidence]) -> list[Evidence]:
    """Return the few pieces that tell most: what was said first, and the last lines of logs."""
    logs = [one for one in found if one.kind is EvidenceKind.LOG]
    return [*[one for one in found if one not in logs][:_PROOFS], *logs[-_LOG_LINES:]]


def _said(evidence: Evidence) -> str:
    text = without_secrets(evidence.text)
    if evidence.kind is EvidenceKind.LOG:
        return f"log: {text}"
    return f"“{text}”" if evidence.kind in (EvidenceKind.EVENT, EvidenceKind.MESSAGE) else text


def _place(evidence: Evidence) -> str:
    return f"{evidence.place}  {evidence.text}".rstrip()


def _fix(name: str, fix: Fix, label: str, width: int, *, everything: bool) -> list[str]:
    lines: list[str] = []
    shown = fix.edits if everything else fix.edits[:_EDITS]
    for edit in shown:
        lines.append(_copied("" if lines else label, str(edit)))
    if len(fix.edits) > len(shown):
        lines += _labelled("", f"… and {len(fix.edits) - len(shown)} more lines", width)
    if fix.edits and label == "fix":
        lines.append(_copied("", f"syncline diagnose {name} --patch | git apply"))
    for number, command in enumerate(fix.command.split(" && ") if fix.command else ()):
        lines.append(_copied("" if number else label if not lines else "then", command))
    if fix.text:
        lines += _labelled("" if lines else label, without_secrets(fix.text), width, face="dim" if lines else "")
    return lines


def _afterwards(cause: RootCause, width: int, *, everything: bool) -> list[str]:
    """Return the commands for what has given up, once the fix is done."""
    lines = [
        _copied("" if number else "then", command if everything else _shortened(command))
        for number, command in enumerate(cause.afterwards)
    ]
    for command in cause.afterwards:
        if command.startswith(_SYNC):
            one = len(command.removeprefix(_SYNC).split()) == 1
            ended = (
                "its sync has ended, and Argo CD retries it"
                if one
                else "their syncs have ended, and Argo CD retries them"
            )
            lines += _labelled("", f"{ended} only for a new commit", width, face="dim")
    return lines


def _shortened(command: str) -> str:
    """Return a command that names many things with the first few of them, and how many there are."""
    words = command.split(" ")
    if len(words) <= _WORDS:
        return command
    return f"{' '.join(words[:_WORDS])} … and {len(words) - _WORDS} more"


def _copied(label: str, text: str) -> str:
    """Return a line that is copied whole, however long."""
    return f"{_INDENT}{_marked(label)}{text}"


def _labelled(label: str, text: str, width: int, *, face: str = "") -> list[str]:
    room = width - len(_INDENT) - _LABEL
    wrapped = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    shown = [terminal.style(line, face) if face else line for line in wrapped]
    first = f"{_INDENT}{_marked(label)}{shown[0]}"
    return [first, *(f"{_INDENT}{' ' * _LABEL}{line}" for line in shown[1:])]


def _marked(label: str) -> str:
    colour = {"fix": "green", "then": "green", "or": "green"}.get(label, "cyan")
    return terminal.style(f"{label:<{_LABEL}}", colour) if label else " " * _LABEL


def _cannot_tell(findings: tuple[Finding, ...], width: int) -> list[str]:
    if not findings:
        return []
    lines = [terminal.style("unexplained", "yellow")]
    for finding in findings[:_RULED_OUT]:
        needed = f"; {finding.fix.text}" if finding.fix and finding.fix.text else ""
        lines += _wrapped(without_secrets(f"{finding.message}{needed}"), width, indent=_INDENT)
    if len(findings) > _RULED_OUT:
        lines.append(_dim(f"{_INDENT}… and {len(findings) - _RULED_OUT} more (-o json)"))
    return lines


def _not_it(report: Report, width: int) -> list[str]:
    found = report.diagnosis.ruled_out
    if not found:
        return []
    told = [f"{one.text} ({one.because})" for one in found[:_RULED_OUT]]
    if len(found) > _RULED_OUT:
        told.append(f"{len(found) - _RULED_OUT} more (-o json)")
    return _wrapped(without_secrets(f"not it  {' · '.join(told)}"), width, "dim")


def _wrapped(text: str, width: int, face: str = "", indent: str = "") -> list[str]:
    wrapped = textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [terminal.style(line, face) if face else line for line in wrapped]


def _dim(text: str) -> str:
    return terminal.style(text, "dim")
