"""Two diagnoses of the same fleet: what was predicted, and what has recovered.

Handed the older and the newer one by `syncline.cli.diagnose.command`.
"""

from __future__ import annotations

import textwrap

from syncline.cli.show import terminal
from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.graph.repairs import promised
from syncline.model.diagnosis import Diagnosis, RootCause


def comparison(old: Diagnosis, report: Report, *, width: int) -> str:
    """Return what has changed since the older one, on a screen."""
    new = report.diagnosis
    now = {cause.id for cause in new.causes}
    before = {cause.id: cause for cause in old.causes}
    gone = [cause for cause in old.causes if cause.id not in now]
    lines = [*textwrap.wrap(report.first_line, width, subsequent_indent="  "), *_headline(old, report, gone)]
    for cause in gone:
        lines += _line("✔", "green", f"gone: {words.title(cause)}", _recovered(cause, new), width)
    for cause in new.causes:
        was = before.get(cause.id)
        if was is None:
            lines += _line("✖", "red", f"new: {words.title(cause)}", _hits(cause, report), width)
        else:
            lines += _line("◆", "yellow", f"still: {words.title(cause)}", _still(was, cause, report), width)
    if order := report.order():
        lines += ["", order]
    return "\n".join(lines)


def _headline(old: Diagnosis, report: Report, gone: list[RootCause]) -> list[str]:
    new = report.diagnosis
    now = f"{new.good:,} of {words.plural(new.total, report.counted)} now"
    told = f"{old.good:,} of {old.total:,} OK at {old.as_of}, {now}"
    lines = [terminal.style(told, "bold")]
    if gone:
        lines.append(f"predicted at most {predicted(old, gone):,} OK with {words.plural(len(gone), 'cause')} repaired")
    return [*lines, ""]


def predicted(old: Diagnosis, gone: list[RootCause]) -> int:
    """Return how many were to be OK with some causes repaired: those that only these held back."""
    return promised(old, {cause.id for cause in gone})


def _recovered(cause: RootCause, new: Diagnosis) -> str:
    bad = {name for one in new.causes for name in one.affected}
    left = [name for name in cause.affected if name in bad]
    told = f"{len(cause.affected) - len(left):,} of {len(cause.affected):,} recovered"
    return f"{told}; not yet: {', '.join(left)}" if left else told


def _still(was: RootCause, cause: RootCause, report: Report) -> str:
    return f"hit {len(was.affected):,}, hits {_hits(cause, report)}"


def _hits(cause: RootCause, report: Report) -> str:
    return words.plural(len(cause.affected), report.counted)


def _line(mark: str, colour: str, text: str, told: str, width: int) -> list[str]:
    wrapped = textwrap.wrap(f"{text}  ({told})", width - 2, break_long_words=False, break_on_hyphens=False)
    return [f"{terminal.style(mark, colour)} {wrapped[0]}", *(f"  {line}" for line in wrapped[1:])]
