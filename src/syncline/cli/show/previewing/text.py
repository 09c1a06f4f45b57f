"""The screen of `syncline preview`: counts, what to watch out for, then fields with the lines that change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.cli.show import terminal
from syncline.cli.show.checked import groups, in_full
from syncline.cli.show.previewing import live, sentences
from syncline.cli.show.previewing.rows import Row, noise_counts, rows
from syncline.model.finding import Severity
from syncline.model.preview import EffectKind, Preview, Timeline

_ROWS = 40
_LOUD = (EffectKind.DANGER, EffectKind.DENIED, EffectKind.ENDPOINTS, EffectKind.DRIFT)
_LEFT_OUT = 5


def screen(found: Preview, seconds: float, *, verbose: bool = False) -> str:
    """Return what people read."""
    return "\n".join(_lines(sentences.joined_findings(found), seconds, verbose=verbose))


def _lines(found: Preview, seconds: float, *, verbose: bool) -> Iterator[str]:
    yield f"{sentences.counts(found)} · {seconds:.1f} s"
    yield terminal.style(f"{found.base} → {found.head}", "dim")
    yield from _effects(found, verbose=verbose)
    listed = rows(found, noise=verbose)
    yield from _table(listed if verbose else listed[:_ROWS])
    if len(listed) > _ROWS and not verbose:
        yield f"{len(listed) - _ROWS} more rows: -v"
    if not verbose and (noise := noise_counts(found)):
        yield terminal.style("not shown: " + ", ".join(f"{count} × {why}" for why, count in noise) + " (-v)", "dim")
    yield from _live(found, verbose=verbose)
    yield from _timelines(found.timelines, verbose=verbose)
    yield from _findings(found, verbose=verbose)
    yield from _not_looked(found, verbose=verbose)
    if verbose:
        yield from (f"note: {one}" for one in found.notes)


def _effects(found: Preview, *, verbose: bool) -> Iterator[str]:
    for kind in EffectKind:
        listed = found.of(kind)
        if not listed:
            continue
        label = f"{sentences.LABELS[kind]:<8}{len(listed):>2}"
        shown = terminal.style(label, "red" if kind in _LOUD else "bold")
        if not verbose and kind is not EffectKind.NOTE:
            yield f"{shown}  {sentences.summary(kind, listed)}"
            continue
        for one in listed:
            apps = "" if len(one.apps) == 1 and one.apps[0] in one.text else f" [{', '.join(one.apps)}]"
            where = f"  {one.place}" if one.place is not None and one.place.file else ""
            yield f"{shown}  {one.text}{apps}{where}"


def _table(listed: Sequence[Row]) -> Iterator[str]:
    apps = max((len(row.app_words) for row in listed), default=0)
    objects = max((len(row.object_words) for row in listed), default=0)
    for row in listed:
        place = f"  {terminal.style(row.place_words, 'cyan')}" if row.place_words else ""
        head = f"{_mark(row.mark)} {row.app_words:<{apps}}"
        named = f"  {row.object_words:<{objects}}" if objects else ""
        yield f"{head}{named}  {_said(row)}{place}".rstrip()


def _live(found: Preview, *, verbose: bool) -> Iterator[str]:
    """Yield what is live beside the change: in numbers, then drift, then what a sync does after the merge."""
    if found.live is None:
        return
    yield live.headline(found)
    listed = live.rows(found.live)
    widths = [max((len(row[column]) for row in listed), default=0) for column in range(3)]
    for row in listed if verbose else listed[:_ROWS]:
        head = "  ".join(f"{row[column]:<{widths[column]}}" for column in range(3))
        before, after = terminal.style(row.before, "red"), terminal.style(row.after, "green")
        said = f"{row.path}  {before} → {after}  " if row.path else ""
        yield f"{head}  {said}{terminal.style(row.text, 'dim') if row.path else row.text}".rstrip()
    if len(listed) > _ROWS and not verbose:
        yield f"{len(listed) - _ROWS} more rows: -v"
    yield from (f"not compared: {one}" for one in live.left_out(found.live))


def _mark(mark: str) -> str:
    colour = {"+": "green", "−": "red"}.get(mark, "yellow")
    return terminal.style(mark, colour)


def _said(row: Row) -> str:
    if not row.path:
        return row.text
    before = "absent" if row.before is None else row.before
    after = "absent" if row.after is None else row.after
    said = f"{row.path}  {terminal.style(before, 'red')} → {terminal.style(after, 'green')}"
    return f"{said}  {row.text}" if row.text else said


def _timelines(found: Sequence[Timeline], *, verbose: bool) -> Iterator[str]:
    for one in found if verbose else found[:3]:
        steps = (
            f"{step.phase}{f' {step.wave}' if step.wave or step.phase == 'Sync' else ''}: "
            f"{', '.join(step.objects[:3])}{f' and {len(step.objects) - 3} more' if len(step.objects) > 3 else ''}"
            for step in one.steps
        )
        yield f"waves of {one.app}  " + " → ".join(steps)
    if len(found) > 3 and not verbose:
        yield f"waves of {len(found) - 3} more apps: -v"


def _findings(found: Preview, *, verbose: bool) -> Iterator[str]:
    if words := sentences.findings_words(found):
        yield f"findings: {words}"
    for group in groups(found.new):
        if group[0].severity is Severity.ERROR or verbose:
            yield from in_full(group, found.files, verbose=verbose)
        elif group[0].severity is Severity.WARNING:
            yield from (f"{one.severity.value} {one.code} {one.name}: {one.message}" for one in group)


def _not_looked(found: Preview, *, verbose: bool) -> Iterator[str]:
    listed = found.not_looked if verbose else found.not_looked[:_LEFT_OUT]
    if listed:
        yield f"not checked: {sum(one.count for one in found.not_looked)}"
    for one in listed:
        times = f" (×{one.count})" if one.count > 1 else ""
        yield f"  {one.what}{times}" + (f": {one.remedy}" if one.remedy else "")
    if len(found.not_looked) > len(listed):
        yield f"  and {len(found.not_looked) - len(listed)} more: -v"
