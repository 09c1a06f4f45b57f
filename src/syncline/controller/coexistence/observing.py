"""Compares our verdicts with the ones Argo CD recorded, app by app and object by object.

Fed by `syncline.controller.deliver.reconcile` while it only observes; the report is shown by `syncline up`. A verdict
that differs gets the reason that explains it: another revision, a spec that the other has not compared yet, one object
that is judged differently, or a condition only one of the two has.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from syncline.core.assess import Assessment
from syncline.model.application import Condition, ResourceStatus
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.decision import Decision
from syncline.model.shadow import Opinion, OurMove, Record, Seen, TheirMove, Unwatched


class Compared(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One Application as both see it; `why` is empty where they agree."""

    app: str
    ours: Opinion
    theirs: Opinion
    why: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether both say the same."""
        return (self.ours.sync, self.ours.health) == (self.theirs.sync, self.theirs.health)


class Report(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """How many verdicts equal Argo CD's own, and why the others differ."""

    schema_version: int = 1
    apps: int = 0
    equal: int = 0
    taken_over: int = 0
    differing: tuple[Compared, ...] = ()

    def __str__(self) -> str:
        own = f", {self.taken_over} taken over" if self.taken_over else ""
        lines = [f"{self.equal} of {self.apps} verdicts equal Argo CD's{own}"]
        for item in self.differing:
            lines.append(
                f"  {item.app}: here {item.ours.sync}/{item.ours.health},"
                f" Argo CD {item.theirs.sync or 'nothing'}/{item.theirs.health or 'nothing'}"
            )
            lines += [f"    {reason}" for reason in item.why]
        return "\n".join(lines)


class Observations:
    """Keeps the last comparison of every Application that is only observed.

    `on_record` is told each time that verdict or decision of one of the two changes.
    """

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now
        self._seen: dict[str, Compared] = {}
        self._recorded: dict[str, Seen] = {}
        self._ours: set[str] = set()
        self.on_record: Callable[[Record], None] = _nobody

    def note(self, app: str, assessment: Assessment, decision: Decision) -> None:
        """Take over how an Application looks from here, and what we would do."""
        self._ours.discard(app)
        found = self._seen[app] = compare(app, assessment)
        seen = Seen(
            time="",
            app=app,
            ours=found.ours,
            theirs=found.theirs,
            why=found.why,
            decision=OurMove(decision.kind.value, decision.reason.value, decision.detail),
            operation=_operation(assessment),
        )
        if self._recorded.get(app) != seen:
            self._recorded[app] = seen
            self.on_record(msgspec.structs.replace(seen, time=self._now()))

    def note_taken_over(self, app: str) -> None:
        """Notice that an Application is ours."""
        self._unwatch(app)
        self._ours.add(app)

    def forget(self, app: str) -> None:
        """Drop an Application that is gone."""
        self._unwatch(app)
        self._ours.discard(app)

    def _unwatch(self, app: str) -> None:
        self._seen.pop(app, None)
        if self._recorded.pop(app, None) is not None:
            self.on_record(Unwatched(time=self._now(), app=app))

    def seen(self) -> frozenset[str]:
        """Return the Applications that were looked at."""
        return frozenset(self._seen) | self._ours

    def report(self) -> Report:
        """Return what is known by now."""
        differing = tuple(self._seen[app] for app in sorted(self._seen) if not self._seen[app].equal)
        return Report(
            apps=len(self._seen),
            equal=len(self._seen) - len(differing),
            taken_over=len(self._ours),
            differing=differing,
        )


def _nobody(_record: Record) -> None:
    """Tell nobody."""


def _operation(assessment: Assessment) -> TheirMove | None:
    state = assessment.app.status.operation_state
    if state is None:
        return None
    revisions = state.sync_result.all_revisions if state.sync_result else ()
    by = state.operation.initiated_by
    return TheirMove(state.started_at, state.phase.value, next(iter(revisions), ""), bool(by and by.automated))


def compare(app: str, assessment: Assessment) -> Compared:
    """Return one Application as both see it."""
    status = assessment.app.status
    theirs = Opinion(
        sync=status.sync.status if status.sync else "",
        health=status.health.status if status.health else "",
        revision=status.sync.revision if status.sync else "",
    )
    ours = Opinion(assessment.comparison.verdict.value, assessment.health.status.value, assessment.revision)
    found = Compared(app, ours, theirs)
    return found if found.equal else msgspec.structs.replace(found, why=_why(assessment, found))


def _why(assessment: Assessment, found: Compared) -> tuple[str, ...]:
    status = assessment.app.status
    if not found.theirs.sync:
        return ("Argo CD has not compared it yet",)
    reasons = []
    if found.ours.revision and found.theirs.revision and found.ours.revision != found.theirs.revision:
        reasons.append(
            f"another revision: here {found.ours.revision[:8]}, Argo CD compared {found.theirs.revision[:8]}"
        )
    compared = status.sync.compared_to if status.sync else None
    if compared is not None and compared.source != assessment.app.spec.source:
        reasons.append("Argo CD has not compared the current spec.source yet")
    reasons += [f"only here: {item.type}: {item.message}" for item in _extra(assessment)]
    reasons += [
        f"only Argo CD: {item.type}: {item.message}" for item in status.conditions
        if item.is_error and item.type not in {mine.type for mine in assessment.comparison.conditions}
    ]  # fmt: skip
    reasons += _objects(assessment)
    return tuple(reasons) or ("health is aggregated differently: see docs/reference/differences.md",)


def _extra(assessment: Assessment) -> list[Condition]:
    known = {item.type for item in assessment.app.status.conditions}
    return [item for item in assessment.comparison.conditions if item.is_error and item.type not in known]


def _objects(assessment: Assessment) -> list[str]:
    """Return a sentence for each object that the two judge differently."""
    theirs = {_identity(row): row for row in assessment.app.status.resources}
    sentences = []
    for row in assessment.comparison.rows:
        identity = (row.key.group, row.key.kind, row.key.namespace, row.key.name)
        other = theirs.pop(identity, None)
        if other is None:
            if row.verdict is not Verdict.NONE:
                sentences.append(f"{row.key.short}: here {row.verdict.value}, Argo CD does not list it")
        elif other.status and row.verdict is not Verdict.NONE and other.status != row.verdict.value:
            sentences.append(f"{row.key.short}: here {row.verdict.value}{_detail(row)}, Argo CD {other.status}")
        else:
            sentences += _health(row, other, assessment)
    sentences += [f"{kind}/{name}: only Argo CD lists it" for _, kind, _, name in theirs]
    return sentences


def _health(row: ComparedObject, other: ResourceStatus, assessment: Assessment) -> list[str]:
    ours = assessment.healths.get(row.key)
    if ours is None or other.health is None or other.health.status == ours.status.value:
        return []
    detail = f" ({ours.message})" if ours.message else ""
    return [f"{row.key.short}: here {ours.status.value}{detail}, Argo CD {other.health.status}"]


def _detail(row: ComparedObject) -> str:
    paths = [item.path or item.cause.value for item in row.differences[:3]]
    return f" ({', '.join(paths)})" if paths else ""


def _identity(row: ResourceStatus) -> tuple[str, str, str, str]:
    return (row.group, row.kind, row.namespace, row.name)
