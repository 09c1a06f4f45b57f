"""Puts causes before effects, and says the same thing once.

Called by `syncline.core.diagnose.explain` with what the rules found about one app. A finding is an effect where its
rule says so, where its object needs another one that has a finding, and where it tells that something is not applied
while another finding tells why the sync fails. Effects stay, below all causes and without a fix: it is their cause that
is to be repaired.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, key_of
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import Tells
from syncline.core.diagnose.subjects import App
from syncline.core.references import read
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.core.diagnose.graph.upstream import Upstream

Roles = Mapping[str, Tells]
"""What the findings of a rule tell, by its code."""


def arranged(
    app: App, findings: Sequence[Finding], roles: Roles, above: Sequence[Upstream] = ()
) -> tuple[Finding, ...]:
    """Return the findings with equal ones joined, those that say less left out, and effects marked and last.

    `above` are causes behind the app: they come first, and what follows from them is an effect.
    """
    outside = [one.finding for one in above]
    name = key_of(app.assessment.snapshot.app).short
    own = (_followed(name, one, above, roles) for one in _without_repetition(findings, roles))
    kept = [*outside, *_joined(own)]
    marked = [one if one in outside else _marked(app, one, kept, roles) for one in kept]
    return tuple(sorted(_joined(marked), key=lambda one: bool(one.effect_of)))


def _followed(app: str, finding: Finding, above: Sequence[Upstream], roles: Roles) -> Finding:
    """Return a finding with the cause behind the app that it follows from, if any."""
    about, tells = subjects(finding), roles[finding.code]
    cause = next((one for one in above if one.explains(app, about, finding.code, tells)), None)
    return finding if cause is None else _effect(finding, cause.finding.subject)


def _joined(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, those that say the same of several objects, and have the same fix, as one."""
    same: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        shape = finding.message.replace(finding.subject, "…")
        fix = msgspec.json.encode((finding.fix, finding.options)).decode().replace(finding.subject, "…")
        same.setdefault((finding.code, shape, fix, finding.effect_of), []).append(finding)
    return [group[0] if len(group) == 1 else _as_one(group) for group in same.values()]


def _as_one(group: list[Finding]) -> Finding:
    first = group[0]
    named = listed([finding.subject for finding in group])
    return msgspec.structs.replace(
        first,
        subject=named,
        message=first.message.replace(f"{first.subject} is ", f"{named} are ").replace(first.subject, named),
        evidence=tuple(dict.fromkeys(one for finding in group for one in finding.evidence)),
        count=sum(finding.count for finding in group),
    )


def _about(findings: Iterable[Finding]) -> set[str]:
    """Return the objects that findings are about."""
    return {name for finding in findings for name in subjects(finding)}


def subjects(finding: Finding) -> list[str]:
    """Return the objects that a finding is about."""
    return finding.subject.replace(" and ", ", ").split(", ")


def _without_repetition(findings: Sequence[Finding], roles: Roles) -> list[Finding]:
    """Leave out what another finding about the same object says better: that it waits, differs or is not synced."""
    causes = _about(one for one in findings if roles[one.code] in (Tells.CAUSE, Tells.REFUSAL))
    rewritten = any(roles[one.code] is Tells.REWRITTEN for one in findings)
    written = _about(one for one in findings if roles[one.code] is Tells.REWRITTEN)
    return [
        one
        for one in findings
        if not (roles[one.code] is Tells.WAIT and one.subject in causes)
        and not (roles[one.code] is Tells.DRIFT and one.subject in causes | written)
        and not (roles[one.code] is Tells.IDLE and rewritten)
    ]


def _marked(app: App, finding: Finding, findings: list[Finding], roles: Roles) -> Finding:
    """Return a finding with what it follows from, if anything."""
    if finding.effect_of:
        # Nothing is said of what it follows from, so it is the cause that is known.
        return finding if finding.effect_of in _about(findings) else msgspec.structs.replace(finding, effect_of="")
    role = roles[finding.code]
    refusal = next((one for one in findings if roles[one.code] is Tells.REFUSAL), None)
    # What is repaired elsewhere brings no new commit, so that a sync has to be asked for stays to be said.
    if refusal is not None and (role is Tells.DRIFT or (role is Tells.FAILED_BEFORE and not refusal.effect_of)):
        return _effect(finding, refusal.effect_of or refusal.subject)
    if role is not Tells.STATE:
        return finding
    others = (one for one in findings if roles[one.code] is not Tells.STATE or one.severity is Severity.ERROR)
    cause = _upstream(app, finding.subject, _about(others) - {finding.subject})
    return _effect(finding, cause) if cause else finding


def _effect(finding: Finding, cause: str) -> Finding:
    return msgspec.structs.replace(finding, effect_of=cause, fix=None, options=())


def _upstream(app: App, subject: str, bad: Collection[str]) -> str:
    """Return what an object needs, directly or not, and that is bad itself; empty where nothing is."""
    objects = {key.short: obj for key, obj in app.assessment.live.items()}
    seen, queue = {subject}, [subject]
    while queue:
        obj = objects.get(queue.pop(0))
        for name in _needs(app, obj) if obj is not None else ():
            if name in bad:
                return name
            if name not in seen:
                seen.add(name)
                queue.append(name)
    return ""


def _needs(app: App, obj: Object) -> Iterator[str]:
    """Yield what an object names and does not make, what owns it, and what makes it."""
    key = key_of(obj)
    yield from (one.key.short for one in read.references(obj) if not one.makes)
    yield from (f"{one.get('kind')}/{one.get('name')}" for one in meta.owner_references(obj))
    for other, made in app.assessment.live.items():
        if any(one.makes and one.key == key for one in read.references(made)):
            yield other.short
