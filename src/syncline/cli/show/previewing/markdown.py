"""A preview as markdown, for one comment on a pull request: dangers first, and never longer than a comment may be.

Everything that comes from the repository is quoted as code or escaped: a pull request must not be able to write
anything but text into the comment, no links, no mentions, no HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from syncline.apimachinery.printable import printable
from syncline.cli.show.previewing import live, sentences
from syncline.cli.show.previewing.rows import Row, noise_counts, rows
from syncline.model.finding import Finding, Severity
from syncline.model.preview import Effect, EffectKind, Preview

MAX_BYTES = 60_000
_MARKED = re.compile(r"([\\`*_{}\[\]()#+!|<>~@:-])")
_ROWS = 200


def comment(found: Preview) -> str:
    """Return the comment; what does not fit is counted."""
    found = sentences.joined_findings(found)
    parts = [*_head(found), *_effects(found), *_findings(found), *_rows(found), *_live(found), *_tail(found)]
    return fitted(parts)


def fitted(parts: Sequence[str], limit: int = MAX_BYTES) -> str:
    """Return as many parts as fit, whole ones; the last line says how many do not."""
    room, kept = limit - 100, list[str]()
    for part in parts:
        size = len(part.encode()) + 1
        if size > room:
            kept.append(f"\n… {len(parts) - len(kept)} more lines do not fit here; `syncline preview` shows all.")
            break
        room -= size
        kept.append(part)
    return "\n".join(kept)


def _head(found: Preview) -> Iterator[str]:
    yield f"### {sentences.headline(found)}"
    yield ""
    yield f"{sentences.counts(found)} · {code(found.base)} → {code(found.head)}"
    yield ""


def _effects(found: Preview) -> Iterator[str]:
    for kind in EffectKind:
        listed = found.of(kind)
        if listed:
            yield f"**{sentences.LABELS[kind]}** {len(listed)}"
            yield ""
            yield from (f"- {_effect(one)}" for one in listed)
            yield ""


def _effect(one: Effect) -> str:
    where = f" · {code(str(one.place))}" if one.place is not None and one.place.file else ""
    apps = f" ({', '.join(map(code, one.apps[:5]))}{' …' if len(one.apps) > 5 else ''})" if one.apps else ""
    return f"{escaped(one.text)}{apps}{where}"


def _findings(found: Preview) -> Iterator[str]:
    words = sentences.findings_words(found)
    if not words:
        return
    yield f"**Findings**: {words}"
    yield ""
    for one in sorted(found.new, key=lambda one: list(Severity).index(one.severity)):
        yield f"- {_finding(one)}"
    yield ""


def _finding(one: Finding) -> str:
    place = next((evidence.place for evidence in one.evidence if evidence.place is not None), None)
    where = f" · {code(str(place))}" if place is not None else ""
    fix = f"<br>fix: {escaped(one.fix.text)}" if one.fix is not None and one.fix.text else ""
    return f"{one.severity.value} **{one.code} {one.name}** {escaped(one.message)}{where}{fix}"


def _rows(found: Preview) -> Iterator[str]:
    listed = rows(found)
    if not listed:
        return
    yield f"<details><summary>{len(listed)} changes by field</summary>"
    yield ""
    yield "| | app | object | change | line |"
    yield "|---|---|---|---|---|"
    yield from map(_row, listed[:_ROWS])
    if len(listed) > _ROWS:
        yield f"| | | | {len(listed) - _ROWS} more | |"
    yield ""
    if noise := noise_counts(found):
        yield "not shown: " + ", ".join(f"{count} × {why}" for why, count in noise)
        yield ""
    yield "</details>"


def _live(found: Preview) -> Iterator[str]:
    """Yield what is live beside the change: drift of before, and what a sync does after the merge."""
    if found.live is None:
        return
    yield ""
    yield f"**On the cluster**: {escaped(live.headline(found))}"
    yield ""
    listed = live.rows(found.live)
    for part, title in ((live.DRIFT, "drifted before this change"), (live.NET, "written by a sync after the merge")):
        rows_of = [row for row in listed if row.part == part]
        if not rows_of:
            continue
        yield f"<details><summary>{len(rows_of)} {title}</summary>"
        yield ""
        yield "| app | object | field | |"
        yield "|---|---|---|---|"
        yield from map(_live_row, rows_of[:_ROWS])
        if len(rows_of) > _ROWS:
            yield f"| | | {len(rows_of) - _ROWS} more | |"
        yield ""
        yield "</details>"
    yield from (f"- not compared: {escaped(one)}" for one in live.left_out(found.live))


def _live_row(row: live.LiveRow) -> str:
    said = f"{code(row.path)} {code(row.before)} → {code(row.after)}" if row.path else escaped(row.text)
    return f"| {code(row.app)} | {code(row.object)} | {said} | {escaped(row.text) if row.path else ''} |"


def _row(row: Row) -> str:
    said = escaped(row.text)
    if row.path:
        before = "absent" if row.before is None else code(row.before)
        said = f"{code(row.path)} {before} → {'absent' if row.after is None else code(row.after)}"
    place = code(row.place_words) if row.place_words else ""
    return f"| {row.mark} | {code(row.app_words)} | {code(row.object_words)} | {said} | {place} |"


def _tail(found: Preview) -> Iterator[str]:
    missing = sentences.not_rendered(found)
    if missing:
        yield ""
        yield f"Could not be rendered: {', '.join(map(code, missing[:20]))}{' …' if len(missing) > 20 else ''}"
    for one in found.not_looked[:10]:
        yield f"- not checked: {escaped(one.what)}" + (f" ({code(one.remedy)})" if one.remedy else "")


def code(text: str) -> str:
    """Return text as code, which nothing in it can end; bars would split the cells of a table."""
    plain = printable(text).replace("`", "ʼ").replace("|", "¦").replace("\n", " ")
    return f"`{plain}`" if plain.strip() else ""


def escaped(text: str) -> str:
    """Return text that means nothing but itself in markdown: no links, mentions, HTML or headings."""
    plain = printable(text).replace("\n", " ").replace("@", "@\u200b")
    return _MARKED.sub(r"\\\1", plain).replace("\\<", "&lt;").replace("\\>", "&gt;")
