"""Joins what several places of one cause say: its words once, with the lines and edits of all of them.

Called by `syncline.core.diagnose.graph.diagnose` for causes that more than one thing shows in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from syncline.model.finding import EvidenceKind, Finding, Fix


def with_places(first: Finding, others: Sequence[Finding]) -> Finding:
    """Return the first finding with the lines in Git of the others, and with their edits where all have some."""
    known = {one.place for one in first.evidence}
    lines = []
    for one in (piece for finding in others for piece in finding.evidence):
        if one.kind is EvidenceKind.FILE and one.place is not None and one.place not in known:
            known.add(one.place)
            lines.append(one)
    return msgspec.structs.replace(first, evidence=(*first.evidence, *lines), fix=_fix(first, others))


def _fix(first: Finding, others: Sequence[Finding]) -> Fix | None:
    """Return one fix for all places: every edit, and in words what else has to be done where no edit is certain."""
    fixes = [one.fix for one in (first, *others) if one.fix is not None]
    edits = tuple(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
    if first.fix is None or not edits or (len(fixes) > 1 and any(fix.command for fix in fixes)):
        return first.fix
    rest = dict.fromkeys(fix.text for fix in fixes if fix.text and not fix.edits)
    own = [first.fix.text] if first.fix.edits and first.fix.text else []
    return Fix(text="; ".join([*own, *rest]), edits=edits, command=first.fix.command)
