"""The screen of `syncline check`: counts first, then findings with the lines they point at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from syncline.cli.show import frames, terminal
from syncline.cli.show.frames import place_of
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.model.errors import Place

_ALSO = 4
_LEFT_OUT = 5
_WIDE = 100
_TITLE = 70
_MANY = 25
_FIRST = 5
_NOTHING_READ = (
    "nothing to check: there is no Application or ApplicationSet here; name the repository that has them, "
    "or render a folder with syncline render"
)
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def screen(found: Checked, seconds: float, *, verbose: bool, offer: str = "") -> str:
    """Return what people read: errors in full, warnings and remarks folded unless they are asked for.

    Where there is very much to say, the few findings that concern most come first and alone; `offer` is the command
    that puts the others aside.
    """
    return "\n".join(_lines(found, seconds, verbose=verbose, offer=offer))


def _lines(found: Checked, seconds: float, *, verbose: bool, offer: str) -> Iterator[str]:
    yield counts(found, seconds)
    yield verdict(found, verbose=verbose)
    listed = groups(found.findings)
    serious = [group for group in listed if group[0].severity is not Severity.INFO]
    if offer and not verbose and sum(map(len, serious)) > _MANY:
        yield from _first_run(serious, found.files, offer)
    else:
        yield from _in_order(listed, found.files, verbose=verbose)
    yield from (f"comment: {one}" for one in found.problems)
    yield from _left_out(found, verbose=verbose)
    if found.not_validated:
        yield f"not validated: {_many(found.not_validated, 'object')} of custom kinds without a known schema"
    if found.bootstrap and found.rendered:
        yield f"bootstrap: {found.bootstrap}"
    if verbose:
        yield from (f"note: {one}" for one in found.notes)


def _in_order(listed: list[list[Finding]], files: Mapping[str, bytes], *, verbose: bool) -> Iterator[str]:
    for severity in Severity:
        for group in listed:
            if group[0].severity is severity:
                if severity is Severity.ERROR or verbose:
                    yield from in_full(group, files, verbose=verbose)
                else:
                    yield _folded(group)


def _first_run(listed: list[list[Finding]], files: Mapping[str, bytes], offer: str) -> Iterator[str]:
    """Yield the findings that concern most, and the offer to put the rest aside."""
    ranked = sorted(listed, key=lambda group: (-_concerned(group), group[0].severity is not Severity.ERROR))
    yield f"the {min(_FIRST, len(ranked))} that concern most (all: -v):"
    for group in ranked[:_FIRST]:
        yield from in_full(group, files, verbose=False)
    yield f"to begin with new findings only: {offer}"


def _concerned(group: Sequence[Finding]) -> int:
    return sum(one.count for one in group)


def counts(found: Checked, seconds: float) -> str:
    """Return what was looked at, in numbers."""
    apps = _many(found.apps, "app")
    where = f"{_many(found.sets, 'ApplicationSet')}, {_many(found.roots, 'root')}"
    missing = found.apps - found.rendered
    rendered = f"{found.rendered} rendered" + (f", {missing} not" if missing else "")
    return f"{apps} ({where}) · {_many(found.objects, 'object')} · {rendered} · {seconds:.1f} s"


def verdict(found: Checked, *, verbose: bool) -> str:
    """Return how many findings there are, how bad, and how many are not shown because somebody said so."""
    from syncline.api.fixing import is_safe

    aside = [f"{found.silenced} silenced"] if found.silenced else []
    aside += [f"{found.known} in the baseline"] if found.known else []
    if not (found.findings or found.apps or found.sets or found.left_out):
        return " · ".join([_NOTHING_READ, *aside])
    if not found.findings:
        nothing = "nothing found" + (", but not everything could be checked" if found.left_out else "")
        return " · ".join([nothing, *aside])
    parts = [_many(len(found.of(Severity.ERROR)), "error")]
    fold = "" if verbose else " (folded, -v)"
    if warnings := found.of(Severity.WARNING):
        parts.append(_many(len(warnings), "warning") + fold)
    if remarks := found.of(Severity.INFO):
        parts.append(_many(len(remarks), "remark") + fold)
    if fixable := len([one for one in found.findings if is_safe(one)]):
        parts.append(f"{fixable} fixable with --fix")
    return " · ".join([*parts, *aside])


def groups(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return findings of one rule together, each severity for itself."""
    found: dict[tuple[str, Severity], list[Finding]] = defaultdict(list)
    for one in findings:
        found[one.code, one.severity].append(one)
    return list(found.values())


def in_full(group: Sequence[Finding], files: Mapping[str, bytes], *, verbose: bool) -> Iterator[str]:
    """Yield findings of one rule: the first with the line it points at and what to do, others in a line each."""
    yield _title(group)
    for one in group if verbose else group[:1]:
        yield from _one(one, files)
    if verbose:
        return
    for one in group[1 : 1 + _ALSO]:
        place = place_of(one)
        yield f"  also  {f'{place}  ' if place is not None else ''}{one.message}"
    if len(group) > 1 + _ALSO:
        yield f"  {len(group) - 1 - _ALSO} more: -v"


def _one(one: Finding, files: Mapping[str, bytes]) -> Iterator[str]:
    yield f"  {one.message}"
    place = place_of(one)
    if place is not None:
        yield from _frame(one, place, files)
    yield from (f"  fix   {text}" for text in _fix(one))


def _title(group: Sequence[Finding]) -> str:
    first = group[0]
    head = f"{terminal.style(first.severity.value, _COLOURS[first.severity])} {first.code} {first.name}"
    count = _concerned(group)
    places = len({place.file for one in group if (place := place_of(one)) is not None})
    if count == 1:
        return head
    where = f" in {_many(places, 'file')}" if places > 1 else ""
    return f"{head:<{_TITLE}}  {count} times{where}"


def _folded(group: Sequence[Finding]) -> str:
    place = place_of(group[0])
    where = f"{place}  " if place else ""
    return f"{_title(group)}\n  {where}{group[0].message}"


def _fix(one: Finding) -> Iterator[str]:
    from syncline.api.fixing import is_safe

    if one.fix is None:
        return
    safe = " (safe, --fix)" if is_safe(one) else ""
    if one.fix.text:
        yield f"{one.fix.text}{safe}"
    else:
        yield from (f"{edit}{safe}" for edit in one.fix.edits)
    if one.fix.command:
        yield one.fix.command


def _frame(one: Finding, place: Place, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the line that a finding names, as it stands in its file."""
    yield f"  {place}"
    for number, line in frames.lines(one, files):
        text = line.rstrip()[:_WIDE]
        start = len(text) - len(text.lstrip())
        yield f"{number:>5} │ {text}"
        yield f"{'':>5} │ {'':>{start}}{'^' * (len(text) - start)}"


def _left_out(found: Checked, *, verbose: bool) -> Iterator[str]:
    if not found.left_out:
        return
    count = sum(one.count for one in found.left_out)
    yield f"not checked: {count}"
    shown = found.left_out if verbose else found.left_out[:_LEFT_OUT]
    for one in shown:
        times = f" (×{one.count})" if one.count > 1 else ""
        yield f"  {one.what}{times}" + (f": {one.remedy}" if one.remedy else "")
    if len(found.left_out) > len(shown):
        yield f"  and {len(found.left_out) - len(shown)} more: -v"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def as_json(found: Checked) -> str:
    """Return everything for programs."""
    import msgspec

    value = msgspec.to_builtins(msgspec.structs.replace(found, files={}))
    value.pop("files", None)
    return msgspec.json.format(msgspec.json.encode({"schemaVersion": 1, **value}), indent=2).decode()
