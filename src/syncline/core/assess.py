"""Puts a snapshot's parts together: typed app, prepared objects, comparison, health.

Called by the controller, the command line and tests before `syncline.core.decide`; nothing here is kept.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, ObjectKey, key_of
from syncline.apimachinery.schema import builtin, crd
from syncline.apimachinery.schema.node import ANY, Node
from syncline.core.compare import tracking
from syncline.core.compare.compare import Context, NodeFor, compare
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.core.health.assess import aggregate, assess
from syncline.model import application, names
from syncline.model.application import Application, Condition
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.reason import Reason
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


def assess_app(snapshot: Snapshot, node_for: NodeFor | None = None) -> Assessment:
    """Compare and assess one Application."""
    app = application.parse(snapshot.app)
    settings = snapshot.settings
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    live = {key_of(obj): obj for obj in snapshot.live}
    owned = frozenset(key for key, obj in live.items() if is_root(obj) and tracking.owner_of(obj, settings) == instance)
    scopes = {fact.kind: fact.namespaced for fact in snapshot.kinds}
    prepared = prepare(snapshot.desired, app, settings, scopes) if snapshot.desired else NOTHING
    context = Context(
        settings=settings,
        node_for=node_for or schemas_of(snapshot),
        as_of=snapshot.as_of,
        synced_before=_synced_before(app, snapshot),
    )
    comparison = _with_troubles(compare(prepared, live, owned, context), snapshot, live, owned)
    rows = [row for row in comparison.rows if row.live]
    comparison = _with_shared(comparison, tracking.shared(app, (live[row.key] for row in rows), settings))
    healths = {row.key: health for row in rows if (health := assess(live[row.key])) is not None}
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
    )


def _with_shared(comparison: Comparison, warnings: tuple[Condition, ...]) -> Comparison:
    if not warnings:
        return comparison
    return msgspec.structs.replace(comparison, conditions=(*comparison.conditions, *warnings))


def is_root(obj: Object) -> bool:
    """Whether no other object owns this one; only roots are managed."""
    return not (obj.get("metadata") or {}).get("ownerReferences")


def schemas_of(snapshot: Snapshot) -> NodeFor:
    """Return a look-up of schemas: built-in kinds, then the CRDs of the snapshot, then "anything goes"."""
    definitions: dict[GroupKind, Object] = {}
    for definition in snapshot.schemas:
        spec = definition.get("spec") or {}
        definitions[GroupKind(str(spec.get("group") or ""), str((spec.get("names") or {}).get("kind") or ""))] = (
            definition
        )

    @functools.cache
    def node_for(gvk: GroupVersionKind) -> Node:
        definition = definitions.get(gvk.group_kind)
        custom = crd.schema_for(definition, gvk.version) if definition else None
        return custom or builtin.for_kind(gvk) or ANY

    return node_for


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
