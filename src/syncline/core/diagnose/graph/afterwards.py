"""What has given up while a cause lasted, and is not tried again once it is gone: commands to carry out then.

Called by `syncline.core.diagnose.graph.diagnose` for each cause.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.diagnose.graph.causes import Cause, Graph, Vertex
from syncline.core.diagnose.graph.fault import condition
from syncline.core.diagnose.graph.view.fleet import APPLICATION, FleetIndex, part
from syncline.model import names
from syncline.model.diagnosis import Thing

_JOB = GroupKind("batch", "Job")
_HOOKS = (names.HOOK, names.HELM_HOOK)


def commands(fleet: FleetIndex, graph: Graph, cause: Cause, followed_by: Iterable[Vertex]) -> tuple[str, ...]:
    """Return what to do once a cause is gone, about what follows from it and does not try again."""
    roots = {thing for thing, _position in cause.roots} | {cause.thing}
    vertices = [vertex for vertex in followed_by if vertex[0] not in roots]
    followed = sorted({thing for thing, _position in vertices}, key=str)
    differing = {thing for thing, position in vertices if graph.faults[thing, position].state == "OutOfSync"}
    jobs, apps = _given_up(fleet, followed), _not_healed(fleet, followed, differing)
    deletions = [["kubectl", "delete", "job", "-n", space, *names] for space, names in jobs.items()]
    syncs = [["syncline", "app", "sync", *apps]] if apps else []
    return tuple(shlex.join(one) for one in (*deletions, *syncs))


def _given_up(fleet: FleetIndex, things: list[Thing]) -> dict[str, list[str]]:
    """Return the Jobs that failed for good, by namespace: deleted, they are made again."""
    found: dict[str, list[str]] = {}
    for thing in things:
        if thing.key is not None and thing.key.group_kind == _JOB and _gave_up(fleet.find(thing) or {}):
            found.setdefault(thing.key.namespace, []).append(thing.key.name)
    return dict(sorted(found.items()))


def _gave_up(job: Object) -> bool:
    """Whether a Job failed for good; those of a CronJob, and hooks, are replaced without anybody deleting them."""
    hook = any(name in meta.annotations(job) for name in _HOOKS)
    return condition(job, "Failed").get("status") == "True" and not hook and not meta.owner_references(job)


def _not_healed(fleet: FleetIndex, things: list[Thing], differing: Collection[Thing]) -> list[str]:
    """Return the Applications that are out of sync with what was tried, and that nothing tries again.

    Argo CD repeats no sync that failed, whatever the policy, until there is a new commit; and without self-heal none
    that went well, which counts for those that differ because of the cause.
    """
    found = []
    for thing in things:
        app = fleet.find(thing) if thing.key is not None and thing.key.group_kind == APPLICATION else None
        if app is None or part(app, "status", "sync").get("status") != "OutOfSync" or meta.deletion_timestamp(app):
            continue
        heals = part(app, "spec", "syncPolicy", "automated").get("selfHeal") is True
        phase = part(app, "status", "operationState").get("phase")
        if phase in ("Failed", "Error") or (phase == "Succeeded" and not heals and thing in differing):
            found.append(meta.name(app))
    return found
