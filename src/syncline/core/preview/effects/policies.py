"""New findings that say what becomes of a sync: what a project denies, and differences that no sync removes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.core.diagnose.rules.applications import not_permitted
from syncline.model.errors import Place
from syncline.model.finding import Finding, Severity
from syncline.model.preview import Effect, EffectKind

_NEVER_EQUAL = "DIF-"


def effects(new: Sequence[Finding]) -> Iterator[Effect]:
    """Yield one consequence per thing that is said; what is said of several apps is one."""
    together: dict[tuple[EffectKind, str, Place | None], list[Finding]] = {}
    for one in new:
        kind = _kind(one)
        if kind is not None:
            place = next((evidence.place for evidence in one.evidence if evidence.place is not None), None)
            said = one.message.removeprefix(f"{one.subject}: ")
            together.setdefault((kind, said, place), []).append(one)
    for (kind, said, place), found in together.items():
        text = said if len(found) > 1 else found[0].message
        yield Effect(kind=kind, short=text, text=text, apps=tuple(one.subject for one in found), place=place)


def _kind(one: Finding) -> EffectKind | None:
    if one.code == not_permitted.RULE.code:
        return EffectKind.DENIED
    if one.code.startswith(_NEVER_EQUAL) and one.severity is not Severity.INFO:
        return EffectKind.DRIFT
    return None
