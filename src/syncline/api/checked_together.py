"""Puts what was found in several checkouts together: `syncline check PATH…`.

Called by `syncline.cli.checkouts` where the paths are in more than one checkout. Files are named from the folder that
the command runs in, so that every place leads to a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from syncline.api.check import Bootstrap, Checked
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, Finding, Fix, Severity

_RANK = {severity: rank for rank, severity in enumerate(Severity)}
_WORST = ("blocked", "needs", "unknown", "possible")


def together(found: Mapping[str, Checked]) -> Checked:
    """Return what was found in several checkouts, by the names of their folders, as one."""
    each = tuple(found.values())
    findings = [_moved(one, folder) for folder, checked in found.items() for one in checked.findings]
    kinds: Counter[str] = Counter()
    for one in each:
        kinds.update(one.not_validated_kinds)
    said = [f"{folder}: {one.bootstrap}" for folder, one in found.items() if one.bootstrap]
    return Checked(
        findings=tuple(sorted(findings, key=lambda one: _RANK[one.severity])),
        apps=sum(one.apps for one in each),
        rendered=sum(one.rendered for one in each),
        sets=sum(one.sets for one in each),
        roots=sum(one.roots for one in each),
        projects=sum(one.projects for one in each),
        objects=sum(one.objects for one in each),
        left_out=tuple(
            msgspec.structs.replace(left, what=f"{folder}: {left.what}")
            for folder, one in found.items()
            for left in one.left_out
        ),
        notes=_told(found, "notes"),
        files={_below(folder, name): text for folder, one in found.items() for name, text in one.files.items()},
        not_validated=sum(one.not_validated for one in each),
        not_validated_kinds=dict(kinds.most_common()),
        bootstrap="; ".join(said),
        bootstrap_proof=_proof([one.bootstrap_proof for one in each if one.bootstrap_proof is not None]),
        silenced=sum(one.silenced for one in each),
        known=sum(one.known for one in each),
        problems=_told(found, "problems"),
    )


def _told(found: Mapping[str, Checked], field: str) -> tuple[str, ...]:
    return tuple(f"{folder}: {text}" for folder, one in found.items() for text in getattr(one, field))


def _proof(proofs: Sequence[Bootstrap]) -> Bootstrap | None:
    """Return the worst of several."""
    if not proofs:
        return None
    state = min((one.state for one in proofs), key=_WORST.index)
    missing = dict.fromkeys(kind for one in proofs for kind in one.missing)
    return Bootstrap(state, tuple(step for one in proofs for step in one.ring), tuple(missing))


def _moved(one: Finding, folder: str) -> Finding:
    """Return a finding whose places are named from farther up."""
    return msgspec.structs.replace(
        one,
        evidence=tuple(_evidence(item, folder) for item in one.evidence),
        fix=_fix(one.fix, folder) if one.fix is not None else None,
        options=tuple(_fix(item, folder) for item in one.options),
    )


def _evidence(item: Evidence, folder: str) -> Evidence:
    return item if item.place is None else msgspec.structs.replace(item, place=_place(item.place, folder))


def _fix(fix: Fix, folder: str) -> Fix:
    edits: tuple[Edit, ...] = tuple(msgspec.structs.replace(one, place=_place(one.place, folder)) for one in fix.edits)
    return msgspec.structs.replace(fix, edits=edits)


def _place(place: Place, folder: str) -> Place:
    return msgspec.structs.replace(place, file=_below(folder, place.file)) if place.file else place


def _below(folder: str, file: str) -> str:
    return file if folder == "." else f"{folder}/{file}"
