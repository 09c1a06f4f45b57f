"""What only Syncline answers about one Application: why, the plan, differences, waves, what happened when, blame."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec

from syncline.core.diagnose import explain
from syncline.model.application import IgnoreDifference
from syncline.model.comparison import AcceptedDifference
from syncline.model.finding import Severity
from syncline.server.answers.kinds import Answer, OneOf
from syncline.server.answers.objects import ObjectRef


class WaveState(StrEnum):
    """How far a wave or an object of it is."""

    DONE = "done"
    RUNNING = "running"
    WAITING = "waiting"
    FAILED = "failed"


class CauseTitle(Answer, frozen=True, kw_only=True):
    """A cause in one line."""

    id: str
    rank: int
    title: str


class Explanation(explain.Explanation, frozen=True, kw_only=True):
    """Why an Application is as it is."""

    causes: tuple[CauseTitle, ...]


class CommitNote(Answer, frozen=True, kw_only=True):
    """Who wrote a line, and what they said about it."""

    revision: str
    author: str
    date: str
    message: str


class PlanTask(Answer, frozen=True, kw_only=True):
    """What a sync does with one object."""

    key: str
    object: ObjectRef
    phase: str
    wave: int
    action: Literal["apply", "hook", "prune", "keep"]
    method: str
    reason: str
    detail: str
    refusal: str
    hook_delete_policy: str
    changed: bool
    place: str


class PlanDecision(Answer, frozen=True, kw_only=True):
    """What the controller would do now."""

    kind: str
    reason: str
    message: str


class AdoptedObject(Answer, frozen=True, kw_only=True):
    """An object that is tracked for an app which this installation does not know."""

    key: str
    object: ObjectRef
    app: str


class Adoption(Answer, frozen=True, kw_only=True):
    """Objects whose take-over has to be approved, by the digest of the list."""

    digest: str
    objects: tuple[AdoptedObject, ...]


class Plan(Answer, frozen=True, kw_only=True):
    """What a sync would do, in order."""

    schema_version: int
    app: str
    as_of: str
    revision: str
    revisions: tuple[str, ...]
    digest: str
    prune: bool
    partial: bool
    counts: dict[str, int]
    tasks: tuple[PlanTask, ...]
    problems: tuple[str, ...]
    adoption: Adoption
    notes: tuple[str, ...]
    decision: PlanDecision


class Difference(Answer, frozen=True, kw_only=True):
    """One field that differs; an absent side is null."""

    path: str
    desired: Any
    live: Any
    cause: str
    manager: str
    time: str
    place: str
    commit: CommitNote | None = None


class IgnoreRule(Answer, frozen=True, kw_only=True):
    """The smallest rule that silences the differences of an object, or why there is none."""

    entry: IgnoreDifference | None
    reason: str


class ObjectDiff(ObjectRef, frozen=True, kw_only=True):
    """One object that differs."""

    key: str
    verdict: str
    missing: bool
    extra: bool
    reasons: tuple[str, ...]
    message: str
    place: str
    wave: int
    differences: tuple[Difference, ...]
    accepted: tuple[AcceptedDifference, ...]
    ignore_rule: IgnoreRule | None = None
    commit: CommitNote | None = None


class AppDiff(Answer, frozen=True, kw_only=True):
    """What differs in an Application."""

    schema_version: int
    as_of: str
    revisions: tuple[str, ...]
    modified: bool
    verdict: str
    counts: dict[str, int]
    objects: tuple[ObjectDiff, ...]
    problems: tuple[str, ...]


class WaveTask(ObjectRef, frozen=True, kw_only=True):
    """One object of a wave."""

    key: str
    action: str
    state: WaveState
    status: str
    message: str
    hook_phase: str


class Wave(Answer, frozen=True, kw_only=True):
    """What a sync does at one time."""

    phase: str
    wave: int
    state: WaveState
    done: int
    total: int
    tasks: tuple[WaveTask, ...]


class WaveOperation(Answer, frozen=True, kw_only=True):
    """The operation that runs, or ended last."""

    phase: str
    message: str
    started_at: str
    finished_at: str
    revision: str
    by: str
    retry_count: int


class Waiting(Answer, frozen=True, kw_only=True):
    """An object that is waited for."""

    key: str
    text: str
    since: str
    stuck: bool


class Waves(Answer, frozen=True, kw_only=True):
    """The waves of an operation, or those that a sync would have."""

    schema_version: int
    operation: WaveOperation | None
    planned: bool
    current: int | None
    waves: tuple[Wave, ...]
    waiting: tuple[Waiting, ...]


class TimelineEntry(Answer, frozen=True, kw_only=True):
    """One thing that happened."""

    time: str
    lane: Literal["git", "sync", "live", "health", "event"]
    kind: str
    title: str
    text: str
    object: ObjectRef | None
    by: str
    revision: str
    severity: Severity


class AppTimeline(Answer, frozen=True, kw_only=True):
    """What happened to an Application, newest first."""

    schema_version: int
    app: str
    from_: str = msgspec.field(name="from")
    to: str
    entries: tuple[TimelineEntry, ...]


class BlameCause(Answer, frozen=True, kw_only=True):
    """What made a field."""

    kind: str
    place: str
    text: str
    commit: CommitNote | None


class Blame(Answer, frozen=True, kw_only=True):
    """All that made one field."""

    schema_version: int
    object: str
    path: str
    value: Any
    causes: tuple[BlameCause, ...]
    warnings: tuple[str, ...]


class FieldBlame(BlameCause, frozen=True, kw_only=True):
    """What made a field, and which."""

    path: str


class ObjectBlame(Answer, frozen=True, kw_only=True):
    """Every field of an object, as far as texts tell who wrote it."""

    schema_version: int
    object: str
    tool: str
    fields: tuple[FieldBlame, ...]


BLAME = OneOf("AnyBlame", (Blame, ObjectBlame))
