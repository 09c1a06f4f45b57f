"""Writes single objects: apply, create as hook, prune, release; each answer becomes a result.

Called by `syncline.controller.deliver.act`; the ways of applying are in `syncline.controller.deliver.writing`. Deletes
carry the UID that was looked at, so that a namesake made in the meantime is never hit; a hook that already exists with
this attempt's stamp counts as created.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.deliver.writing import ObjectWriter, version_of
from syncline.core.summary import images_of
from syncline.core.sync import hooks, task_results
from syncline.core.sync.settling import HealthOf, settled
from syncline.model import names
from syncline.model.plan import HookDeletePolicy, Method, Task
from syncline.model.result import ResultCode, TaskResult
from syncline.ports.kube import ApiError, ApiResource, Cluster

Resolve = Callable[[Task], ApiResource | None]
MayWrite = Callable[[ObjectKey, Object | None], bool]
"""Whether an object, as it is live now, is one that the app may write."""
_FOR_GOOD = (400, 403, 405, 422)


class TaskRunner:
    """Does things to objects of one cluster on behalf of one operation."""

    def __init__(
        self,
        cluster: Cluster,
        resolve: Resolve,
        *,
        manager: str,
        writing: ObjectWriter,
        trial: ObjectWriter,
        health_of: HealthOf,
        may_write: MayWrite = lambda _key, _live: True,
        denied: Callable[[ObjectKey], str] = lambda _key: "",
    ) -> None:
        self._cluster = cluster
        self._may_write = may_write
        self._denied = denied
        """Says why the project permits no write to an object: asked last, whatever was planned."""
        self.held_up = False
        """Whether something was not written because it may have become another app's meanwhile."""
        self._health_of = health_of
        self._resolve = resolve
        self._manager = manager
        self._writer = writing
        self._trial = trial
        self.written: dict[ObjectKey, Object] = {}

    def _refused(self, task: Task) -> TaskResult | None:
        """Return the failure of a task that the project of the Application denies."""
        if words := self._denied(task.key):
            return task_results.failed(task, words)
        return None

    def _settle_now(self, task: Task, result: TaskResult, written: Object) -> TaskResult:
        """Return the result as it stands when the answer already shows the end (a ConfigMap has nothing to wait for).

        A bad end is not believed yet: the answer still carries the status of before the write.
        """
        now = settled(result, task, written, health_of=self._health_of)
        return now if now is not None and now.successful else result

    async def apply(self, task: Task, desired: Object, live: Object | None) -> TaskResult | None:
        """Apply one object the way its task says; None when it may have become another app's since it was looked at."""
        if refused := self._refused(task):
            return refused
        resource = self._resolve(task)
        if resource is None:
            return _unknown(task)
        if not self._may_write(task.key, live):
            self.held_up = True
            return None
        try:
            if task.contested:
                live = await self._cluster.get(resource, task.key.namespace, task.key.name)
                if not self._may_write(task.key, live):
                    self.held_up = True
                    return None
                desired = _at_version(task, desired, live)
            written = await self._writer.write(task, resource, desired, live)
        except ApiError as error:
            if task.contested and error.reason == "Conflict":
                self.held_up = True
                return None
            return task_results.failed(task, _with_hint(error))
        words, images = _words(task, written.before, written.obj), images_of(desired)
        if not meta.name(desired):
            # Named by the server, so nobody will find it under the task's key: created is all it can be.
            return task_results.done(task, ResultCode.SYNCED, words, images=images)
        self.written[task.key] = written.obj
        return self._settle_now(task, task_results.begun(task, ResultCode.SYNCED, words, images=images), written.obj)

    async def try_out(self, task: Task, desired: Object, live: Object | None, untried: str) -> TaskResult:
        """Have the server say what it would do with one object, without doing it; `untried` says why it cannot."""
        if refused := self._refused(task):
            return refused
        resource = self._resolve(task)
        if untried:
            return task_results.done(task, ResultCode.SYNCED, f"not tried: {untried}")
        if resource is None:
            return _unknown(task)
        if task.is_hook:
            task = msgspec.structs.replace(task, how=msgspec.structs.replace(task.how, method=Method.SERVER_SIDE))
            desired = hooks.named(desired, task.key.name)
        try:
            written = await self._trial.write(task, resource, desired, live)
        except ApiError as error:
            return task_results.failed(task, _with_hint(error))
        return task_results.done(task, ResultCode.SYNCED, f"{_words(task, written.before, written.obj)} (dry run)")

    async def create_hook(self, task: Task, desired: Object, stamp: str) -> TaskResult | None:
        """Create a hook object, once per attempt."""
        if refused := self._refused(task):
            return refused
        resource = self._resolve(task)
        if resource is None:
            return _unknown(task)
        obj = hooks.stamped(desired, task.key.name, stamp)
        try:
            validation = "Strict" if task.how.validate else "Ignore"
            written = await self._cluster.create(resource, obj, manager=self._manager, validation=validation)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                return task_results.failed(task, error.message)
            if HookDeletePolicy.BEFORE_CREATION not in task.delete_policies:
                # Meant to stay between syncs: it is brought up to date, never deleted.
                return await self.apply(task, obj, None)
            return await self._adopt_hook(task, resource, stamp, error)
        self.written[task.key] = written
        return self._settle_now(task, _created(task, desired), written)

    async def create_named(self, task: Task, desired: Object) -> TaskResult:
        """Create a hook of deletion; one that is there already was created before and counts."""
        if refused := self._refused(task):
            return refused
        resource = self._resolve(task)
        if resource is None:
            return _unknown(task)
        obj = hooks.named(desired, task.key.name)
        try:
            self.written[task.key] = await self._cluster.create(resource, obj, manager=self._manager)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                return task_results.failed(task, error.message)
        return task_results.begun(task, ResultCode.SYNCED, f"{_title(task)} created")

    async def _adopt_hook(self, task: Task, resource: ApiResource, stamp: str, error: ApiError) -> TaskResult:
        """Take over the hook object that a killed predecessor created, if it is of this very attempt."""
        found = await self._cluster.get(resource, task.key.namespace, task.key.name)
        if found is None or hooks.stamp_of(found) != stamp:
            return task_results.failed(task, error.message)
        self.written[task.key] = found
        return self._settle_now(task, _created(task, found), found)

    async def prune(self, task: Task, live: Object | None) -> TaskResult | None:
        """Delete one extra object; None when it changed since it was looked at, so that the next pass looks again."""
        if refused := self._refused(task):
            return refused
        if live is None:
            return task_results.done(task, ResultCode.PRUNED, "pruned")
        pruned = task_results.begun(task, ResultCode.PRUNED, "pruned", images=images_of(live))
        if meta.deletion_timestamp(live):
            return pruned
        resource = self._resolve(task)
        if resource is None:
            return _unknown(task)
        try:
            await self._cluster.delete(
                resource,
                task.key.namespace,
                task.key.name,
                uid=meta.uid(live),
                resource_version=meta.resource_version(live),
                propagation=task.propagation,
            )
        except ApiError as error:
            return None if error.reason == "Conflict" else task_results.failed(task, error.message)
        return pruned

    async def delete_hook(self, task: Task, live: Object) -> str:
        """Delete a hook object that was looked at; return why not. One that is gone or replaced is left alone."""
        if words := self._denied(task.key):
            return words
        resource = self._resolve(task)
        if resource is None or meta.metadata(live).get("deletionTimestamp"):
            return ""
        uid = meta.uid(live)
        try:
            await self._cluster.delete(
                resource, task.key.namespace, task.key.name, uid=uid, propagation=task.propagation
            )
        except ApiError as error:
            return f"failed to delete resource: {error.message}" if _is_refusal(error) else ""
        return ""

    async def release_hook(self, task: Task, live: Object) -> str:
        """Remove our finalizer from a hook object, so that it can go; return why that was refused."""
        if words := self._denied(task.key):
            return words
        resource = self._resolve(task)
        metadata = meta.metadata(live)
        left = [name for name in metadata.get("finalizers") or () if name != names.HOOK_FINALIZER]
        if resource is None:
            return ""
        patch: dict[str, Any] = {"metadata": {"finalizers": left or None, "uid": metadata.get("uid")}}
        try:
            released = await self._cluster.patch(
                resource, task.key.namespace, task.key.name, patch, manager=self._manager
            )
        except ApiError as error:
            return f"failed to remove hook finalizer: {error.message}" if _is_refusal(error) else ""
        self.written[task.key] = released
        return ""


