"""The four ways of getting an object into the cluster, and the fifth: recreating it.

Called by `syncline.controller.deliver.apply`, which turns the answer into a result. What is live is read again right
before client-side apply and replacement, because both are computed from it. The odd fact: a CRD or Namespace is never
deleted by replacement, whatever the server says, since everything in it would go too. Replacement with force makes
every other object again in each sync, which is how people run a Job again; one that was made since the operation began
is left, so that a process killed before it could write that down does not run it twice. A trial sends dry runs alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.compare.compare import NodeFor
from syncline.core.compare.migration import migrated
from syncline.core.sync import client_side
from syncline.model.plan import Method, Task
from syncline.ports.kube import ApiError, ApiResource, Cluster

_KEPT = (GroupKind("", "Namespace"), GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"))
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_RBAC = "rbac.authorization.k8s.io"
_PATIENCE = 60
_PUTS = 3
_PAUSE = 0.5

Sleep = Callable[[float], Awaitable[None]]


class WrittenObject(msgspec.Struct, frozen=True):
    """The object as stored, and as it was before; None where there was none."""

    obj: Object
    before: Object | None = None


class ObjectWriter:
    """Writes objects of one cluster as one field manager."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        manager: str,
        node_for: NodeFor,
        sleep: Sleep,
        earlier_managers: tuple[str, ...] = (),
        since: str = "",
        trial: bool = False,
    ) -> None:
        self._cluster = cluster
        self._manager = manager
        self._node_for = node_for
        self._sleep = sleep
        self._earlier_managers = earlier_managers
        self._since = since
        self._trial = trial

    async def write(self, task: Task, resource: ApiResource, desired: Object, live: Object | None) -> WrittenObject:
        """Get one object into the cluster as its task says; raises `ApiError` where the server refuses."""
        try:
            match task.how.method:
                case Method.SERVER_SIDE:
                    return await self._server_side(task, resource, desired, live)
                case Method.CLIENT_SIDE:
                    return await self._client_side(task, resource, desired, live)
                case _:
                    return await self._replace(task, resource, desired, live)
        except ApiError as error:
            if not task.how.force or not _calls_for_force(error):
                raise
            if self._trial:
                return WrittenObject(desired, live)
            return await self._recreate_refused(task, resource, desired, error)

    async def _server_side(
        self, task: Task, resource: ApiResource, desired: Object, live: Object | None
    ) -> WrittenObject:
        if live is not None and task.how.migrate and not self._trial:
            await self._migrate(resource, live)
        validation = _validation(task)
        stored = await self._cluster.apply(
            resource, desired, manager=self._manager, validation=validation, dry_run=self._trial
        )
        return WrittenObject(stored, live)

    async def _reread(self, task: Task, resource: ApiResource, seen: Object | None) -> Object | None:
        """Return what is live now; raises `ApiError` where a contested object is not the very one that was seen."""
        live = await self._cluster.get(resource, task.key.namespace, task.key.name)
        if task.contested and live is not None and (seen is None or version_of(live) != version_of(seen)):
            raise ApiError(409, "Conflict", f"{task.key.short} has changed since it was looked at")
        return live

    async def _client_side(
        self, task: Task, resource: ApiResource, desired: Object, seen: Object | None
    ) -> WrittenObject:
        live = await self._reread(task, resource, seen)
        if live is None:
            return await self._create(task, resource, client_side.annotated(desired))
        if _is_rebound(desired, live):
            # A binding cannot change its role; kubectl reconciles permissions by recreating it.
            return await self._recreate(task, resource, client_side.annotated(desired), live)
        node = self._node_for(gvk_of(desired))
        patch = client_side.patch_for(desired, live, manager=self._manager, node=node)
        if patch is None:
            return WrittenObject(live, live)
        body = patch.body
        if task.contested:
            body = {**body, "metadata": {**(body.get("metadata") or {}), **version_of(live)}}
        stored = await self._cluster.patch(
            resource,
            task.key.namespace,
            task.key.name,
            body,
            kind=patch.kind,
            manager=self._manager,
            validation=_validation(task),
            dry_run=self._trial,
        )
        return WrittenObject(stored, live)

    async def _replace(self, task: Task, resource: ApiResource, desired: Object, seen: Object | None) -> WrittenObject:
        metadata = meta.metadata(desired)
        live = await self._reread(task, resource, seen) if metadata.get("name") else None
        if live is None:
            return await self._create(task, resource, desired)
        if task.how.force and task.key.group_kind not in _KEPT and not self._is_of_this_operation(live):
            return await self._recreate(task, resource, desired, live)
        return await self._put(task, resource, desired, live)

    async def _put(self, task: Task, resource: ApiResource, desired: Object, live: Object) -> WrittenObject:
        """Replace a live object, also when somebody wrote to it in between: what it says is replaced anyway."""
        for _ in range(_PUTS):
            whole = {**desired, "metadata": {**meta.metadata(desired), **version_of(live)}}
            try:
                stored = await self._cluster.replace(
                    resource, whole, manager=self._manager, validation=_validation(task), dry_run=self._trial
                )
            except ApiError as error:
                if error.reason != "Conflict" or task.contested:
                    raise
                found = await self._cluster.get(resource, task.key.namespace, task.key.name)
                if found is None or meta.uid(found) != meta.uid(live):
                    raise
                live = found
            else:
                return WrittenObject(stored, live)
        raise ApiError(
            409, "Conflict", f"{task.key.short} was written to by others {_PUTS} times while it was replaced"
        )

    def _is_of_this_operation(self, live: Object) -> bool:
        made = meta.creation_timestamp(live)
        return bool(self._since) and made >= self._since

    async def _recreate(self, task: Task, resource: ApiResource, desired: Object, live: Object) -> WrittenObject:
        if self._trial:
            return WrittenObject(desired, live)
        await self._delete(task, resource, live)
        return WrittenObject((await self._create(task, resource, desired)).obj, live)

    async def _create(self, task: Task, resource: ApiResource, obj: Object) -> WrittenObject:
        stored = await self._cluster.create(
            resource, obj, manager=self._manager, validation=_validation(task), dry_run=self._trial
        )
        return WrittenObject(stored, None)

    async def _recreate_refused(
        self, task: Task, resource: ApiResource, desired: Object, refusal: ApiError
    ) -> WrittenObject:
        live = await self._cluster.get(resource, task.key.namespace, task.key.name)
        replacing = task.how.method in (Method.REPLACE, Method.CREATE)
        if live is None or (replacing and task.key.group_kind in _KEPT):
            raise refusal
        await self._delete(task, resource, live)
        if task.how.method is Method.SERVER_SIDE:
            return await self._server_side(task, resource, desired, None)
        obj = client_side.annotated(desired) if task.how.method is Method.CLIENT_SIDE else desired
        return await self._create(task, resource, obj)

    async def _delete(self, task: Task, resource: ApiResource, live: Object) -> None:
        """Delete the very object that was looked at, and wait until it is gone."""
        uid, version = meta.uid(live), meta.resource_version(live) if task.contested else ""
        await self._cluster.delete(
            resource, task.key.namespace, task.key.name, uid=uid, resource_version=version, propagation="Background"
        )
        left: Object | None = live
        for _ in range(_PATIENCE):
            left = await self._cluster.get(resource, task.key.namespace, task.key.name)
            if left is None or meta.uid(left) != uid:
                return
            await self._sleep(_PAUSE)
        held = ", ".join(meta.metadata(left).get("finalizers") or ["an unknown cause"])
        message = f"{task.key.short} was deleted to be recreated, but is still terminating, held by {held}"
        raise ApiError(409, "Conflict", message)

    async def _migrate(self, resource: ApiResource, live: Object) -> None:
        """Move ownership left by client-side apply to our manager, on the version that was looked at."""
        moved = migrated(live, self._manager, self._node_for(gvk_of(live)), self._earlier_managers)
        if moved is None:
            return
        metadata = moved["metadata"]
        patch: list[dict[str, Any]] = [
            {"op": "replace", "path": "/metadata/managedFields", "value": metadata["managedFields"]},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
        ]
        await self._cluster.patch(
            resource, metadata.get("namespace", ""), metadata["name"], patch, kind="json", manager=self._manager
        )


def version_of(obj: Object) -> dict[str, str]:
    """Return what makes a write apply to the very version of the very object that was looked at."""
    return {"uid": meta.uid(obj), "resourceVersion": meta.resource_version(obj)}


def _validation(task: Task) -> str:
    return "Strict" if task.how.validate else "Ignore"


def _calls_for_force(error: ApiError) -> bool:
    """Whether a refusal is one that a new object would not meet: a conflict, or a field that must not change."""
    return error.reason in ("Conflict", "Invalid")


def _is_rebound(desired: Object, live: Object) -> bool:
    gvk = gvk_of(desired)
    if gvk.group != _RBAC or gvk.kind not in _BINDINGS:
        return False
    fields = ("kind", "name")
    return [(desired.get("roleRef") or {}).get(name) for name in fields] != [
        (live.get("roleRef") or {}).get(name) for name in fields
    ]
