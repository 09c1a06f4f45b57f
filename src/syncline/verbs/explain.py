"""Explains why an Application is not Synced and Healthy, from one look at it."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.assess import Assessment
from syncline.core.decide import decide
from syncline.core.diagnose.explain import Explanation, behind
from syncline.core.diagnose.explain import explain as explain_app
from syncline.core.diagnose.live.recorded import NOT_LOOKED, as_recorded, not_rendered
from syncline.core.sync import task_results
from syncline.model import names
from syncline.model.decision import Decision
from syncline.model.errors import SynclineError
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Generated
from syncline.verbs.fleet import pod_logs
from syncline.verbs.fleet.generating import generated
from syncline.verbs.look import ClusterView
from syncline.verbs.surroundings import rivals, with_surroundings

_SET = GroupKind(names.GROUP, "ApplicationSet")
_ASK_WITHIN = 2.0
_LOGS = 6


class Explained(msgspec.Struct, frozen=True):
    """The explanation, and what was seen."""

    explanation: Explanation
    assessment: Assessment


async def explain(view: ClusterView, app: Object, *, outside: bool = True) -> Explained:
    """Look at an Application, and say what is wrong and what the controller would do next.

    Causes are also looked for outside of the app, in all of the clusters that are in view, unless whoever asks may not
    see all of those.
    """
    for rival in rivals(view, app):
        # What another app desires is known once it was looked at; where that fails, its own `why` tells.
        with contextlib.suppress(SynclineError):
            await view.assess(rival)
    assessment = await with_surroundings(view, await view.assess(app))
    if why := not_rendered(assessment):
        recorded = as_recorded(assessment)
        told = msgspec.structs.replace(await _told(view, recorded, NOT_LOOKED, outside=outside), not_rendered=why)
        return Explained(told, recorded)
    assessment = await _with_layers(view, assessment)
    decision = decide(assessment, task_results.recorded(assessment.app.status.operation_state))
    return Explained(await _told(view, assessment, decision, outside=outside), assessment)


async def _told(view: ClusterView, assessment: Assessment, decision: Decision, *, outside: bool) -> Explanation:
    """Return why an app is as it is; where it is not in order, also by what is around it."""
    told = explain_app(assessment, decision)
    if told.good or not outside:
        return told
    around = await _with_logs(view, assessment, await view.around(assessment))
    around = msgspec.structs.replace(around, generated=await _generated(view, assessment))
    return explain_app(assessment, decision, around)


async def _with_logs(view: ClusterView, assessment: Assessment, around: FleetSnapshot) -> FleetSnapshot:
    """Return the clusters with what pods printed that are not of the app and may be why it is as it is."""
    pods: dict[str, set[ObjectKey]] = {}
    for thing in behind(assessment, around).pods():
        if thing.key is not None:
            pods.setdefault(thing.cluster, set()).add(thing.key)
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


async def _with_layers(view: ClusterView, assessment: Assessment) -> Assessment:
    """Return the assessment with the layers that its objects have their values from."""
    snapshot = msgspec.structs.replace(assessment.snapshot, layers=await view.layers(assessment))
    return msgspec.structs.replace(assessment, snapshot=snapshot)
