"""Writes single objects: apply, create as hook, prune, release; each answer becomes a result.

Called by `syncline.controller.act`. Deletes carry the UID that was looked at, so that a namesake made in the meantime
is never hit; a hook that already exists with this attempt's stamp counts as created.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of
from syncline.core.compare.compare import NodeFor
from syncline.core.compare.migration import migrated
from syncline.core.sync import hooks
from syncline.core.sync.step import settled
from syncline.model import names
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.ports.kube import ApiError, ApiResource, Cluster

Resolve = Callable[[Task], ApiResource | None]


class Hands:
    """Does things to objects of one cluster on behalf of one operation."""

    def __init__(self, cluster: Cluster, resolve: Resolve, *, manager: str, node_for: NodeFor) -> None:
        self._cluster = cluster
        self._resolve = resolve
        self._manager = manager
        self._node_for = node_for
        self.written: dict[ObjectKey, Object] = {}

    async def apply(self, task: Task, desired: Object, live: Object | None) -> TaskResult:
        """Server-side apply one object."""
        resource = self._resolve(task)
        if resource is None:
            return _failed(task, _unknown_kind(task))
        try:
            if live is not None:
                await self._migrate(resource, live)
            written = await self._cluster.apply(resource, desired, manager=self._manager)
        except ApiError as error:
            return _failed(task, error.message)
        self.written[task.key] = written
        return _settle_now(task, _result(task, ResultCode.SYNCED, _words(task, live, written)), written)

    async def create_hook(self, task: Task, desired: Object, stamp: str) -> TaskResult:
        """Create a hook object, once per attempt."""
        resource = self._resolve(task)
        if resource is None:
            return _failed(task, _unknown_kind(task))
        obj = hooks.stamped(desired, task.key.name, stamp)
        try:
            written = await self._cluster.create(resource, obj, manager=self._manager)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                return _failed(task, error.message)
            if HookDeletePolicy.BEFORE_CREATION not in task.delete_policies:
                # Meant to stay between syncs: it is brought up to date, never deleted.
                return await self.apply(task, obj, None)
            return await self._adopt_hook(task, resource, stamp, error)
        self.written[task.key] = written
        return _settle_now(task, _result(task, ResultCode.SYNCED, f"{_title(task)} created"), written)

    async def _adopt_hook(self, task: Task, resource: ApiResource, stamp: str, error: ApiError) -> TaskResult:
        """Take over the hook object that a killed predecessor created, if it is of this very attempt."""
        found = await self._cluster.get(resource, task.key.namespace, task.key.name)
        if found is None or hooks.stamp_of(found) != stamp:
            return _failed(task, error.message)
        self.written[task.key] = found
        return _settle_now(task, _result(task, ResultCode.SYNCED, f"{_title(task)} created"), found)

    async def prune(self, task: Task, live: Object | None) -> TaskResult | None:
        """Delete one extra object; None when it changed since it was looked at, so that the next pass looks again."""
        if live is None or (live.get("metadata") or {}).get("deletionTimestamp"):
            return _result(task, ResultCode.PRUNED, "pruned", done=live is None)
        resource = self._resolve(task)
        if resource is None:
            return _failed(task, _unknown_kind(task))
        metadata = live.get("metadata") or {}
        try:
            await self._cluster.delete(
                resource,
                task.key.namespace,
                task.key.name,
                uid=str(metadata.get("uid") or ""),
                resource_version=str(metadata.get("resourceVersion") or ""),
            )
        except ApiError as error:
            return None if error.reason == "Conflict" else _failed(task, error.message)
        return _result(task, ResultCode.PRUNED, "pruned")

    async def delete_hook(self, task: Task, live: Object) -> None:
        """Delete a hook object that was looked at; one that is gone or replaced is left alone."""
        resource = self._resolve(task)
        if resource is None or (live.get("metadata") or {}).get("deletionTimestamp"):
            return
        uid = str((live.get("metadata") or {}).get("uid") or "")
        try:
            await self._cluster.delete(resource, task.key.namespace, task.key.name, uid=uid)
        except ApiError as error:
            if error.reason not in ("Conflict", "NotFound"):
                raise

    async def release_hook(self, task: Task, live: Object) -> None:
        """Remove our finalizer from a hook object, so that it can go."""
        resource = self._resolve(task)
        metadata = live.get("metadata") or {}
        left = [name for name in metadata.get("finalizers") or () if name != names.HOOK_FINALIZER]
        if resource is None:
            return
        patch: dict[str, Any] = {"metadata": {"finalizers": left or None, "uid": metadata.get("uid")}}
        try:
            released = await self._cluster.patch(
                resource, task.key.namespace, task.key.name, patch, manager=self._manager
            )
        except ApiError as error:
            if error.reason not in ("Conflict", "NotFound"):
                raise
        else:
            self.written[task.key] = released

    async def _migrate(self, resource: ApiResource, live: Object) -> None:
        """Move ownership left by client-side apply to our manager, on the version that was looked at."""
        moved = migrated(live, self._manager, self._node_for(gvk_of(live)))
        if moved is None:
            return
        metadata = moved["metadata"]
        patch = [
            {"op": "replace", "path": "/metadata/managedFields", "value": metadata["managedFields"]},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
        ]
        await self._cluster.patch(
            resource, metadata.get("namespace", ""), metadata["name"], patch, kind="json", manager=self._manager
        )


def skipped(task: Task) -> TaskResult:
    """Return the result of a prune that is not to be done."""
    words = {
        Reason.PRUNE_FORBIDDEN: "ignored (no prune)",
        Reason.PRUNE_UNSAFE: "ignored (not everything could be read, so nothing is deleted)",
    }
    return _result(task, ResultCode.PRUNE_SKIPPED, words.get(task.reason, "ignored (requires pruning)"), done=True)


def _result(task: Task, code: ResultCode, message: str, *, done: bool = False) -> TaskResult:
    return TaskResult(
        key=task.key,
        version=task.version,
        phase=task.phase,
        code=code,
        message=message,
        hook_type=task.hook_type,
        hook_phase=OperationPhase.SUCCEEDED if done else OperationPhase.RUNNING,
    )


def _failed(task: Task, message: str) -> TaskResult:
    return TaskResult(
        key=task.key,
        version=task.version,
        phase=task.phase,
        code=ResultCode.SYNC_FAILED,
        message=message,
        hook_type=task.hook_type,
        hook_phase=OperationPhase.FAILED,
    )


def _settle_now(task: Task, result: TaskResult, written: Object) -> TaskResult:
    """Return the result as it stands when the answer already shows the end (a ConfigMap has nothing to wait for)."""
    return settled(result, task, written) or result


def _title(task: Task) -> str:
    group = f".{task.key.group}" if task.key.group else ""
    return f"{task.key.kind.lower()}{group}/{task.key.name}"


def _words(task: Task, live: Object | None, written: Object) -> str:
    if live is None:
        return f"{_title(task)} created"
    same = (live.get("metadata") or {}).get("resourceVersion") == (written.get("metadata") or {}).get("resourceVersion")
    return f"{_title(task)} {'unchanged' if same else 'configured'}"


def _unknown_kind(task: Task) -> str:
    kind = f"{task.key.group}/{task.key.kind}" if task.key.group else task.key.kind
    return f'The Kubernetes API could not find {kind}. Make sure the "{task.key.kind}" CRD is installed.'
