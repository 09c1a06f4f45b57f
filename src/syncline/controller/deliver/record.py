"""Writes down what came of a pass: one merge patch on the Application, and only when something changed.

Called by `syncline.controller.deliver.reconcile` last, after the fact. The patch carries the resourceVersion that was
looked at: if somebody wrote in between, nothing is overwritten and the next pass looks again. What a sync has done is
written down all the same, as long as its operation is the one that was looked at: an object that is pruned cannot be
pruned again, so the next pass would not know of it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.controller.deliver.causes import KnownCauses
from syncline.controller.deliver.events import Events
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.deliver.status import patch_for, status_of
from syncline.controller.world import World
from syncline.core.assess import Assessment
from syncline.core.sync import deletion_hooks
from syncline.model import names
from syncline.model.application import Application, Condition, RevisionHistory
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind
from syncline.model.operation import OperationPhase, OperationState, SyncOperationResult
from syncline.model.reason import Reason
from syncline.model.settings.settings import Compat
from syncline.ports.kube import ApiError, ApiResource

_ATTEMPTS = 5
_OF_OPERATION = ("operationState", "history")
_AS_CONDITION = {Reason.FAILED_BEFORE, Reason.WOULD_WIPE_OUT}


class Recorder:
    """Patches Applications."""

    def __init__(self, world: World, events: Events | None = None, causes: KnownCauses | None = None) -> None:
        self._world = world
        self._events = events
        self._causes = causes

    async def record(
        self, resource: ApiResource, assessment: Assessment, decision: Decision, outcome: Outcome
    ) -> Object | None:
        """Write the pass down; return the Application as stored, or None when there was nothing to write."""
        app, obj = assessment.app, assessment.snapshot.app
        key = AppKey(app.metadata.namespace, app.metadata.name)
        cause = self._causes.of(key) if self._causes is not None else ""
        patch = build_patch(assessment, decision, outcome, self._world.now(), cause)
        if patch is None:
            return None
        try:
            stored = await self._write(resource, obj, patch)
        except ApiError as error:
            done = _done(patch) if decision.kind is DecisionKind.PROCEED else None
            if error.code != 409 or done is None:
                raise
            stored = await self._write_done(resource, obj, done, error)
        if self._events is not None:
            self._events.tell(obj, stored)
        return stored

    async def _write(self, resource: ApiResource, seen: Object, patch: dict[str, Any]) -> Object:
        """Send the patch, for the Application as it was seen."""
        bound = {**(patch.get("metadata") or {}), "resourceVersion": seen["metadata"]["resourceVersion"]}
        # By default the server looks for unknown fields, to warn of them: a tenth of the time that the patch takes it,
        # and nobody reads the warning.
        return await self._world.home.patch(
            resource,
            meta.namespace(seen),
            meta.name(seen),
            {**patch, "metadata": bound},
            manager=names.STATUS_MANAGER,
            validation="Ignore",
        )

    async def _write_done(
        self, resource: ApiResource, seen: Object, done: dict[str, Any], conflict: ApiError
    ) -> Object:
        """Write down what a sync has done although somebody wrote meanwhile; the rest is for the next pass."""
        for _ in range(_ATTEMPTS):
            now = await self._world.home.get(resource, meta.namespace(seen), meta.name(seen))
            if now is None or _operation(now) != _operation(seen):
                break
            try:
                return await self._write(resource, now, done)
            except ApiError as error:
                if error.code != 409:
                    raise
        raise conflict


def _done(patch: dict[str, Any]) -> dict[str, Any] | None:
    """Return the part of a patch that says what an operation did; None where it says nothing of that."""
    status = {name: value for name, value in (patch.get("status") or {}).items() if name in _OF_OPERATION}
    if "operationState" not in status:
        return None
    return {"status": status, **({"operation": patch["operation"]} if "operation" in patch else {})}


def _operation(obj: Object) -> tuple[Any, ...]:
    """Return all that an operation is known by: of which Application, what was asked for, and how far it is."""
    status = obj.get("status") or {}
    return meta.uid(obj), obj.get("operation"), *(status.get(name) for name in _OF_OPERATION)


def build_patch(
    assessment: Assessment, decision: Decision, outcome: Outcome, now: str, cause: str = ""
) -> dict[str, Any] | None:
    """Return the merge patch a pass amounts to; None when nothing changes."""
    app, obj = assessment.app, assessment.snapshot.app
    patch: dict[str, Any] = {}
    history = _history(app, outcome, assessment)
    conditions = _conditions(decision, outcome)
    status = patch_for(obj, status_of(assessment, outcome.state, history, conditions, cause), now)
    if status is not None:
        patch["status"] = status
    if decision.kind is DecisionKind.START and outcome.state is not None and app.operation is None:
        patch["operation"] = msgspec.to_builtins(outcome.state.operation)
    if outcome.finished and obj.get("operation") is not None:
        patch["operation"] = None
    if names.REFRESH in app.metadata.annotations:
        patch["metadata"] = {"annotations": {names.REFRESH: None, **_no_timestamp(app)}}
    finalizers = _finalizers(assessment, outcome)
    if finalizers != tuple(app.metadata.finalizers):
        patch.setdefault("metadata", {})["finalizers"] = list(finalizers) or None
    return patch or None


def _no_timestamp(app: Application) -> dict[str, None]:
    """Return what removes the time of a refresh that was done; the resourceVersion keeps a newer request from loss."""
    return {names.REFRESH_TIMESTAMP: None} if names.REFRESH_TIMESTAMP in app.metadata.annotations else {}


def _finalizers(assessment: Assessment, outcome: Outcome) -> tuple[str, ...]:
    """Return the Application's finalizers: without those let go, with those that hooks of deletion need."""
    app = assessment.app
    if outcome.released:
        return tuple(
            name for name in app.metadata.finalizers if not name.startswith(outcome.released) or name == outcome.leaves
        )
    if app.metadata.deletion_timestamp or assessment.snapshot.desired is None:
        return tuple(app.metadata.finalizers)
    return deletion_hooks.finalizers(app.metadata.finalizers, assessment.prepared.hooks)


