"""Puts a snapshot's parts together: typed app, prepared objects, comparison, health.

Called by the controller, the command line and tests before `syncline.core.decide`; nothing here is kept. What a caller
may keep from one assessment to the next it holds in `AssessmentCache`, so that two controllers in one process share
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.compare import adoption, compare, live_set, owned_rows, tracking, unpermitted_rows
from syncline.core.compare import owners as owners_of
from syncline.core.compare.adoption import Adoption
from syncline.core.compare.context import Context, DryRunRefused, for_app
from syncline.core.compare.ignore.rules import NO_ANSWERS, Answers
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.compare.owners import Ownership
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.compare.prepared import Preparations
from syncline.core.compare.schemas import SchemaCache
from syncline.core.compare.strategies import choose as strategy
from syncline.core.health import checkup, failures
from syncline.core.health.assess import aggregate
from syncline.core.sync import option_words
from syncline.model import names, project
from syncline.model.application import Application, Condition
from syncline.model.comparison import ComparedObject, CompareStrategy, Comparison, Verdict
from syncline.model.condition import ConditionType
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.project import AppProject
from syncline.model.reason import Reason
from syncline.model.script import Script
from syncline.model.settings.settings import Compat, Settings
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
    owners: Mapping[ObjectKey, Ownership] = {}
    """Whose objects are that other apps have to do with too."""
    adoptions: tuple[Adoption, ...] = ()
    """Objects that would be taken over from apps that this installation does not know, approved or not."""
    project: AppProject | None = None
    """The typed project; one that is missing or cannot be read is a trouble of the snapshot already."""
    single_errors: frozenset[Condition] = frozenset()
    """Those of the comparison's errors that are about single objects: the others can be synced all the same."""

    @property
    def revision(self) -> str:
        """The (first) revision that was compared; empty when none could be fetched."""
        return self.revisions[0] if self.revisions else ""

    @property
    def revisions(self) -> tuple[str, ...]:
        """The revisions that were compared, one per source."""
        return self.snapshot.desired.revisions if self.snapshot.desired else ()

    @property
    def unapproved(self) -> tuple[Adoption, ...]:
        """What somebody has to approve before it is taken over."""
        if not self.adoptions:
            return ()
        approved = adoption.approved_marks(self.app)
        return tuple(one for one in self.adoptions if one.mark not in approved)

    @property
    def myself(self) -> ObjectKey:
        """The Application as an object, in case it manages itself."""
        return ObjectKey(names.GROUP, "Application", self.app.metadata.namespace, self.app.metadata.name)

    @property
    def kinds(self) -> Mapping[GroupKind, tuple[str, ...]]:
        """The kinds the destination cluster serves, with their versions where it says them."""
        return {fact.kind: fact.versions for fact in self.snapshot.kinds}


