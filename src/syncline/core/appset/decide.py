"""What one pass over an ApplicationSet does: Applications to create, change and delete, and the status to record.

Called by `syncline.controller.appsets.reconcile` with everything that was observed; carried out by
`syncline.controller.appsets.act`. Pure: the same snapshot gives the same decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset import boundary, changes, conditions, rolling, shrink
from syncline.core.appset.boundary import Bounds
from syncline.core.appset.changes import Controller
from syncline.core.appset.conditions import Said
from syncline.core.appset.generate import Generated, GenerationError
from syncline.core.appset.policy import policy_of
from syncline.core.compare.ignore.rules import NO_ANSWERS, Answers
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.cluster import KnownCluster, choose
from syncline.model.errors import InvalidSpec
from syncline.model.script import Script
from syncline.model.settings.settings import Settings

_INVALID = "ApplicationValidationError"
_UNCHANGEABLE = "UpdateApplicationError"
_FROZEN = "DeletionFrozen"
_HELD = "Frozen"


class AppFacts(msgspec.Struct, frozen=True):
    """As much of a live Application as its set has to know always."""

    name: str
    version: int
    controller: Controller | None = None
    project: str = ""
    sync: str = ""
    health: str = ""
    deleting: bool = False


class SetSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """All that a decision about a set sees. `live` returns a whole Application by name."""

    appset: Object
    generated: Sequence[Generated] | GenerationError
    apps: Mapping[str, AppFacts]
    """Every Application of the set's namespace."""
    live: Callable[[str], Object | None]
    unchanged: Mapping[str, int] = {}
    """Applications that were found to be as wanted at that version, of what is generated now."""
    projects: frozenset[str]
    """The names of all projects, also of those that cannot be read."""
    bounds: Bounds
    clusters: tuple[KnownCluster, ...]
    settings: Settings
    now: str
    answers: Answers = NO_ANSWERS


class Change(msgspec.Struct, frozen=True):
    """A merge patch of one Application, and the version it was worked out from."""

    name: str
    patch: Object
    resource_version: str


class Deletion(msgspec.Struct, frozen=True):
    """An Application to delete; first without its finalizer where its cluster is not known and nothing could go."""

    name: str
    uid: str
    finalizers: list[str] | None = None


class SetDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What to do now."""

    create: tuple[Object, ...] = ()
    change: tuple[Change, ...] = ()
    delete: tuple[Deletion, ...] = ()
    as_wanted: Mapping[str, int] = {}
    """Applications that are as wanted, and their versions."""
    said: tuple[Said, ...] = ()
    entries: tuple[dict[str, Any], ...] = ()
    unreadable: Mapping[str, str] = {}
    """Applications of which it cannot be told whether they are as wanted, and why."""
    pending: tuple[Script, ...] = ()
    """Scripts that have to run before anything can be decided."""
    refused: bool = False
    """Whether some Applications cannot be as they are generated, so that another look is due."""


def decide(snapshot: SetSnapshot) -> SetDecision:
    """Return what to do about a set that is not being deleted."""
    # What a rollout has come to stays recorded while nothing can be decided, and goes on from there.
    kept = tuple((snapshot.appset.get("status") or {}).get("applicationStatus") or ())
    generated = _permitted(snapshot)
    if isinstance(generated, GenerationError):
        said = conditions.failed(generated.reason, generated.message, generated=False)
        return SetDecision(said=said, entries=kept, refused=True)
    if snapshot.settings.safety.freeze:
        reason = f"nothing is written while everything is frozen: {snapshot.settings.safety.freeze}"
        return SetDecision(said=conditions.failed(_HELD, reason, generated=True), entries=kept)
    wrong = invalid(snapshot, generated)
    taken = _taken(snapshot, [one for one in generated if one.name not in wrong])
    wanted = {one.name: one.obj for one in generated if one.name not in wrong and one.name not in taken}
    originals = dict(wanted)
    entries: tuple[dict[str, Any], ...] = ()
    said = ()
    owned = {name: facts for name, facts in snapshot.apps.items() if boundary.is_own(facts, snapshot.appset)}
    if _rolls(snapshot):
        wanted = {name: rolling.without_automation(obj) for name, obj in wanted.items()}
        rollout = _rollout(snapshot, wanted, originals, owned)
        if isinstance(rollout, tuple):
            return SetDecision(pending=rollout)
        wanted, entries, said = rollout.wanted, tuple(rollout.entries), rollout.said
    made = _changes(snapshot, wanted)
    if made.pending:
        return made
    doomed, why = _doomed(snapshot, owned)
    return msgspec.structs.replace(
        made,
        delete=doomed,
        said=(*_said(snapshot, wrong, {**taken, **made.unreadable}, why, said), *said),
        entries=entries,
        refused=bool(wrong or taken or made.unreadable),
    )


def _permitted(snapshot: SetSnapshot) -> Sequence[Generated] | GenerationError:
    """Return what is generated; an error of the whole set where some of it is not permitted."""
    generated = snapshot.generated
    if isinstance(generated, GenerationError):
        return generated
    return boundary.refusal(snapshot.appset, generated, snapshot.apps, snapshot.bounds) or generated


def _rolls(snapshot: SetSnapshot) -> bool:
    spec = snapshot.appset["spec"]
    enabled = snapshot.settings.application_sets.progressive_syncs
    return enabled and rolling.is_rolling(spec) and bool(rolling.steps_of(spec))


class _Rolled(msgspec.Struct, frozen=True):
    wanted: dict[str, Object]
    entries: list[dict[str, Any]]
    said: tuple[Said, ...]


def _rollout(
    snapshot: SetSnapshot, wanted: dict[str, Object], originals: Mapping[str, Object], owned: Mapping[str, AppFacts]
) -> _Rolled | tuple[Script, ...]:
    """Return the rollout as it is now, with the syncs that are due put into the Applications."""
    appset, settings = snapshot.appset, snapshot.settings.application_sets
    live = {name: obj for name in owned if (obj := snapshot.live(name)) is not None}
    changed = set()
    for name in live.keys() & wanted.keys():
        found = changes.difference(appset, wanted[name], live[name], settings, snapshot.answers)
        if found.pending:
            return found.pending
        if found.patch is not None and "spec" in found.patch:
            changed.add(name)
    before = (appset.get("status") or {}).get("applicationStatus") or ()
    rollout = rolling.advance(appset["spec"], before, live, wanted, changed, snapshot.now)
    result = dict(wanted)
    # A sync is asked for once its Application is recorded as Pending: who is killed in between asks for no second one.
    recorded = {(str(one.get("application")), one.get("status"), one.get("lastTransitionTime")) for one in before}
    for entry in rollout.entries:
        name = entry["application"]
        if (
            entry["status"] == rolling.PENDING
            and name in wanted
            and (name, entry["status"], entry["lastTransitionTime"]) in recorded
        ):
            result[name] = rolling.asked_to_sync(wanted[name], live[name], entry, originals[name])
    return _Rolled(result, rollout.entries, rollout.said)


def _changes(snapshot: SetSnapshot, wanted: Mapping[str, Object]) -> SetDecision:
    policy = policy_of(snapshot.appset["spec"], snapshot.settings.application_sets)
    create: list[Object] = []
    change: list[Change] = []
    as_wanted: dict[str, int] = {}
    unreadable: dict[str, str] = {}
    for name, obj in sorted(wanted.items()):
        facts = snapshot.apps.get(name)
        if facts is None:
            create.append(changes.created(snapshot.appset, obj))
            continue
        if facts.deleting or not (policy.update or not boundary.is_own(facts, snapshot.appset)):
            continue
        if snapshot.unchanged.get(name) == facts.version and "operation" not in obj:
            as_wanted[name] = facts.version
            continue
        live = snapshot.live(name)
        if live is None:
            continue
        found = changes.difference(snapshot.appset, obj, live, snapshot.settings.application_sets, snapshot.answers)
        if found.pending:
            return SetDecision(pending=found.pending)
        if found.problem:
            unreadable[name] = found.problem
        elif found.patch is None:
            as_wanted[name] = facts.version
        else:
            change.append(Change(name, found.patch, meta.resource_version(live)))
    return SetDecision(create=tuple(create), change=tuple(change), as_wanted=as_wanted, unreadable=unreadable)


def invalid(snapshot: SetSnapshot, generated: Sequence[Generated]) -> dict[str, str]:
    """Return the Applications that cannot be created as generated, and why; the others go on, and none is deleted."""
    wrong: dict[str, str] = {}
    seen: set[str] = set()
    own = meta.name(snapshot.appset)
    reachable: dict[tuple[str, str], str] = {}
    for one in generated:
        if one.name in seen:
            wrong[one.name] = f"ApplicationSet {own} contains applications with duplicate name: {one.name}"
            continue
        seen.add(one.name)
        spec = one.obj["spec"]
        project = str(spec.get("project") or "")
        if project not in snapshot.projects:
            wrong[one.name] = f"application references project {project} which does not exist"
            continue
        destination = spec.get("destination") or {}
        place = (str(destination.get("server") or ""), str(destination.get("name") or ""))
        if place not in reachable:
            reachable[place] = _unknown_cluster(place, snapshot.clusters)
        if reachable[place]:
            wrong[one.name] = f"application destination spec is invalid: {reachable[place]}"
    return wrong


def _taken(snapshot: SetSnapshot, generated: Sequence[Generated]) -> dict[str, str]:
    """Return the Applications that the set may not take, and why; the others go on."""
    taken: dict[str, str] = {}
    for one in generated:
        facts = snapshot.apps.get(one.name)
        if facts is None or boundary.is_own(facts, snapshot.appset):
            continue
        if not boundary.is_free(facts, snapshot.appset):
            taken[one.name] = f"Application {one.name} is already owned by {facts.controller}"
        elif boundary.is_another_projects(one, facts, snapshot.appset):
            taken[one.name] = (
                f"Application {one.name} exists in project {facts.project} and would be in project"
                f" {boundary.project_of(one)}: to have it adopted, change its project first"
            )
    return taken


def _unknown_cluster(place: tuple[str, str], clusters: tuple[KnownCluster, ...]) -> str:
    try:
        choose(Destination(server=place[0], name=place[1]), clusters)
    except InvalidSpec as error:
        return str(error)
    return ""


def _doomed(snapshot: SetSnapshot, owned: Mapping[str, AppFacts]) -> tuple[tuple[Deletion, ...], str]:
    """Return the Applications that go, or why they may not go now."""
    spec, settings = snapshot.appset["spec"], snapshot.settings
    if isinstance(snapshot.generated, GenerationError) or not policy_of(spec, settings.application_sets).delete:
        return (), ""
    wanted = {one.name for one in snapshot.generated}
    staying = [name for name, facts in owned.items() if not facts.deleting]
    names_ = sorted(name for name in staying if name not in wanted)
    approved = meta.annotation(snapshot.appset, names.APPROVED_DELETIONS)
    if why := shrink.frozen(names_, len(staying), spec, approved, settings):
        key = f"{meta.namespace(snapshot.appset)}/{meta.name(snapshot.appset)}"
        return (), f"{why}; approve with: syncline appset approve {key} {shrink.digest(names_)}"
    return tuple(_deletion(snapshot, name) for name in names_), ""


def _deletion(snapshot: SetSnapshot, name: str) -> Deletion:
    live = snapshot.live(name) or {}
    destination = (live.get("spec") or {}).get("destination") or {}
    place = (str(destination.get("server") or ""), str(destination.get("name") or ""))
    finalizers = list(meta.finalizers(live))
    if names.RESOURCES_FINALIZER in finalizers and _unknown_cluster(place, snapshot.clusters):
        kept = [one for one in finalizers if one != names.RESOURCES_FINALIZER]
        return Deletion(name, meta.uid(live), kept)
    return Deletion(name, meta.uid(live))


def _said(
    snapshot: SetSnapshot,
    wrong: Mapping[str, str],
    unchangeable: Mapping[str, str],
    frozen: str,
    rollout: Sequence[Said],
) -> tuple[Said, ...]:
    if frozen:
        return conditions.failed(_FROZEN, frozen, generated=True)
    for reason, troubles in ((_UNCHANGEABLE, unchangeable), (_INVALID, wrong)):
        if troubles:
            message = troubles[max(troubles)]
            more = f" (and {len(troubles) - 1} more)" if len(troubles) > 1 else ""
            return conditions.failed(reason, f"{message}{more}", generated=True)
    spec = snapshot.appset["spec"]
    if rolling.is_rolling(spec) and not rolling.steps_of(spec) and not rollout:
        return conditions.failed("ApplicationSetRolloutError", "No steps defined for rollout", generated=True)
    return conditions.fine()


def status_of(
    snapshot: SetSnapshot, said: Sequence[Said], entries: Sequence[Mapping[str, Any]], rows: Mapping[str, AppFacts]
) -> Object:
    """Return the status of a set as a whole, given the Applications it has after the pass."""
    before = snapshot.appset.get("status") or {}
    most = snapshot.settings.application_sets.max_status_resources
    namespace = meta.namespace(snapshot.appset)
    resources = [_row(rows[name], namespace) for name in sorted(rows)]
    status: Object = {
        "conditions": conditions.written(said, before.get("conditions") or (), snapshot.now),
        "health": conditions.health(said),
        "resources": resources[:most] if most > 0 else resources,
        "resourcesCount": len(resources),
    }
    if entries:
        status["applicationStatus"] = [dict(entry) for entry in entries]
    return status


def _row(facts: AppFacts, namespace: str) -> Object:
    row: Object = {
        "group": names.GROUP,
        "version": names.VERSION,
        "kind": "Application",
        "namespace": namespace,
        "name": facts.name,
    }
    if facts.sync:
        row["status"] = facts.sync
    if facts.health:
        row["health"] = {"status": facts.health}
    return row
