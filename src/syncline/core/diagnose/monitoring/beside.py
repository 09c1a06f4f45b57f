"""Puts what a monitoring system saw beside a diagnosis: the same objects are evidence, the same time is "maybe".

Called by `syncline.core.diagnose.graph.diagnose` last, where alerts or series lie beside a dump. An alert about
something in which nothing else is wrong is a symptom that cannot be explained; none ever becomes a cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from syncline.core.diagnose.graph.view.cluster import moment
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.monitoring.alerts import Alert, firing
from syncline.core.diagnose.monitoring.labels import things
from syncline.core.diagnose.monitoring.series import Jump, jump
from syncline.core.diagnose.rules.live import unexplained
from syncline.model.diagnosis import Diagnosis, RootCause, Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding

Reached = Mapping[str, frozenset[Thing]]
"""What is bad because of each cause, by its id."""
_SAME_TIME = timedelta(minutes=5)
_EACH = 3
_MAYBE = "maybe, at the same time only: "


class _Notes:
    """What is to be said beside each cause, and what nothing explains."""

    def __init__(self) -> None:
        self.sure: dict[str, list[Evidence]] = {}
        self.maybe: dict[str, list[Evidence]] = {}
        self.open: list[Finding] = []
        self.alerted: dict[Thing, None] = {}


def with_monitoring(found: Diagnosis, fleet: FleetIndex, reached: Reached, symptoms: frozenset[Thing]) -> Diagnosis:
    """Return a diagnosis with alerts and series beside it; the same one where there are none."""
    snapshot = fleet.snapshot
    if not snapshot.alerts and not snapshot.series:
        return found
    notes = _Notes()
    for alert in firing(snapshot.alerts, moment(snapshot.as_of)):
        _place_alert(alert, found, fleet, reached, notes)
    jumps = sorted((one for one in map(jump, snapshot.series) if one is not None), key=lambda one: (one.at, str(one)))
    for one in jumps:
        _place_jump(one, found, fleet, reached, notes)
    # With Applications those are counted, and an alert is about something below one.
    fresh = 0 if fleet.apps else len([thing for thing in notes.alerted if thing not in symptoms])
    return msgspec.structs.replace(
        found,
        good=max(found.good - fresh, 0),
        counts={**found.counts, "alerting": fresh} if fresh else found.counts,
        causes=tuple(_noted(cause, notes) for cause in found.causes),
        unexplained=(*found.unexplained, *notes.open),
    )


def _place_alert(alert: Alert, found: Diagnosis, fleet: FleetIndex, reached: Reached, notes: _Notes) -> None:
    about = things(alert.labels, fleet)
    seen = Evidence(kind=EvidenceKind.ALERT, text=str(alert), time=alert.since)
    hit = [cause.id for cause in found.causes if not reached.get(cause.id, frozenset()).isdisjoint(about)]
    for cause_id in hit:
        notes.sure.setdefault(cause_id, []).append(seen)
    if hit:
        return
    near = _at_the_same_time(found, moment(alert.since))
    if about:
        notes.alerted[about[-1]] = None
        notes.open.append(_unexplained(alert, str(about[0]), near))
    elif near:
        for cause in near:
            notes.maybe.setdefault(cause.id, []).append(_maybe(seen))
    else:
        notes.open.append(_unexplained(alert, "", []))


def _place_jump(one: Jump, found: Diagnosis, fleet: FleetIndex, reached: Reached, notes: _Notes) -> None:
    about = things(one.labels, fleet)
    seen = Evidence(kind=EvidenceKind.METRIC, text=str(one), time=f"{one.at:%Y-%m-%dT%H:%M:%SZ}")
    hit = [cause.id for cause in found.causes if not reached.get(cause.id, frozenset()).isdisjoint(about)]
    for cause_id in hit:
        notes.sure.setdefault(cause_id, []).append(seen)
    if not hit:
        for cause in _at_the_same_time(found, one.at):
            notes.maybe.setdefault(cause.id, []).append(_maybe(seen))


def _at_the_same_time(found: Diagnosis, when: datetime | None) -> list[RootCause]:
    if when is None:
        return []
    began = [(cause, moment(cause.finding.since)) for cause in found.causes]
    return [cause for cause, since in began if since is not None and abs(since - when) <= _SAME_TIME]


def _maybe(evidence: Evidence) -> Evidence:
    return msgspec.structs.replace(evidence, text=f"{_MAYBE}{evidence.text}")


def _noted(cause: RootCause, notes: _Notes) -> RootCause:
    told = {one.text for one in cause.finding.evidence}
    sure = [one for one in notes.sure.get(cause.id, ()) if one.text not in told]
    more = (*sure[:_EACH], *notes.maybe.get(cause.id, ())[:1])
    if not more:
        return cause
    finding = msgspec.structs.replace(cause.finding, evidence=(*cause.finding.evidence, *more))
    return msgspec.structs.replace(cause, finding=finding)


def _unexplained(alert: Alert, about: str, near: list[RootCause]) -> Finding:
    """Return the finding about an alert that no cause leads to; what began at the same time may have to do with it."""
    told = f"about {about}: nothing that was read explains it" if about else "names nothing that was read"
    maybe = [
        Evidence(kind=EvidenceKind.ALERT, text=f"{_MAYBE}{cause.finding.message}", time=cause.finding.since)
        for cause in near[:_EACH]
    ]
    return unexplained.RULE.finding(
        about or alert.name,
        f"{alert} {told}",
        evidence=[Evidence(kind=EvidenceKind.ALERT, text=str(alert), time=alert.since), *maybe],
        confidence=Confidence.TIME if maybe else Confidence.TEXT,
        since=alert.since,
    )