class AssessmentCache(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller may keep between assessments, or have found out beforehand; all of it can be left out."""

    answers: Answers = NO_ANSWERS
    """What jq made of objects, for ignore rules that need it; `needed_scripts` says what to ask."""
    memo: ComparisonMemo | None = None
    """Rows of the app's last comparison."""
    schemas: SchemaCache | None = None
    """Schemas of custom kinds, by version of their definition."""
    prepared: Preparations | None = None
    """What renders mean for apps, for as long as the same ones are looked at."""


NO_CACHE = AssessmentCache()


def needed_scripts(snapshot: Snapshot, cache: AssessmentCache = NO_CACHE) -> tuple[Script, ...]:
    """Return the jq that `assess_app` needs; run it, add it to `AssessmentCache.answers`, and ask again."""
    if snapshot.desired is None:
        return ()
    app, prepared = _prepared(snapshot, cache)
    live = {key_of(obj): obj for obj in snapshot.live}
    return compare.needed_scripts(prepared, live, _context(snapshot, app, cache), cache.memo)


def assess_app(snapshot: Snapshot, cache: AssessmentCache = NO_CACHE) -> Assessment:
    """Compare and assess one Application."""
    app, prepared = _prepared(snapshot, cache)
    settings = snapshot.settings
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    live = {key_of(obj): obj for obj in snapshot.live}
    holders = {key: name for key, obj in live.items() if is_root(obj) and (name := tracking.owner_of(obj, settings))}
    owned = frozenset(key for key, name in holders.items() if name == instance)
    owned = live_set.without_twins(owned, live, prepared)
    owners = _owners(snapshot, app, prepared, live, holders)
    context = _context(snapshot, app, cache)
    comparison = owned_rows.with_owners(compare.compare(prepared, live, owned, context, cache.memo), owners, live)
    rules = _project(snapshot, cache)
    comparison = _with_namespace_metadata(comparison, app)
    unread = _unread_errors(snapshot)
    comparison = _with_troubles(_with_unread(comparison, snapshot, unread), snapshot, live, owned)
    comparison = unpermitted_rows.with_unpermitted(comparison, snapshot, app, rules)
    rows = [row for row in comparison.rows if row.live]
    shared = owned_rows.warnings(owners)
    shared += tracking.shared(app, (live[row.key] for row in rows if row.key not in owners), settings)
    words = _wrong_words(app, comparison, live, settings)
    comparison = _with_warnings(comparison, (*shared, *_orphaned(snapshot), *words))
    judge = checkup.of_snapshot(snapshot, live)
    healths = {row.key: health for row in rows if (health := judge(live[row.key])) is not None}
    failed = failures.conditions(healths)
    if failed:
        comparison = msgspec.structs.replace(comparison, conditions=(*comparison.conditions, *failed))
    myself = ObjectKey(names.GROUP, "Application", app.metadata.namespace, app.metadata.name)
    health = aggregate(comparison.rows, healths, live, myself)
    if _is_invalid(comparison, prepared, settings):
        health = Health(HealthCode.UNKNOWN, "the Application spec is invalid", Reason.SPEC_INVALID)
    elif any(trouble.reason is Reason.CLUSTER_UNREACHABLE for trouble in snapshot.troubles):
        health = Health(HealthCode.UNKNOWN, "the destination cluster did not answer", Reason.CLUSTER_UNREACHABLE)
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
        owners=owners,
        adoptions=_adoptions(snapshot, app, prepared, live, owners),
        project=rules,
        single_errors=frozenset((*prepared.conditions, *failed, *unread)),
    )


def _is_invalid(comparison: Comparison, prepared: PreparedSet, settings: Settings) -> bool:
    """Whether a spec leaves no health to speak of; with Argo CD an object without a namespace does not."""
    known = prepared.conditions if settings.compat is Compat.ARGOCD else ()
    found = (one for one in comparison.conditions if one not in known)
    return any(one.type == ConditionType.INVALID_SPEC_ERROR for one in found)


def stopping(assessment: Assessment) -> tuple[Condition, ...]:
    """Return the errors that stop an app as a whole; those about single objects do so only under Argo CD's rules."""
    errors = (item for item in assessment.comparison.conditions if item.is_error)
    if assessment.snapshot.settings.compat is Compat.ARGOCD:
        return tuple(errors)
    return tuple(item for item in errors if item not in assessment.single_errors)


def needed_dry_runs(assessment: Assessment) -> tuple[Prepared, ...]:
    """Return the objects whose comparison wants the server's word: ask, put it into the snapshot, assess again.

    An object that is equal by our own merge is not asked about, unless what webhooks write counts too. Argo CD asks
    about all.
    """
    if any(trouble.reason is Reason.CLUSTER_UNREACHABLE for trouble in assessment.snapshot.troubles):
        return ()
    context, known = assessment.context, assessment.context.predicted
    thorough = context.settings.compat is Compat.ARGOCD
    verdicts = {row.key: row.verdict for row in assessment.comparison.rows}
    found = []
    for item in assessment.prepared.objects:
        verdict = verdicts.get(item.key, Verdict.NONE)
        if item.key not in assessment.live or item.key in known or verdict is Verdict.NONE:
            continue
        choice = strategy.choose(item.obj, context)
        doubtful = thorough or choice.include_webhooks or verdict is not Verdict.SYNCED
        if choice.wanted is CompareStrategy.SERVER_SIDE and doubtful:
            found.append(item)
    return tuple(found)