def _at_version(task: Task, desired: Object, live: Object | None) -> Object:
    """Return what to apply to the very version that was looked at, so that nobody's write in between is lost."""
    if live is None or task.how.method is not Method.SERVER_SIDE:
        return desired
    return {**desired, "metadata": {**desired["metadata"], **version_of(live)}}


def _is_refusal(error: ApiError) -> bool:
    """Whether the server said no for good; nothing where the object is gone or replaced.

    Anything else passes, so it is raised and the pass is repeated: nothing was written down yet.
    """
    if error.reason in ("Conflict", "NotFound"):
        return False
    if error.code in _FOR_GOOD:
        return True
    raise error


def _created(task: Task, obj: Object) -> TaskResult:
    return task_results.begun(task, ResultCode.SYNCED, f"{_title(task)} created", images=images_of(obj))


def _unknown(task: Task) -> TaskResult:
    return task_results.failed(task, _unknown_kind(task))


def _title(task: Task) -> str:
    group = f".{task.key.group}" if task.key.group else ""
    return f"{task.key.kind.lower()}{group}/{task.key.name}"


def _words(task: Task, live: Object | None, written: Object) -> str:
    from_whom = f" ({task.detail})" if task.detail else ""
    if live is None:
        return f"{_title(task)} created{from_whom}"
    same = meta.resource_version(live) == meta.resource_version(written)
    return f"{_title(task)} {'unchanged' if same else 'configured'}{from_whom}"


def _with_hint(error: ApiError) -> str:
    """Return the server's words, and what to do where they do not say it."""
    if "metadata.annotations: Too long" in error.message:
        return f"{error.message}. Set the sync option ServerSideApply=true: it needs no last-applied annotation."
    return error.message


def _unknown_kind(task: Task) -> str:
    kind = f"{task.key.group}/{task.key.kind}" if task.key.group else task.key.kind
    return f'The Kubernetes API could not find {kind}. Make sure the "{task.key.kind}" CRD is installed.'