def _conditions(decision: Decision, outcome: Outcome) -> tuple[Condition, ...]:
    if outcome.undeleted:
        return (Condition(ConditionType.DELETION_ERROR, "; ".join(outcome.undeleted)),)
    if decision.reason in _AS_CONDITION:
        return (Condition(ConditionType.SYNC_ERROR, decision.detail),)
    if decision.kind is DecisionKind.TEAR_DOWN and decision.reason is Reason.TASK_FAILED:
        return (Condition(ConditionType.DELETION_ERROR, decision.detail),)
    return ()


def _history(app: Application, outcome: Outcome, assessment: Assessment) -> tuple[RevisionHistory, ...]:
    """Return the history, with a new entry after a successful full sync."""
    state, before = outcome.state, app.status.history
    if not outcome.finished or state is None or not _counts(state) or state.sync_result is None:
        return before
    limit = app.spec.revision_history_limit
    kept = assessment.snapshot.settings.history_limit if limit is None else limit
    entry = RevisionHistory(
        deployed_at=state.finished_at or "",
        id=before[-1].id + 1 if before else 0,
        revision=state.sync_result.revision,
        revisions=state.sync_result.revisions,
        deploy_started_at=state.started_at,
        **_asked_sources(state, state.sync_result, assessment.snapshot.settings.compat),
        initiated_by=state.operation.initiated_by,
    )
    return (*before, entry)[-kept:] if kept > 0 else ()


def _asked_sources(state: OperationState, result: SyncOperationResult, compat: Compat) -> dict[str, Any]:
    """Return the sources of a history entry, each with the branch or tag that somebody asked for instead of its own."""
    asked = state.operation.sync.all_revisions if state.operation.sync and compat is not Compat.ARGOCD else ()
    commits = result.revisions or (result.revision,)
    sources = list(result.sources or ((result.source,) if result.source else ()))
    for place, (source, wanted, commit) in enumerate(zip(sources, asked, commits, strict=False)):
        if wanted and wanted != commit:
            sources[place] = msgspec.structs.replace(source, target_revision=wanted)
    return {"sources": tuple(sources)} if result.sources else {"source": sources[0] if sources else None}


def _counts(state: OperationState) -> bool:
    sync = state.operation.sync
    partial = sync is not None and (bool(sync.resources) or sync.dry_run)
    return state.phase is OperationPhase.SUCCEEDED and not partial
