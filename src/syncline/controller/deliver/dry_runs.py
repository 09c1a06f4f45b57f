"""Asks the server what applying an object would leave behind, for comparisons that want its word.

Called by `syncline.controller.deliver.act` on behalf of `syncline.controller.deliver.reconcile`, after a first
comparison has said which objects are in doubt; the answers go into the snapshot. An answer holds for one version of a
live object and one desired object, so that an app at rest sends nothing.
"""

from __future__ import annotations

import asyncio
import hashlib

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.assess import Assessment, needed_dry_runs
from syncline.core.compare.prepare import Prepared
from syncline.model.masking import is_secret
from syncline.model.snapshot import DryRun
from syncline.ports.kube import ApiError

_PARALLEL = 20
_Mark = tuple[str, str, bytes]


class DryRuns:
    """Answers of one cluster, by Application."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._slots = asyncio.Semaphore(_PARALLEL)
        self._known: dict[ObjectKey, dict[ObjectKey, tuple[_Mark, DryRun]]] = {}

    async def answers(self, assessment: Assessment) -> tuple[DryRun, ...]:
        """Return an answer for each object in doubt, sending a dry run where none is known."""
        wanted = needed_dry_runs(assessment)
        if not wanted:
            self._known.pop(assessment.myself, None)
            return ()
        before = self._known.get(assessment.myself, {})
        marks = {item.key: _mark(item, assessment.live[item.key]) for item in wanted}

        async def one(item: Prepared) -> DryRun:
            known = before.get(item.key)
            return known[1] if known is not None and known[0] == marks[item.key] else await self._ask(item)

        found = tuple(await asyncio.gather(*(one(item) for item in wanted)))
        self._known[assessment.myself] = {run.key: (marks[run.key], run) for run in found}
        return found

    def forget(self, app: ObjectKey) -> None:
        """Drop the answers about an Application."""
        self._known.pop(app, None)

    async def _ask(self, item: Prepared) -> DryRun:
        resource = self._live.resource(item.key.group_kind, item.version)
        if resource is None:
            return DryRun(item.key, refused=f"the cluster does not serve {item.key.group_kind}")
        manager = self._world.settings.field_manager
        try:
            async with self._slots:
                answer = await self._world.home.apply(
                    resource, item.obj, manager=manager, dry_run=True, validation="Ignore"
                )
        except ApiError as error:
            words = "its message is not shown: this is a Secret" if is_secret(item.obj) else error.message
            return DryRun(item.key, refused=words)
        return DryRun(item.key, answer)


def _mark(item: Prepared, live: Object) -> _Mark:
    metadata = meta.metadata(live)
    digest = hashlib.sha256(orjson.dumps(item.obj, option=orjson.OPT_SORT_KEYS)).digest()
    return (str(metadata.get("uid") or ""), str(metadata.get("resourceVersion") or ""), digest)
