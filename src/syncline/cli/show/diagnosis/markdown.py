"""A diagnosis as the inventory that a team keeps during an incident: P0 blocks many, P3 is still on its way.

P0 are causes of several apps, P1 are single failures, P2 is what is out of sync and P3 what still progresses. Lines of
logs are left out unless asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model.diagnosis import RootCause
from syncline.model.finding import Fix, Severity

LEVELS = ("P0", "P1", "P2", "P3")
_TITLES = {
    "P0": "Blocking causes",
    "P1": "Single failures",
    "P2": "Out of sync",
    "P3": "Progressing",
}
_APPS = 12


def level(report: Report, cause: RootCause) -> str:
    """Return how urgent a cause is."""
    states = [report.state(name) for name in cause.affected]
    if cause.finding.severity is Severity.INFO or (states and all(_only(state, "Progressing") for state in states)):
        return "P3"
    if len(cause.affected) > 1 or cause.next_in_line:
        return "P0"
    return "P2" if states and all(_only(state, "OutOfSync") for state in states) else "P1"


def _only(state: str, word: str) -> bool:
    """Whether nothing else is wrong than one thing."""
    return word in state and not any(other in state for other in ("Degraded", "Missing", "Unknown"))


def document(report: Report) -> str:
    """Return the inventory."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    found = report.diagnosis
    yield f"# Diagnosis of {found.origin}"
    yield ""
    yield f"{report.first_line}  "
    yield f"**{report.second_line}**"
    if order := report.order():
        yield ""
        yield order
    for name in LEVELS:
        causes = [cause for cause in found.causes if level(report, cause) == name]
        if causes:
            yield ""
            yield f"## {name} – {_TITLES[name]}"
            for cause in causes:
                yield from _cause(report, cause)
    if found.unexplained:
        yield ""
        yield "## Unexplained"
        yield ""
        yield from (f"- {escaped(one.message)}" for one in found.unexplained)
    if found.ruled_out:
        yield ""
        yield "## Ruled out"
        yield ""
        yield from (f"- {escaped(one.text)}: {escaped(one.because)}" for one in found.ruled_out)


def _cause(report: Report, cause: RootCause) -> Iterator[str]:
    yield ""
    yield f"### {cause.rank}. {escaped(words.title(cause))}"
    yield ""
    since = report.age(cause.finding.since)
    hits = words.plural(len(cause.affected), report.counted)
    yield " · ".join(part for part in (f"`{words.code(cause)}`", hits, f"since {since}" if since else "") if part)
    yield ""
    if steps := words.chain(cause):
        yield f"- **Chain**: {escaped(' → '.join([report.named(cause.thing), *steps]))}"
    for evidence in words.proof(cause, with_logs=report.with_logs):
        yield f"- **Proof**: {escaped(evidence.text)}"
    for evidence in words.places(cause):
        yield f"- **From**: `{evidence.place}` {escaped(evidence.text)}".rstrip()
    for label, fix in words.fixes(cause):
        yield f"- **{'Fix' if label == 'fix' else 'Or'}**: {_fix(fix)}"
    yield from (f"- **Then**: `{command}`" for command in cause.afterwards)
    yield from (f"- **If**: {escaped(one)}" for one in cause.assumptions)
    if cause.affected:
        yield ""
        yield f"| {report.counted.capitalize()} | Status |"
        yield "|---|---|"
        yield from (f"| `{name}` | {report.state(name)} |" for name in cause.affected[:_APPS])
        if len(cause.affected) > _APPS:
            yield f"| … and {len(cause.affected) - _APPS} more | |"


def _fix(fix: Fix) -> str:
    parts = [f"`{edit}`" for edit in fix.edits]
    parts += [f"`{fix.command}`"] if fix.command else []
    parts += [escaped(fix.text)] if fix.text else []
    return "; ".join(parts)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    plain = " ".join(without_secrets(text).split())
    return "".join(f"\\{character}" if character in "\\`*_[]<>|#" else character for character in plain)
