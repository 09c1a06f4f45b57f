"""The screen of `syncline check`: counts first, then findings with the lines they point at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.model.errors import Place

_PLACES = 1
_LEFT_OUT = 5
_WIDE = 100


def screen(found: Checked, seconds: float, *, verbose: bool) -> str:
    """Return what people read: errors in full, warnings and remarks folded unless they are asked for."""
    return "\n".join(_lines(found, seconds, verbose=verbose))


def _lines(found: Checked, seconds: float, *, verbose: bool) -> Iterator[str]:
    yield _counts(found, seconds)
    yield _verdict(found, verbose=verbose)
    groups = _groups(found.findings)
    for severity in Severity:
        for group in groups:
            if group[0].severity is severity:
                if severity is Severity.ERROR or verbose:
                    yield from in_full(group, found.files, verbose=verbose)
                else:
                    yield _folded(group)
    yield from _left_out(found, verbose=verbose)
    if verbose:
        yield from (f"note: {one}" for one in found.notes)


def _counts(found: Checked, seconds: float) -> str:
    apps = _many(found.apps, "app")
    where = f"{_many(found.sets, 'ApplicationSet')}, {_many(found.roots, 'root')}"
    missing = found.apps - found.rendered
    rendered = f"{found.rendered} rendered" + (f", {missing} not" if missing else "")
    return f"{apps} ({where}) · {_many(found.objects, 'object')} · {rendered} · {seconds:.1f} s"


def _verdict(found: Checked, *, verbose: bool) -> str:
    if not found.findings:
        return "nothing found" + (", but not everything could be looked at" if found.left_out else "")
    parts = [_many(len(found.of(Severity.ERROR)), "error")]
    fold = "" if verbose else " (folded, -v)"
    if warnings := found.of(Severity.WARNING):
        parts.append(_many(len(warnings), "warning") + fold)
    if remarks := found.of(Severity.INFO):
        parts.append(_many(len(remarks), "remark") + fold)
    return " · ".join(parts)


def _groups(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return findings of one cause together: the same rule, and the same fix or message."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for one in findings:
        groups[one.code, _cause(one)].append(one)
    return list(groups.values())


def _cause(one: Finding) -> str:
    place = _place(one)
    return f"{place}" if place is not None and place.line else one.message


def in_full(group: Sequence[Finding], files: Mapping[str, bytes], *, verbose: bool) -> Iterator[str]:
    """Yield findings of one cause with the lines they point at, and what to do."""
    first = group[0]
    yield _title(group)
    yield f"  {first.message}"
    shown = group if verbose else group[:_PLACES]
    for place in dict.fromkeys(filter(None, map(_place, shown))):
        yield from _frame(place, files)
    if first.fix is not None:
        yield from (f"  fix   {text}" for text in _fix(first))
    if len(group) > len(shown):
        yield f"  {len(group) - len(shown)} more: -v"


def _title(group: Sequence[Finding]) -> str:
    first = group[0]
    head = f"{first.severity.value} {first.code} {first.name}"
    count = sum(one.count for one in group)
    return f"{head:<70}  {count} times" if count > 1 else head


def _folded(group: Sequence[Finding]) -> str:
    place = _place(group[0])
    where = f"{place}  " if place else ""
    return f"{_title(group)}\n  {where}{group[0].message}"


def _fix(one: Finding) -> Iterator[str]:
    if one.fix is None:
        return
    yield from map(str, one.fix.edits)
    if one.fix.text:
        yield one.fix.text
    if one.fix.command:
        yield one.fix.command


def _place(one: Finding) -> Place | None:
    return next((evidence.place for evidence in one.evidence if evidence.place is not None), None)


def _frame(place: Place, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the line that a place names, as it stands in its file."""
    yield f"  {place}"
    lines = files.get(place.file, b"").decode(errors="replace").splitlines()
    if 0 < place.line <= len(lines):
        text = lines[place.line - 1].rstrip()[:_WIDE]
        start = len(text) - len(text.lstrip())
        number = f"{place.line:>5}"
        yield f"{number} │ {text}"
        yield f"{'':>5} │ {'':>{start}}{'^' * (len(text) - start)}"


def _left_out(found: Checked, *, verbose: bool) -> Iterator[str]:
    if not found.left_out:
        return
    count = sum(one.count for one in found.left_out)
    yield f"not looked at: {count}"
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
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
