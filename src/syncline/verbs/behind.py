"""Looks behind an app for what may be the cause of its trouble: all clusters in view, logs of others, its own set.

Called by `syncline.verbs.explain` for an app that is not in order. The clusters were read anyway; only a few logs are
asked for, where the trail leads to pods of others, and the generators of the set that made the app.
"""

from __future__ import annotations

import asyncio

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey, key_of
from syncline.core.assess import Assessment
from syncline.core.diagnose.graph.upstream import Search
from syncline.model import names
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Generated
from syncline.verbs.fleet import pod_logs
from syncline.verbs.fleet.generating import generated
from syncline.verbs.look import ClusterView

_SET = GroupKind(names.GROUP, "ApplicationSet")
_ASK_WITHIN = 2.0
_LOGS = 6


async def behind(view: ClusterView, assessment: Assessment) -> Search:
    """Return what is bad behind an app."""
    around = msgspec.structs.replace(await view.around(assessment), generated=await _generated(view, assessment))
    search = _search(assessment, around)
    read = await _with_logs(view, around, search)
    return search if read is around else _search(assessment, read)


def _search(assessment: Assessment, around: FleetSnapshot) -> Search:
    own = {*assessment.live, *(item.key for item in assessment.prepared.objects)}
    return Search(around, key_of(assessment.snapshot.app), own)


async def _with_logs(view: ClusterView, around: FleetSnapshot, search: Search) -> FleetSnapshot:
    """Return the clusters with what pods of others printed; the same where there is nothing to read."""
    pods: dict[str, set[ObjectKey]] = {}
    for thing in search.pods():
        if thing.key is not None:
            pods.setdefault(thing.cluster, set()).add(thing.key)
    if not pods:
        return around
    clusters = [await _printed(view, one, pods.get(one.name, set())) for one in around.clusters]
    return msgspec.structs.replace(around, clusters=tuple(clusters))


async def _printed(view: ClusterView, cluster: ClusterSnapshot, pods: set[ObjectKey]) -> ClusterSnapshot:
    found = pod_logs.failed(obj for obj in cluster.objects if obj.get("kind") == "Pod" and key_of(obj) in pods)
    reader = view.cluster(cluster.server) if found else None
    if reader is None:
        return cluster
    read = await pod_logs.read(reader, found[:_LOGS])
    return msgspec.structs.replace(cluster, logs=(*cluster.logs, *read.logs))


async def _generated(view: ClusterView, assessment: Assessment) -> tuple[Generated, ...]:
    """Return what the set of an app generates now, where that takes no other repository than those of the app."""
    owners = meta.owner_references(assessment.snapshot.app)
    named = {str(one.get("name")) for one in owners if one.get("kind") == _SET.kind}
    sets = [one for one in view.home.index.of_kind(_SET, assessment.app.metadata.namespace) if meta.name(one) in named]
    if not sets:
        return ()
    here = {source.repo_url for source in assessment.app.spec.all_sources}
    deadline = asyncio.get_running_loop().time() + _ASK_WITHIN
    return await generated(sets, view.ports.source, here.__contains__, deadline)
