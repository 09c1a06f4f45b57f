"""Asks the controller to sync an Application, to go back to an earlier sync, or to end the one that runs.

A request becomes Argo CD's `operation` on the Application; the controller sees it and starts. Only one operation is
there at a time, and what the one before left in `status.operationState` goes in the same write, as with Argo CD.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import LabelSelector
from syncline.controller.app_key import AppKey
from syncline.core.assess import Assessment
from syncline.model import application, codec
from syncline.model.application import Application, RevisionHistory, SyncPolicy
from syncline.model.operation import (
    Info,
    Operation,
    OperationInitiator,
    OperationPhase,
    RetryStrategy,
    SyncOperation,
    SyncOperationResource,
    SyncStrategy,
    SyncStrategyApply,
)
from syncline.ports.clock import Clock
from syncline.ports.kube import Cluster
from syncline.verbs.applications import Permit, StoredApplication, change_application, read_application
from syncline.verbs.errors import InvalidRequest, NotFound, Refused
from syncline.verbs.permission import read_rules
from syncline.verbs.revisions import RevisionChoice


class SyncRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One sync: of what, to which revisions, and how.

    Without `sync_options` those of the Application hold; `more_options` come on top of either. Without `retry` it is
    retried as the Application says. `manifests` are JSON objects to deliver in place of what the sources make.
    """

    app: AppKey
    username: str = ""
    revisions: RevisionChoice = RevisionChoice()
    prune: bool = False
    dry_run: bool = False
    strategy: SyncStrategy | None = None
    resources: tuple[SyncOperationResource, ...] = ()
    manifests: tuple[str, ...] = ()
    sync_options: tuple[str, ...] | None = None
    more_options: tuple[str, ...] = ()
    info: tuple[Info, ...] = ()
    retry: RetryStrategy | None = None


class RollbackRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A sync to an entry of the history; without `id` to the one before the last."""

    app: AppKey
    username: str = ""
    id: int | None = None
    prune: bool = False
    dry_run: bool = False
    control: str = ""
    """The namespace of the installation, where that is not the one of the Application."""


async def sync(cluster: Cluster, request: SyncRequest, permit: Permit = lambda _stored: None) -> StoredApplication:
    """Start a sync; raises `Refused` while another operation is there."""

    def wanted(obj: Object) -> Object:
        return codec.to_object(sync_operation(application.parse(obj), request))

    return await _start(cluster, request.app, wanted, permit)


def sync_operation(app: Application, request: SyncRequest) -> Operation:
    """Return the operation that a request stands for."""
    if request.manifests and is_automated(app):
        raise Refused(
            "local files cannot be synced while auto-sync is enabled: it would revert them immediately",
            hint=f"syncline app set {app.metadata.name} --sync-policy none",
        )
    policy = app.spec.sync_policy or SyncPolicy()
    options = policy.sync_options if request.sync_options is None else request.sync_options
    wanted = msgspec.structs.replace(
        request.revisions.of(app),
        prune=request.prune,
        dry_run=request.dry_run,
        sync_strategy=request.strategy,
        resources=request.resources,
        manifests=request.manifests,
        sync_options=tuple(dict.fromkeys([*options, *request.more_options])),
    )
    return Operation(
        sync=wanted,
        initiated_by=OperationInitiator(username=request.username),
        info=request.info,
        retry=request.retry or policy.retry or RetryStrategy(),
    )


async def rollback(
    cluster: Cluster, request: RollbackRequest, permit: Permit = lambda _stored: None
) -> StoredApplication:
    """Start a sync to an earlier state; raises `Refused` while auto-sync would undo it.

    Where it was delivered from may be forbidden by now, which is told at once.
    """
    before = await read_application(cluster, request.app)
    rules = await read_rules(cluster, before.control_namespace(request.control or request.app.namespace))

    def wanted(obj: Object) -> Object:
        app = application.parse(obj)
        place = _history_place(app, request)
        written = codec.to_object(rollback_operation(app, app.status.history[place], request))
        # Taken from the object itself, so that fields of a source that nobody here knows come along.
        entry = obj["status"]["history"][place]
        sources = {name: entry[name] for name in ("source", "sources") if entry.get(name)}
        spec = {name: value for name, value in obj["spec"].items() if name not in ("source", "sources")}
        rules.require({**obj, "spec": {**spec, **sources}})
        return {**written, "sync": {**written["sync"], **sources}}

    return await _start(cluster, request.app, wanted, permit)


def rollback_operation(app: Application, entry: RevisionHistory, request: RollbackRequest) -> Operation:
    """Return the operation that goes back to an entry of the history."""
    policy = app.spec.sync_policy or SyncPolicy()
    wanted = SyncOperation(
        revision=entry.revision,
        revisions=entry.revisions,
        prune=request.prune,
        dry_run=request.dry_run,
        sync_strategy=SyncStrategy(apply=SyncStrategyApply()),
        sync_options=policy.sync_options,
        source=entry.source,
        sources=entry.sources,
    )
    return Operation(sync=wanted, initiated_by=OperationInitiator(username=request.username), retry=RetryStrategy())


def rollback_sync(app: Application, request: RollbackRequest) -> SyncOperation:
    """Return the sync that a rollback would be, to be looked at first; refused where the rollback would be."""
    entry = app.status.history[_history_place(app, request)]
    return rollback_operation(app, entry, request).sync or SyncOperation()


def _history_place(app: Application, request: RollbackRequest) -> int:
    if is_automated(app):
        raise Refused(
            "rollback cannot be initiated when auto-sync is enabled: it would be reverted immediately",
            hint=f"syncline app set {request.app.name} --sync-policy none, or revert the commit",
        )
    history = app.status.history
    if request.id is None:
        if len(history) < 2:
            raise NotFound("there is no earlier sync to roll back to")
        return len(history) - 2
    ids = [entry.id for entry in history]
    if request.id not in ids:
        known = ", ".join(map(str, ids)) or "none"
        raise NotFound(f"the history has no entry {request.id}", hint=f"known: {known}")
    return ids.index(request.id)


async def terminate(
    cluster: Cluster, key: AppKey, clock: Clock, permit: Permit = lambda _stored: None
) -> StoredApplication:
    """End the operation that runs, or that waits to be started; raises `Refused` where there is none."""

    def terminating(app: Object) -> Object:
        if not app.get("operation"):
            raise Refused(f"Application {key.name} has no operation in progress, so there is nothing to terminate")
        status = app.get("status") or {}
        state = status.get("operationState")
        if not state:
            state = {"operation": app["operation"], "startedAt": times.format_time(clock.now())}
        ended = {**state, "phase": OperationPhase.TERMINATING.value}
        return {**app, "status": {**status, "operationState": ended}}

    return await change_application(cluster, key, terminating, permit)


def is_automated(app: Application) -> bool:
    """Whether an Application syncs without being asked."""
    automated = app.spec.sync_policy.automated if app.spec.sync_policy else None
    return automated is not None and automated.enabled is not False


def resources_with_labels(assessment: Assessment, labels: Sequence[str]) -> tuple[SyncOperationResource, ...]:
    """Return the desired objects that have all these labels (KEY=VALUE), for a sync of just these."""
    selector = LabelSelector.parse(",".join(labels))
    found = tuple(
        SyncOperationResource(kind=key.kind, name=key.name, group=key.group, namespace=key.namespace)
        for item in assessment.prepared.objects
        if selector.matches(item.obj["metadata"].get("labels") or {})
        for key in [item.key]
    )
    if not found:
        raise InvalidRequest(f"no object of {assessment.app.metadata.name} has the label {', '.join(labels)}")
    return found


async def _start(
    cluster: Cluster, key: AppKey, operation: Callable[[Object], Object], permit: Permit
) -> StoredApplication:
    def started(app: Object) -> Object:
        status = app.get("status") or {}
        if app.get("operation"):
            progress = (status.get("operationState") or {}).get("message") or "waiting to start"
            raise Refused(f"another operation is already in progress on {key.name}", hint=str(progress))
        if app["metadata"].get("deletionTimestamp"):
            raise Refused(f"Application {key.name} is being deleted")
        app = {**app, "operation": operation(app)}
        if "operationState" in status:
            app["status"] = {name: value for name, value in status.items() if name != "operationState"}
        return app

    return await change_application(cluster, key, started, permit)
