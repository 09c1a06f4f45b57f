"""Writes what was decided about an ApplicationSet: Applications first, then the set itself.

Called by `syncline.controller.appsets.reconcile`. Every write can be repeated: who is killed in between is followed by
one who decides again from what is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.decide import Change, Deletion, SetDecision
from syncline.model import names
from syncline.ports.kube import ApiError, ApiResource

_AT_ONCE = 10
CREATE_FAILED = "CreateApplicationError"
UPDATE_FAILED = "UpdateApplicationError"
DELETE_FAILED = "DeleteApplicationError"


class Refusal(Exception):
    """The API server refused a write; `reason` is that of the condition which says so."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Writer:
    """Writes Applications and sets of the home cluster."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live

    async def carry_out(self, namespace: str, decision: SetDecision, *, updates: bool) -> None:
        """Create, change and delete; one refusal does not keep the others, and is raised at the end.

        Where the policy lets Applications be changed, a refused creation has the reason of a change, as with Argo CD.
        """
        turns = asyncio.Semaphore(_AT_ONCE)

        async def in_turn(work: Awaitable[None], reason: str, name: str) -> Refusal | None:
            async with turns:
                try:
                    await work
                except ApiError as error:
                    if error.code == 409 or (error.code == 404 and reason != CREATE_FAILED):
                        raise
                    told = UPDATE_FAILED if updates and reason == CREATE_FAILED else reason
                    return Refusal(told, f"Application {name}: {error.message}")
            return None

        work = [
            *((self._create(obj), CREATE_FAILED, meta.name(obj)) for obj in decision.create),
            *((self._change(namespace, one), UPDATE_FAILED, one.name) for one in decision.change),
        ]
        await _all(in_turn(*one) for one in work)
        await _all(in_turn(self._delete(namespace, one), DELETE_FAILED, one.name) for one in decision.delete)

    async def _create(self, obj: Object) -> None:
        # Noted as a change: whoever delivers it has to hear of it.
        self._live.note_change(await self._world.home.create(self._resource(), obj, manager=names.STATUS_MANAGER))

    async def _change(self, namespace: str, change: Change) -> None:
        metadata = {**change.patch.get("metadata", {}), "resourceVersion": change.resource_version}
        await self.patch_app(namespace, change.name, {**change.patch, "metadata": metadata})

    async def patch_app(self, namespace: str, name: str, patch: Object) -> None:
        """Change an Application."""
        stored = await self._world.home.patch(self._resource(), namespace, name, patch, manager=names.STATUS_MANAGER)
        self._live.note_change(stored)

    async def _delete(self, namespace: str, deletion: Deletion) -> None:
        if deletion.finalizers is not None:
            patch = {"metadata": {"uid": deletion.uid, "finalizers": deletion.finalizers or None}}
            await self.patch_app(namespace, deletion.name, patch)
        await self.delete_app(namespace, deletion.name, deletion.uid)

    async def delete_app(self, namespace: str, name: str, uid: str) -> None:
        """Delete an Application; its own finalizer says what becomes of its objects."""
        await self._world.home.delete(self._resource(), namespace, name, uid=uid, propagation="Background")

    async def patch_set(self, appset: Object, metadata: Object) -> Object:
        """Change the metadata of a set; return it as it is stored."""
        patch = {"metadata": {**metadata, "resourceVersion": meta.resource_version(appset)}}
        return await self._patched(appset, patch, "")

    async def record(self, appset: Object, status: Object) -> Object:
        """Write the status of a set where it changed; return the set as it is stored."""
        change = json_merge.make(appset.get("status") or {}, status)
        if change is None:
            return appset
        patch: dict[str, Any] = {"metadata": {"resourceVersion": meta.resource_version(appset)}, "status": change}
        return await self._patched(appset, patch, "status")

    async def _patched(self, appset: Object, patch: Object, subresource: str) -> Object:
        resource = self._live.resource(APPLICATION_SET)
        if resource is None:
            raise ApiError(404, "NotFound", "ApplicationSets are not served")
        stored = await self._world.home.patch(
            resource,
            meta.namespace(appset),
            meta.name(appset),
            patch,
            manager=names.STATUS_MANAGER,
            subresource=subresource,
        )
        self._live.note_write(stored)
        return stored

    def _resource(self) -> ApiResource:
        resource = self._live.resource(APPLICATION)
        if resource is None:
            raise ApiError(404, "NotFound", "Applications are not served")
        return resource


async def _all(work: Iterable[Awaitable[Refusal | None]]) -> None:
    """Wait for all; raise the first refusal, or what the next pass has to look at."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, Refusal):
            raise result
    for result in results:
        if isinstance(result, Refusal):
            raise result
