"""Sums up what was recorded beside a living Argo CD: how long verdicts agreed, and every disagreement with its reason.

Called by `syncline shadow report` with the records of one or more files, in the order of time. A difference that lasts
less than `settle` is timing: each of the two looks at its own time. A sync that Argo CD began for a revision that
nobody here had seen yet is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from syncline.apimachinery import times
from syncline.model.decision import DecisionKind
from syncline.model.reason import Reason
from syncline.model.shadow import BEGAN, Mark, Record, Refusals, RefusedObject, Seen, TheirMove, Unwatched

SETTLE = 300.0
"""Seconds after which a difference is more than timing."""
_RUNNING = frozenset({"Running", "Terminating", "Pending"})


class Disagreement(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One way in which both differed about one Application: how often, how long in all, and whether still."""

    app: str
    about: str
    """`verdict` or `decision`."""
    here: str
    argo_cd: str
    why: tuple[str, ...] = ()
    times: int = 1
    seconds: float = 0.0
    first: str = ""
    last: str = ""
    still: bool = False


class ShadowReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Verdicts and decisions of both over the time that was watched."""

    schema_version: int = 1
    since: str = ""
    until: str = ""
    watched_seconds: float = 0.0
    apps: int = 0
    equal_now: int = 0
    equal_share: float = 1.0
    """Of the time that Applications were watched, how much both said the same."""
    timing: int = 0
    """Differences that were over within the time that each needs to look."""
    syncs: int = 0
    """Syncs that Argo CD began without being asked, of Applications that were watched."""
    syncs_agreed: int = 0
    syncs_not_judged: int = 0
    disagreements: tuple[Disagreement, ...] = ()
    refused: tuple[RefusedObject, ...] = ()
    """Sets and Secrets that would be refused after a move, as recorded last."""


def report(records: Iterable[Record], settle: float = SETTLE) -> ShadowReport:
    """Return what the records amount to."""
    summing = _Summing(settle)
    for record in records:
        summing.take(record)
    return summing.result()


class _Difference:
    """A difference that is open: since when, and what it says."""

    def __init__(self, since: datetime, said: Disagreement) -> None:
        self.since = since
        self.said = said


class _Summing:
    """All records so far."""

    def __init__(self, settle: float) -> None:
        self._settle = settle
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._watching = False
        self._watched = 0.0
        self._seen: dict[str, Seen] = {}
        self._open: dict[tuple[str, str], _Difference] = {}
        self._found: dict[tuple[str, str, str, str, tuple[str, ...]], Disagreement] = {}
        self._names: set[str] = set()
        self._app_seconds = 0.0
        self._equal_seconds = 0.0
        self._timing = 0
        self._syncs = self._agreed = self._not_judged = 0
        self._refused: tuple[RefusedObject, ...] = ()

    def take(self, record: Record) -> None:
        """Take one record in; time that nobody watched counts for nothing."""
        now = times.parse(record.time)
        if isinstance(record, Mark) and record.what == BEGAN:
            # Whoever watched before may have been killed: what it saw ends with its last line.
            self._end(self._last or now)
            self._watching = False
        self._pass(now)
        match record:
            case Mark(what="began"):
                self._watching = True
            case Mark(what="ended"):
                self._end(now)
                self._watching = False
            case Mark():
                pass
            case Refusals():
                self._refused = record.objects
            case Unwatched():
                self._seen.pop(record.app, None)
                for about in ("verdict", "decision"):
                    self._close(record.app, about, now)
            case Seen():
                self._watching = True
                self._look(record, now)

    def _pass(self, now: datetime) -> None:
        """Count the time since the last record."""
        self._first = self._first or now
        if self._watching and self._last is not None:
            passed = max((now - self._last).total_seconds(), 0.0)
            self._watched += passed
            self._app_seconds += passed * len(self._seen)
            self._equal_seconds += passed * sum(one.equal for one in self._seen.values())
        self._last = max(now, self._last or now)

    def _end(self, now: datetime) -> None:
        """End all differences where watching does: whether they lasted nobody knows."""
        for app, about in list(self._open):
            self._close(app, about, now)
        self._seen.clear()

    def _look(self, seen: Seen, now: datetime) -> None:
        before = self._seen.get(seen.app)
        self._names.add(seen.app)
        if before is not None and _began(before.operation, seen.operation):
            self._judge_sync(before, seen, now)
        self._compare(seen, "verdict", None if seen.equal else _verdict(seen), now)
        self._compare(seen, "decision", _not_synced(seen), now)
        self._seen[seen.app] = seen

    def _judge_sync(self, before: Seen, seen: Seen, now: datetime) -> None:
        """Judge a sync that Argo CD began by itself, by what we would have done just before."""
        operation = seen.operation
        if operation is None or not operation.automated:
            return
        self._syncs += 1
        if before.decision.kind == DecisionKind.START:
            self._agreed += 1
        elif operation.revision and operation.revision != before.ours.revision:
            self._not_judged += 1
        else:
            move = before.decision
            said = Disagreement(
                app=seen.app,
                about="decision",
                here=f"no sync: {move.reason}",
                argo_cd=f"synced {operation.revision[:8] or 'without a revision'}",
                why=(move.detail,) if move.detail else (),
            )
            self._add(said, 0.0, now, now, still=False)

    def _compare(self, seen: Seen, about: str, said: Disagreement | None, now: datetime) -> None:
        """Go on with a difference, or end it and begin another."""
        known = self._open.get((seen.app, about))
        if known is not None and said is not None and _same(known.said, said):
            return
        self._close(seen.app, about, now)
        if said is not None:
            self._open[seen.app, about] = _Difference(now, said)

    def _close(self, app: str, about: str, now: datetime, *, still: bool = False) -> None:
        known = self._open.pop((app, about), None)
        if known is None:
            return
        seconds = max((now - known.since).total_seconds(), 0.0)
        if seconds < self._settle:
            self._timing += 1
        else:
            self._add(known.said, seconds, known.since, now, still=still)

    def _add(self, said: Disagreement, seconds: float, since: datetime, until: datetime, *, still: bool) -> None:
        key = (said.app, said.about, said.here, said.argo_cd, said.why)
        before = self._found.get(key)
        self._found[key] = msgspec.structs.replace(
            said,
            times=1 if before is None else before.times + 1,
            seconds=seconds if before is None else before.seconds + seconds,
            first=times.format_time(since) if before is None else before.first,
            last=times.format_time(until),
            still=still,
        )

    def result(self) -> ShadowReport:
        """Return the sums; what is open lasts until the last record."""
        equal = sum(one.equal for one in self._seen.values())
        if self._last is not None:
            for app, about in list(self._open):
                self._close(app, about, self._last, still=True)
        found = sorted(self._found.values(), key=lambda one: (-one.seconds, one.app, one.about, one.here))
        return ShadowReport(
            since=times.format_time(self._first) if self._first else "",
            until=times.format_time(self._last) if self._last else "",
            watched_seconds=self._watched,
            apps=len(self._names),
            equal_now=equal,
            equal_share=self._equal_seconds / self._app_seconds if self._app_seconds else 1.0,
            timing=self._timing,
            syncs=self._syncs,
            syncs_agreed=self._agreed,
            syncs_not_judged=self._not_judged,
            disagreements=tuple(found),
            refused=self._refused,
        )


def _began(before: TheirMove | None, now: TheirMove | None) -> bool:
    return now is not None and (before is None or before.started_at != now.started_at)


def _same(one: Disagreement, other: Disagreement) -> bool:
    return (one.here, one.argo_cd, one.why) == (other.here, other.argo_cd, other.why)


def _verdict(seen: Seen) -> Disagreement:
    theirs = seen.theirs
    return Disagreement(
        app=seen.app,
        about="verdict",
        here=f"{seen.ours.sync}/{seen.ours.health}",
        argo_cd=f"{theirs.sync or 'nothing'}/{theirs.health or 'nothing'}",
        why=seen.why,
    )


def _not_synced(seen: Seen) -> Disagreement | None:
    """Return the sync that we would begin and Argo CD does not; one that somebody asked for is its own to begin."""
    move, operation = seen.decision, seen.operation
    if move.kind != DecisionKind.START or move.reason == Reason.REQUESTED:
        return None
    if operation is not None and operation.phase in _RUNNING:
        return None
    return Disagreement(
        app=seen.app,
        about="decision",
        here=f"sync {seen.ours.revision[:8]}: {move.reason}",
        argo_cd="no sync" if operation is None else f"no sync after one that ended {operation.phase}",
        why=(move.detail,) if move.detail else (),
    )
