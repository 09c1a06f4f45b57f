"""A preview as a page of its own: a sentence, what the merge will do, changes by field, findings."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.cli.show import page as pages
from syncline.cli.show.page import shape, text
from syncline.cli.show.previewing import live, sentences
from syncline.cli.show.previewing.rows import Row, noise_counts, rows
from syncline.model.preview import Effect, EffectKind, Preview

_ROWS = 2_000
_SHAPES = {
    EffectKind.DANGER: ("bad", "broken"),
    EffectKind.DENIED: ("bad", "broken"),
    EffectKind.ENDPOINTS: ("bad", "broken"),
    EffectKind.DRIFT: ("dec", "needs a decision"),
    EffectKind.RESTART: ("dec", "needs a decision"),
    EffectKind.HOOKS: ("dec", "needs a decision"),
    EffectKind.WINDOW: ("work", "held"),
    EffectKind.NOTE: ("unk", "note"),
}


def page(found: Preview, seconds: float) -> str:
    """Return the page."""
    found = sentences.joined_findings(found)
    facts = [sentences.counts(found), f"{found.base} → {found.head}", f"{found.objects:,} objects in {seconds:.1f} s"]
    title = f"Preview {found.base} → {found.head}"
    return pages.document(title, sentences.headline(found), facts, _body(found))


def _body(found: Preview) -> Iterator[str]:
    if found.effects:
        groups = "".join(_group(kind, found.of(kind)) for kind in EffectKind if found.of(kind))
        yield f'<section><div class="head"><h2>What the merge will do</h2></div><ul>{groups}</ul></section>'
    yield from _changes(found)
    yield from _live(found)
    if found.timelines:
        tracks = "".join(
            f'<li class="track"><b>{text(one.app)}</b>'
            + "".join(
                f'<span class="step"><b>{text(step.phase)} {step.wave}</b> {text(", ".join(step.objects[:5]))}'
                f"{f' and {len(step.objects) - 5} more' if len(step.objects) > 5 else ''}</span>"
                for step in one.steps
            )
            + "</li>"
            for one in found.timelines
        )
        yield f'<section><div class="head"><h2>Waves</h2></div><ol>{tracks}</ol></section>'
    yield from _findings(found)
    yield from _missing(found)


def _group(kind: EffectKind, listed: tuple[Effect, ...]) -> str:
    entries = "".join(_effect(one) for one in listed)
    label = f'{shape(*_SHAPES[kind])}{sentences.LABELS[kind]}<span class="n">{len(listed)}</span>'
    return f'<li class="group"><span class="g">{label}</span><ul>{entries}</ul></li>'


def _effect(one: Effect) -> str:
    apps = ", ".join(one.apps[:5]) + (f" and {len(one.apps) - 5} more" if len(one.apps) > 5 else "")
    named = f' <span class="q">{text(apps)}</span>' if apps and apps not in one.text else ""
    place = f'<span class="src end">{text(str(one.place))}</span>' if one.place is not None and one.place.file else ""
    return f"<li><span>{text(one.text)}{named}</span>{place}</li>"


def _changes(found: Preview) -> Iterator[str]:
    listed = rows(found)
    if not listed:
        return
    noise = ", ".join(f"{count} × {why}" for why, count in noise_counts(found))
    said = f"{sentences.many(len(listed), 'row')}; equal ones joined" + (f"; not shown: {noise}" if noise else "")
    shown = "".join(map(_row, listed[:_ROWS]))
    more = f'<li class="q">{len(listed) - _ROWS} more rows</li>' if len(listed) > _ROWS else ""
    head = f'<div class="head"><h2>Changes by field</h2><span class="q">{text(said)}</span></div>'
    yield f"<section>{head}<ul>{shown}{more}</ul></section>"


def _row(row: Row) -> str:
    said = f"<span>{text(row.text)}</span>"
    if row.path:
        before = '<span class="q">absent</span>' if row.before is None else f'<del class="m">{text(row.before)}</del>'
        after = '<span class="q">absent</span>' if row.after is None else f'<ins class="m">{text(row.after)}</ins>'
        said = f'<span><span class="m">{text(row.path)}</span>&ensp;{before} → {after}</span>'
    names = f' title="{text(", ".join(row.apps))}"' if len(row.apps) > 1 else ""
    return (
        f'<li class="change"><span class="op">{text(row.mark)}</span><b{names}>{text(row.app_words)}</b>'
        f'<span class="m">{text(row.object_words)}</span>{said}'
        f'<span class="src end">{text(row.place_words)}</span></li>'
    )


def _live(found: Preview) -> Iterator[str]:
    """Yield what is live beside the change: drift of before, and what a sync does after the merge."""
    if found.live is None:
        return
    head = f'<div class="head"><h2>On the cluster</h2><span class="q">{text(live.headline(found))}</span></div>'
    listed = live.rows(found.live)
    parts = []
    for part, title in ((live.DRIFT, "Drifted before this change"), (live.NET, "Written by a sync after the merge")):
        of_part = [row for row in listed if row.part == part]
        shown = "".join(map(_live_row, of_part[:_ROWS]))
        more = f'<li class="q">{len(of_part) - _ROWS} more rows</li>' if len(of_part) > _ROWS else ""
        nothing = '<li class="q">nothing</li>' if not of_part else ""
        parts.append(f'<h3>{title} <span class="n">{len(of_part)}</span></h3><ul>{shown}{more}{nothing}</ul>')
    missing = "".join(f'<li class="q">not compared: {text(one)}</li>' for one in live.left_out(found.live))
    yield f"<section>{head}{''.join(parts)}<ul>{missing}</ul></section>"


def _live_row(row: live.LiveRow) -> str:
    said = f"<span>{text(row.text)}</span>"
    if row.path:
        said = (
            f'<span><span class="m">{text(row.path)}</span>&ensp;<del class="m">{text(row.before)}</del> → '
            f'<ins class="m">{text(row.after)}</ins> <span class="q">{text(row.text)}</span></span>'
        )
    return (
        f'<li class="change"><span class="op"></span><b>{text(row.app)}</b>'
        f'<span class="m">{text(row.object)}</span>{said}</li>'
    )


def _findings(found: Preview) -> Iterator[str]:
    words = sentences.findings_words(found)
    if words:
        yield f'<section><div class="head"><h2>Findings</h2><span class="q">{text(words)}</span></div>'
        yield from pages.findings(found.new, found.files)
        if found.kept:
            yield f"<details><summary>{len(found.kept)} were there before; they are not of this change</summary>"
            yield from pages.findings(found.kept, {})
            yield "</details>"
        yield "</section>"


def _missing(found: Preview) -> Iterator[str]:
    missing = sentences.not_rendered(found)
    if not missing and not found.not_looked:
        return
    names = "".join(f'<li class="m">{text(name)}</li>' for name in missing)
    why = "".join(
        f"<li>{text(one.what)}{f' (×{one.count})' if one.count > 1 else ''} "
        f'<span class="q">{text(one.remedy)}</span></li>'
        for one in found.not_looked
    )
    yield f'<section><div class="head"><h2>Not checked</h2></div><ul>{names}</ul><ul>{why}</ul></section>'