def _prepared(snapshot: Snapshot, cache: AssessmentCache) -> tuple[Application, PreparedSet]:
    known = cache.prepared or Preparations()
    app = known.app(snapshot.app)
    if snapshot.desired is None:
        return app, NOTHING
    return app, known.set(snapshot.desired, app, snapshot.settings, snapshot.kinds)


def _context(snapshot: Snapshot, app: Application, cache: AssessmentCache) -> Context:
    cluster = snapshot.destination.server if snapshot.destination else ""
    schemas = (cache.schemas or SchemaCache()).of(snapshot.schemas, cluster)
    return msgspec.structs.replace(
        for_app(app, snapshot.settings, schemas.node_for, snapshot.as_of),
        synced_before=_synced_before(app, snapshot),
        answers=cache.answers,
        schemas=schemas.digest,
        cluster=cluster,
        predicted={
            run.key: run.answer or DryRunRefused(run.refused or "no reason was given") for run in snapshot.dry_runs
        },
    )


def _owners(
    snapshot: Snapshot,
    app: Application,
    prepared: PreparedSet,
    live: Mapping[ObjectKey, Object],
    holders: Mapping[ObjectKey, str],
) -> dict[ObjectKey, Ownership]:
    """Return whose objects are; under Argo CD's rules the last writer has them."""
    if snapshot.settings.compat is Compat.ARGOCD:
        return {}
    if app.metadata.deletion_timestamp:
        # It desires nothing any more.
        prepared = NOTHING
    contest = owners_of.contest(app, snapshot.settings, snapshot.others, snapshot.claims)
    return owners_of.owners(contest, prepared, live, holders)


def _adoptions(
    snapshot: Snapshot,
    app: Application,
    prepared: PreparedSet,
    live: Mapping[ObjectKey, Object],
    owners: Mapping[ObjectKey, Ownership],
) -> tuple[Adoption, ...]:
    """Return what would change hands; what another owner keeps does not."""
    found = adoption.adoptions(app, prepared, live, snapshot.strangers, snapshot.settings)
    return tuple(one for one in found if one.key not in owners or owners[one.key].mine)


def _with_namespace_metadata(comparison: Comparison, app: Application) -> Comparison:
    """Make an app OutOfSync whose managedNamespaceMetadata changed since the last operation: no object shows that."""
    policy, state = app.spec.sync_policy, app.status.operation_state
    wanted = policy.managed_namespace_metadata if policy is not None else None
    if comparison.verdict is not Verdict.SYNCED or wanted is None or state is None or state.sync_result is None:
        return comparison
    if state.sync_result.managed_namespace_metadata == wanted:
        return comparison
    return msgspec.structs.replace(comparison, verdict=Verdict.OUT_OF_SYNC)


def _project(snapshot: Snapshot, cache: AssessmentCache) -> AppProject | None:
    if not snapshot.project:
        return None
    try:
        return cache.prepared.project(snapshot.project) if cache.prepared else project.parse(snapshot.project)
    except InvalidSpec:
        return None


def _orphaned(snapshot: Snapshot) -> tuple[Condition, ...]:
    if not snapshot.orphaned:
        return ()
    text = f"Application has {snapshot.orphaned} orphaned resources"
    return (Condition(ConditionType.ORPHANED_RESOURCE_WARNING, text),)


