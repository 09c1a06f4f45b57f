"""A diagnosis as it is published: short, bounded, without secrets, and the same text for as long as nothing changes.

Called by `syncline.controller.diagnosis` with the diagnosis, and with what is published already: a cause keeps when it
was first seen, and its words while only numbers in them change (restarts, ages), so that nothing is written for those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.finding import EvidenceKind, Finding, Fix
from syncline.model.published import PublishedCause, PublishedStatus

LARGEST = 64 * 1024
"""Bytes that a status takes at most; an object may have 1.5 MiB, and everybody who lists it reads it."""
CAUSES = 50
APPLICATIONS = 100
_EVIDENCE = 3
_UNREAD = 20
_LONGEST = 400
_DIGITS = re.compile(r"\d+")


def published(found: Diagnosis, before: PublishedStatus, now: str) -> PublishedStatus:
    """Return what to publish: `before` itself where it says the same already."""
    known = {one.id: one for one in before.causes}
    causes = [_cause(one, known.get(one.id), now) for one in found.causes[:CAUSES]]
    status = PublishedStatus(
        applications=found.total,
        ok=found.good,
        states=dict(sorted(found.counts.items())),
        found=len(found.causes),
        causes=tuple(causes),
        unexplained=sum(one.count for one in found.unexplained),
        unread=_unread(found.unread),
        changed_at=before.changed_at,
    )
    status = _within_bounds(status, found)
    return before if status == before else msgspec.structs.replace(status, changed_at=now)


def _within_bounds(status: PublishedStatus, found: Diagnosis) -> PublishedStatus:
    """Return a status that fits: the last causes are left out first, and counted."""
    causes = status.causes
    while True:
        listed = {one.id for one in causes}
        steps = [one for one in found.repairs if one.cause in listed]
        fitting = msgspec.structs.replace(
            status,
            causes=causes,
            omitted=len(found.causes) - len(causes),
            repair_order=tuple(one.cause for one in steps),
            ok_after=tuple(one.good_after for one in steps),
        )
        if not causes or len(msgspec.json.encode(fitting)) <= LARGEST:
            return fitting
        causes = causes[: len(causes) * 3 // 4]


def _cause(cause: RootCause, before: PublishedCause | None, now: str) -> PublishedCause:
    finding, thing = cause.finding, cause.thing
    made = PublishedCause(
        id=cause.id,
        code=finding.code,
        name=finding.name,
        message=_short(finding.message),
        object=str(thing.key) if thing.key is not None else f"{thing.outside} {thing.name}",
        cluster=thing.cluster,
        affected=len(cause.affected),
        applications=cause.affected[:APPLICATIONS],
        confidence=finding.confidence.value,
        evidence=_evidence(finding),
        fix=_short(_fix(finding.fix)) if finding.fix is not None else "",
        since=finding.since,
        first_seen=before.first_seen if before is not None else now,
    )
    if before is None or (_shape(made) != _shape(before)):
        return made
    kept = {name: getattr(before, name) for name in ("message", "evidence", "fix", "since")}
    return msgspec.structs.replace(made, **kept)


def _evidence(finding: Finding) -> tuple[str, ...]:
    """Return what was seen, without lines of logs: whoever may read this may not be one who may read those."""
    told: Iterable[str] = (
        f"{one.place}  {one.text}".rstrip() if one.place is not None else one.text
        for one in finding.evidence
        if one.kind not in (EvidenceKind.LOG, EvidenceKind.COMMAND) and one.text not in finding.message
    )
    return tuple(dict.fromkeys(_short(one) for one in told if one))[:_EVIDENCE]


def _fix(fix: Fix) -> str:
    parts = ["; ".join(str(edit) for edit in fix.edits), fix.command, fix.text]
    return " · ".join(part for part in parts if part)


def _shape(cause: PublishedCause) -> tuple[str, ...]:
    """Return the words of a cause without their numbers."""
    return tuple(_DIGITS.sub("0", text) for text in (cause.message, *cause.evidence, cause.fix))


def _short(text: str) -> str:
    clean = without_secrets(" ".join(text.split()))
    return clean if len(clean) <= _LONGEST else f"{clean[: _LONGEST - 1]}…"


def _unread(found: tuple[str, ...]) -> tuple[str, ...]:
    more = len(found) - _UNREAD
    return (*found[:_UNREAD], f"{more:,} more") if more > 0 else found
