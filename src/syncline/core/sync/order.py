"""The order of tasks: phase, wave, kind, name; prunes mirrored or last; namespaces and CRDs before what needs them.

Called by `syncline.core.sync.plan`. A namespace or CRD that is pulled forward takes the phase and wave of the first
object that lives in it; prunes pull nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.sync import options, pruning, waves
from syncline.model.plan import Phase, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.sync_options import SyncOptions

_NAMESPACE = GroupKind("", "Namespace")


def in_order(
    tasks: Sequence[Task], provided: Mapping[ObjectKey, GroupKind], *, namespace_of_cluster_scoped: str = ""
) -> list[Task]:
    """Return tasks sorted, with namespaces and CRDs (`provided`: what kind each brings) before their first tenants.

    Argo CD takes cluster-scoped objects for tenants of the destination namespace (`namespace_of_cluster_scoped`).
    """
    ranked = sorted(tasks, key=_rank)
    namespaces: dict[str, int] = {}
    kinds: dict[GroupKind, int] = {}
    for place, task in enumerate(ranked):
        if task.action is TaskAction.PRUNE:
            continue
        if task.key.group_kind != _NAMESPACE:
            namespaces.setdefault(task.key.namespace or namespace_of_cluster_scoped, place)
        kinds.setdefault(task.key.group_kind, place)
    placed = []
    for place, task in enumerate(ranked):
        tenant, step = place, 2
        if task.action is TaskAction.APPLY and task.key.group_kind == _NAMESPACE:
            tenant, step = namespaces.get(task.key.name, place), 0
        elif task.action is TaskAction.APPLY and task.key in provided:
            tenant, step = kinds.get(provided[task.key], place), 1
        if tenant < place:
            placed.append(((tenant, step, place), _pulled(task, ranked[tenant])))
        else:
            placed.append(((place, 2, 0), task))
    return [task for _, task in sorted(placed, key=lambda item: item[0])]


def _rank(task: Task) -> tuple[int, int, int, str, str]:
    return (task.phase.rank, task.wave, waves.kind_rank(task.key.kind), task.key.name, str(task.key))


def _pulled(task: Task, tenant: Task) -> Task:
    return msgspec.structs.replace(task, phase=tenant.phase, wave=tenant.wave, reason=Reason.PULLED_FORWARD)


def mirror_prunes(tasks: list[Task]) -> list[Task]:
    """Give prunes the mirrored wave: what was created last is pruned first."""
    present = sorted({task.wave for task in tasks if task.action is TaskAction.PRUNE})
    mirrored = dict(zip(present, reversed(present), strict=True))
    return [
        msgspec.structs.replace(task, wave=mirrored[task.wave]) if task.action is TaskAction.PRUNE else task
        for task in tasks
    ]


def prune_last(tasks: list[Task], live: Mapping[ObjectKey, Object], app_options: SyncOptions) -> list[Task]:
    """Move prunes marked PruneLast, and those about which Syncline asks, behind the highest wave of the Sync phase."""
    highest = max([0, *(task.wave for task in tasks if task.phase is Phase.SYNC)])

    def moved(task: Task) -> Task:
        if task.action is not TaskAction.PRUNE:
            return task
        last = options.pruned_last(app_options, live.get(task.key)) or pruning.asked_last(task)
        return msgspec.structs.replace(task, wave=highest + 1) if last else task

    return [moved(task) for task in tasks]
