"""Puts a snapshot's parts together: typed app, prepared objects, comparison, health.

Called by the controller, the command line and tests before `syncline.core.decide`; nothing here is kept.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.compare import compare, tracking
from syncline.core.compare.context import Context, for_app
from syncline.core.compare.ignoring import NO_ANSWERS, Answers
from syncline.core.compare.memo import Memo
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.core.compare.schemas import SchemaCache
from syncline.core.health.assess import aggregate
from syncline.core.health.checkup import Checkup
from syncline.model import application, names
from syncline.model.application import Application, Condition
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.reason import Reason
from syncline.model.script import Script
from syncline.model.snapshot import Snapshot

NOTHING = PreparedSet((), (), ())


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be said about an Application from one snapshot."""

    snapshot: Snapshot
    app: Application
    prepared: PreparedSet
    comparison: Comparison
    live: Mapping[ObjectKey, Object]
    owned: frozenset[ObjectKey]
    healths: dict[ObjectKey, Health]
    health: Health
    context: Context

    @property
    def revision(self) -> str:
        """The (first) revision that was compared; empty when none could be had."""
        desired = self.snapshot.desired
        return desired.revisions[0] if desired and desired.revisions else ""

    @property
    def myself(self) -> ObjectKey:
        """The Application as an object, in case it manages itself."""
        return ObjectKey(names.GROUP, "Application", self.app.metadata.namespace, self.app.metadata.name)

    @property
    def kinds(self) -> frozenset[GroupKind]:
        """The kinds the destination cluster serves."""
        return frozenset(fact.kind for fact in self.snapshot.kinds)


class Aids(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller may keep between assessments, or have found out beforehand; all of it can be left out."""

    answers: Answers = NO_ANSWERS
    """What jq made of objects, for ignore rules that need it; `needed_scripts` says what to ask."""
    memo: Memo | None = None
    """Rows of the app's last comparison."""
    schemas: SchemaCache | None = None
    """Schemas of custom kinds, by version of their definition."""


NO_AIDS = Aids()


def needed_scripts(snapshot: Snapshot, aids: Aids = NO_AIDS) -> tuple[Script, ...]:
    """Return the jq to evaluate before `assess_app`: evaluate, add to `Aids.answers`, ask again until it is empty."""
    if snapshot.desired is None:
        return ()
    app = application.parse(snapshot.app)
    live = {key_of(obj): obj for obj in snapshot.live}
    return compare.needed_scripts(_prepared(snapshot, app), live, _context(snapshot, app, aids), aids.memo)


def assess_app(snapshot: Snapshot, aids: Aids = NO_AIDS) -> Assessment:
    """Compare and assess one Application."""
    app = application.parse(snapshot.app)
    settings = snapshot.settings
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    live = {key_of(obj): obj for obj in snapshot.live}
    owned = frozenset(key for key, obj in live.items() if is_root(obj) and tracking.owner_of(obj, settings) == instance)
    prepared = _prepared(snapshot, app)
    context = _context(snapshot, app, aids)
    comparison = compare.compare(prepared, live, owned, context, aids.memo)
    comparison = _with_troubles(comparison, snapshot, live, owned)
    rows = [row for row in comparison.rows if row.live]
    comparison = _with_shared(comparison, tracking.shared(app, (live[row.key] for row in rows), settings))
    checkup = Checkup(snapshot, live)
    healths = {row.key: health for row in rows if (health := checkup(live[row.key])) is not None}
    myself = ObjectKey(names.GROUP, "Application", app.metadata.namespace, app.metadata.name)
    health = aggregate(comparison.rows, healths, live, myself)
    if any(condition.type == "InvalidSpecError" for condition in comparison.conditions):
        health = Health(HealthCode.UNKNOWN, "the Application cannot be worked with as written", Reason.SPEC_INVALID)
    return Assessment(
        snapshot=snapshot,
        app=app,
        prepared=prepared,
        comparison=comparison,
        live=live,
        owned=owned,
        healths=healths,
        health=health,
        context=context,
    )


def _prepared(snapshot: Snapshot, app: Application) -> PreparedSet:
    scopes = {fact.kind: fact.namespaced for fact in snapshot.kinds}
    return prepare(snapshot.desired, app, snapshot.settings, scopes) if snapshot.desired else NOTHING


def _context(snapshot: Snapshot, app: Application, aids: Aids) -> Context:
    schemas = (aids.schemas or SchemaCache()).of(snapshot.schemas)
    return msgspec.structs.replace(
        for_app(app, snapshot.settings, schemas.node_for, snapshot.as_of),
        synced_before=_synced_before(app, snapshot),
        answers=aids.answers,
        schemas=schemas.digest,
    )


def _with_shared(comparison: Comparison, warnings: tuple[Condition, ...]) -> Comparison:
    if not warnings:
        return comparison
    return msgspec.structs.replace(comparison, conditions=(*comparison.conditions, *warnings))


def is_root(obj: Object) -> bool:
    """Whether no other object owns this one; only roots are managed."""
    return not (obj.get("metadata") or {}).get("ownerReferences")


def _synced_before(app: Application, snapshot: Snapshot) -> bool:
    state = app.status.operation_state
    if state is None or state.phase is not OperationPhase.SUCCEEDED or state.sync_result is None:
        return False
    revisions = snapshot.desired.revisions if snapshot.desired else ()
    return bool(revisions) and state.sync_result.revision == revisions[0]


def _with_troubles(
    comparison: Comparison, snapshot: Snapshot, live: Mapping[ObjectKey, Object], owned: frozenset[ObjectKey]
) -> Comparison:
    """Add what could not be read: the verdict is then Unknown, never Synced."""
    if not snapshot.troubles:
        return comparison
    conditions = tuple(Condition(trouble.condition, trouble.message) for trouble in snapshot.troubles)
    rows = comparison.rows
    if snapshot.desired is None:
        rows = tuple(_unknown_row(key, live[key]) for key in sorted(owned))
    return Comparison(verdict=Verdict.UNKNOWN, rows=rows, conditions=(*comparison.conditions, *conditions))


def _unknown_row(key: ObjectKey, obj: Object) -> ComparedObject:
    version = str(obj.get("apiVersion") or "").rpartition("/")[2]
    return ComparedObject(
        key=key, version=version, verdict=Verdict.UNKNOWN, reasons=(Reason.SOURCE_FAILED,), desired=True
    )