def _wrong_words(
    app: Application, comparison: Comparison, live: Mapping[ObjectKey, Object], settings: Settings
) -> tuple[Condition, ...]:
    """Return warnings about sync options that have no effect, of the app itself and of extra objects.

    Those of desired objects come with the prepared set; an extra object has only its own word against being pruned.
    """
    if settings.compat is Compat.ARGOCD:
        return ()
    extra = (DesiredObject(live[row.key]) for row in comparison.rows if row.requires_pruning)
    return (*option_words.of_app(app), *option_words.of_objects(extra))


def _with_warnings(comparison: Comparison, warnings: tuple[Condition, ...]) -> Comparison:
    if not warnings:
        return comparison
    return msgspec.structs.replace(comparison, conditions=(*comparison.conditions, *warnings))


def is_root(obj: Object) -> bool:
    """Whether no other object owns this one; only roots are managed."""
    return not meta.metadata(obj).get("ownerReferences")


def _synced_before(app: Application, snapshot: Snapshot) -> bool:
    state = app.status.operation_state
    if state is None or state.phase is not OperationPhase.SUCCEEDED or state.sync_result is None:
        return False
    revisions = snapshot.desired.revisions if snapshot.desired else ()
    return bool(revisions) and state.sync_result.all_revisions == revisions


def _with_troubles(
    comparison: Comparison, snapshot: Snapshot, live: Mapping[ObjectKey, Object], owned: frozenset[ObjectKey]
) -> Comparison:
    """Add what could not be read: the verdict is then Unknown, never Synced."""
    if not snapshot.troubles:
        return comparison
    conditions = tuple(Condition(trouble.condition, trouble.message) for trouble in snapshot.troubles)
    rows = comparison.rows
    if snapshot.desired is None:
        invalid = any(trouble.reason is Reason.SPEC_INVALID for trouble in snapshot.troubles)
        reason = Reason.SPEC_INVALID if invalid else Reason.SOURCE_FAILED
        rows = tuple(_unknown_row(key, live[key], reason) for key in sorted(owned))
    elif any(trouble.reason is Reason.CLUSTER_UNREACHABLE for trouble in snapshot.troubles):
        rows = tuple(_unsure(row, Reason.CLUSTER_UNREACHABLE) for row in rows)
    return Comparison(verdict=Verdict.UNKNOWN, rows=rows, conditions=(*comparison.conditions, *conditions))


def _unread_errors(snapshot: Snapshot) -> tuple[Condition, ...]:
    """Return the error that names the kinds which cannot be read; nothing where all desired objects could be."""
    if not snapshot.unread:
        return ()
    kinds = ", ".join(sorted({str(key.group_kind) for key in snapshot.unread}))
    text = f"Failed to load live state: these kinds cannot be read: {kinds}"
    return (Condition(ConditionType.COMPARISON_ERROR, text),)


def _with_unread(comparison: Comparison, snapshot: Snapshot, errors: tuple[Condition, ...]) -> Comparison:
    """Make rows Unknown whose objects could not be read: that they are not seen does not mean that they are missing."""
    unread = frozenset(snapshot.unread)
    if not unread:
        return comparison
    rows = tuple(_unsure(row, Reason.UNCOMPARABLE) if row.key in unread else row for row in comparison.rows)
    return Comparison(verdict=Verdict.UNKNOWN, rows=rows, conditions=(*comparison.conditions, *errors))


def _unsure(row: ComparedObject, reason: Reason) -> ComparedObject:
    if row.hook or row.verdict is Verdict.NONE:
        return row
    return msgspec.structs.replace(row, verdict=Verdict.UNKNOWN, reasons=(reason,), differences=())


def _unknown_row(key: ObjectKey, obj: Object, reason: Reason) -> ComparedObject:
    version = str(obj.get("apiVersion") or "").rpartition("/")[2]
    return ComparedObject(key=key, version=version, verdict=Verdict.UNKNOWN, reasons=(reason,), desired=True)
