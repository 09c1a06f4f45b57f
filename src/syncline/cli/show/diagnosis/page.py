"""A diagnosis as one self-contained page: no script, no address outside, everything escaped.

Has what a review of the incident needs: the causes with their evidence, what each hit, and a timeline.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from syncline.cli.show.diagnosis import report as words
from syncline.cli.show.diagnosis.markdown import level
from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model.diagnosis import RootCause
from syncline.model.finding import Evidence, EvidenceKind, Fix

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--dim:#777;--bad:#c0392b;--fix:#1e8449}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin:0}
section{border:1px solid var(--line);border-radius:8px;padding:1rem;margin:1rem 0}
.dim{color:var(--dim)}.level{color:var(--bad);font-weight:700}.fix{color:var(--fix)}
code,pre{font:13px/1.5 ui-monospace,monospace}pre{overflow:auto;margin:.3rem 0;white-space:pre-wrap}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
"""
_ENTRIES = 200


def page(report: Report) -> str:
    """Return the page."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    found = report.diagnosis
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{_text(f'Diagnosis of {found.origin}')}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{_text(report.second_line)}</h1>"
    yield f'<p class="dim">{_text(report.first_line)} · {_text(found.as_of)}</p>'
    if order := report.order():
        yield f"<p>{_text(order)}</p>"
    for cause in found.causes:
        yield from _cause(report, cause)
    yield from _listed("Unexplained", [one.message for one in found.unexplained])
    yield from _listed("Ruled out", [f"{one.text}: {one.because}" for one in found.ruled_out])
    yield from _timeline(report)
    yield "</body></html>"


def _cause(report: Report, cause: RootCause) -> Iterator[str]:
    yield f'<section id="cause-{cause.rank}"><h2><span class="level">{level(report, cause)}</span> '
    yield f"{cause.rank}. {_text(words.title(cause))}</h2>"
    since = report.age(cause.finding.since)
    told = [
        words.code(cause),
        report.named(cause.thing),
        words.SURE[cause.finding.confidence],
        f"since {since}" if since else "",
    ]
    yield f'<p class="dim">{_text(" · ".join(part for part in told if part))}</p>'
    if steps := words.chain(cause):
        yield f"<p>{_text(' → '.join([report.named(cause.thing), *steps]))}</p>"
    for evidence in words.proof(cause, with_logs=report.with_logs):
        yield f"<pre>{_text(evidence.text)}</pre>"
    for place in words.places(cause):
        yield f"<pre>{_text(f'{place.place}  {place.text}')}</pre>"
    for label, fix in words.fixes(cause):
        yield f'<p class="fix">{label}: {_fix(fix)}</p>'
    yield from (f'<p class="fix">then: <code>{_text(command)}</code></p>' for command in cause.afterwards)
    yield from (f'<p class="dim">if {_text(one)}</p>' for one in cause.assumptions)
    yield f"<details><summary>{_text(words.plural(len(cause.affected), report.counted))}</summary><table>"
    for name in cause.affected:
        yield f"<tr><td><code>{_text(name)}</code></td><td>{_text(report.state(name))}</td></tr>"
    yield "</table></details></section>"


def _fix(fix: Fix) -> str:
    parts = [f"<code>{_text(str(edit))}</code>" for edit in fix.edits]
    parts += [f"<code>{_text(fix.command)}</code>"] if fix.command else []
    parts += [_text(fix.text)] if fix.text else []
    return "<br>".join(parts)


def _listed(title: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield f"<section><h2>{title}</h2><ul>{''.join(f'<li>{_text(text)}</li>' for text in texts)}</ul></section>"


def _timeline(report: Report) -> Iterator[str]:
    """Yield when what was seen, oldest first: since when causes are there, and every piece of evidence with a time."""
    entries: set[tuple[str, int, str]] = set()
    for cause in report.diagnosis.causes:
        if cause.finding.since:
            entries.add((cause.finding.since, cause.rank, words.title(cause)))
        entries |= {(one.time, cause.rank, one.text) for one in cause.finding.evidence if _is_dated(one, report)}
    if not entries:
        return
    yield "<section><h2>Timeline</h2><table>"
    for time, rank, text in sorted(entries)[:_ENTRIES]:
        link = f'<a href="#cause-{rank}">#{rank}</a>'
        yield f'<tr><td class="dim">{_text(time)}</td><td>{link}</td><td>{_text(text)}</td></tr>'
    yield "</table></section>"


def _is_dated(evidence: Evidence, report: Report) -> bool:
    return bool(evidence.time) and (report.with_logs or evidence.kind is not EvidenceKind.LOG)


def _text(text: str) -> str:
    return html.escape(without_secrets(text))
