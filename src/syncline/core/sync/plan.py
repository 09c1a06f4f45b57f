"""Says what a sync does: which objects are applied, created as hooks and pruned, how, and in which order.

Called by `syncline.core.operating` on every pass with the comparison of the pinned revision; the same inputs always
give the same plan, so an operation resumes by planning again. The plan goes to `syncline.core.sync.step`. Order is
decided in `order`, the way of applying in `manner`, what cannot work in `refusals`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core import defined_kinds
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.sync import hooks, order, pruning
from syncline.core.sync.manner import manner_of
from syncline.core.sync.pruning import Pruning
from syncline.core.sync.refusals import Permitted, checked
from syncline.core.sync.selection import Covers, covers
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.operation import ManagedNamespaceMetadata, SyncOperation
from syncline.model.plan import ApplyMethod, Phase, Plan, Task, TaskAction
from syncline.model.project import AppProject
from syncline.model.reason import Reason
from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import NO_OPTIONS, SyncOptions

Live = Mapping[ObjectKey, Object]


class PlanContext(msgspec.Struct, frozen=True, kw_only=True):
    """What planning needs beyond the objects."""

    sync: SyncOperation
    app_options: SyncOptions = NO_OPTIONS
    destination_namespace: str = ""
    revision: str = ""
    started_unix: int = 0
    known_kinds: Mapping[GroupKind, tuple[str, ...]] = {}
    namespace_metadata: ManagedNamespaceMetadata | None = None
    begun: frozenset[ObjectKey] = frozenset()
    """Objects with a recorded result: they stay in the plan, even if by now they look as if they needed nothing."""
    project: AppProject | None = None
    destination: Destination = Destination()
    approved: bool = False
    """Whether somebody approved the deletions of this operation."""
    compat: Compat = Compat.SYNCLINE
    desired_elsewhere: frozenset[ObjectKey] = frozenset()
    """Objects that other apps desire: they change hands and are not pruned."""
    owned_elsewhere: Mapping[ObjectKey, str] = {}
    """Objects of other apps, and the words for it: they are not written."""
    contested: Mapping[ObjectKey, str] = {}
    """Objects of this app that others have to do with too; from whom they are taken over, where they are."""
    unseen: tuple[str, ...] = ()
    """Apps that have not been looked at since this revision; they may desire what this one no longer does."""
    unsafe: str = ""
    """Why nothing may be pruned: what is desired or live is not known in full."""
    safety: Safety = Safety()
    field_manager: str = names.FIELD_MANAGER

    @property
    def pruning(self) -> Pruning:
        """What decides about deletions."""
        return Pruning(
            asked_for=self.sync.prune,
            app_options=self.app_options,
            approved=self.approved,
            unsafe=self.unsafe,
            desired_elsewhere=self.desired_elsewhere,
            unseen=self.unseen,
            safety=self.safety,
            compat=self.compat,
        )


def make_plan(prepared: PreparedSet, comparison: Comparison, live: Live, context: PlanContext) -> Plan:
    """Return all tasks of a sync in the order of execution."""
    provided = _provided_kinds(prepared)
    permitted = Permitted(
        known_kinds=context.known_kinds,
        provided=frozenset(provided.values()),
        app_options=context.app_options,
        project=context.project,
        destination=context.destination,
    )
    objects = {item.key: item.obj for item in (*prepared.objects, *prepared.hooks)}
    covered = covers(context.sync)
    tasks = _apply_tasks(prepared, comparison, live, context, covered)
    if _runs_hooks(context.sync):
        tasks += _hook_tasks(prepared, context)
    if namespace_task := _namespace_task(prepared, live, context):
        tasks.append(namespace_task)
    tasks = checked(tasks, objects, permitted)
    prunes = pruning.prune_tasks(
        comparison.rows, live, lambda key: covered(key) and not permitted.denial(key), context.pruning
    )
    return _arranged(tasks + prunes, prepared, provided, live, context)


def _arranged(
    tasks: list[Task],
    prepared: PreparedSet,
    provided: Mapping[ObjectKey, GroupKind],
    live: Live,
    context: PlanContext,
) -> Plan:
    """Return the plan: tasks in order, and what is wrong with them."""
    argocd = context.compat is Compat.ARGOCD
    tasks = order.prune_last(order.mirror_prunes(tasks), live, context.app_options)
    everywhere = context.destination_namespace if argocd else ""
    tasks = order.in_order(tasks, provided, namespace_of_cluster_scoped=everywhere)
    # A missing name shows in Argo CD's trial run, which comes after.
    problems = [task.refusal for task in tasks if not (argocd and task.reason is Reason.NAME_MISSING)]
    problems += [condition.message for condition in prepared.conditions if condition.is_error]
    if not argocd:
        tasks = _with_needs(tasks, provided)
    told = tuple(dict.fromkeys(problem for problem in problems if problem))
    return Plan(tuple(tasks), prune=context.sync.prune, problems=told, partial=not argocd)


def namespace_object(name: str, managed: ManagedNamespaceMetadata | None = None) -> Object:
    """Return the destination namespace as CreateNamespace makes it; it is not tracked."""
    metadata: Object = {"name": name}
    if managed is not None and managed.labels:
        metadata["labels"] = dict(managed.labels)
    if managed is not None and managed.annotations:
        metadata["annotations"] = dict(managed.annotations)
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _apply_tasks(
    prepared: PreparedSet, comparison: Comparison, live: Live, context: PlanContext, covered: Covers
) -> list[Task]:
    only_changed = context.app_options.apply_out_of_sync_only
    tasks = []
    rows = {row.key: row for row in comparison.rows}
    for item in prepared.objects:
        row = rows.get(item.key)
        if not covered(item.key) or row is None or row.verdict is Verdict.NONE or item.key in context.owned_elsewhere:
            continue
        if only_changed and row.verdict is Verdict.SYNCED and item.key not in context.begun:
            continue
        tasks.append(_apply_task(item, row, live.get(item.key), context))
    return tasks


def _apply_task(item: Prepared, row: ComparedObject, live: Object | None, context: PlanContext) -> Task:
    unsure = row.verdict is Verdict.UNKNOWN
    return Task(
        key=item.key,
        version=item.version,
        phase=Phase.SYNC,
        wave=item.wave,
        action=TaskAction.APPLY,
        reason=Reason.UNCOMPARABLE if unsure else Reason.IN_ORDER,
        how=manner_of(item.obj, live, context.app_options, context.sync, context.compat),
        propagation=context.app_options.propagation,
        # Not where the cluster did not answer, which says nothing of the object: then it holds up later waves.
        doubtful=unsure and bool(row.message),
        detail=context.contested.get(item.key, ""),
        contested=item.key in context.contested,
    )


def _runs_hooks(sync: SyncOperation) -> bool:
    strategy = sync.sync_strategy
    return not sync.resources and (strategy is None or strategy.apply is None)


def _hook_tasks(prepared: PreparedSet, context: PlanContext) -> list[Task]:
    tasks: dict[tuple[ObjectKey, Phase], Task] = {}
    for item in sorted(prepared.hooks, key=lambda hook: hook.key):
        for phase in hooks.sync_phases(item.hook_types):
            task = first = _hook_task(item, phase, context)
            number = 2
            while (task.key, phase) in tasks:
                # Two hooks with one generateName: the second would never be created under the name of the first.
                key = ObjectKey(task.key.group, task.key.kind, task.key.namespace, f"{first.key.name}-{number}")
                task = msgspec.structs.replace(task, key=key)
                number += 1
            tasks[task.key, phase] = task
    return list(tasks.values())


def _hook_task(item: Prepared, phase: Phase, context: PlanContext) -> Task:
    metadata = meta.metadata(item.obj)
    name = str(metadata.get("name") or "") or hooks.generated_name(
        str(metadata.get("generateName") or ""), context.revision, phase, context.started_unix
    )
    return Task(
        key=ObjectKey(item.key.group, item.key.kind, item.key.namespace, name),
        version=item.version,
        phase=phase,
        wave=item.wave,
        action=TaskAction.HOOK,
        hook_type=phase.value,
        delete_policies=hooks.delete_policies(item.obj),
        source_key=item.key,
        how=manner_of(item.obj, None, context.app_options, context.sync, context.compat),
        propagation=context.app_options.propagation,
        refusal=context.owned_elsewhere.get(item.key, ""),
    )


def _namespace_task(prepared: PreparedSet, live: Live, context: PlanContext) -> Task | None:
    name = context.destination_namespace
    key = ObjectKey("", "Namespace", "", name)
    if not context.app_options.create_namespace or not name:
        return None
    if any(item.key == key for item in prepared.objects) or key in context.owned_elsewhere:
        return None
    if key in live and key not in context.begun and _has_metadata(live[key], context):
        return None
    return Task(key=key, version="v1", phase=Phase.PRE_SYNC, wave=0, action=TaskAction.APPLY, how=ApplyMethod())


def _has_metadata(namespace: Object, context: PlanContext) -> bool:
    """Whether a namespace has the metadata that is managed, and none that we applied and is managed no more."""
    managed = context.namespace_metadata
    if managed is None:
        return True
    metadata = meta.metadata(namespace)
    for name, wanted in (("labels", managed.labels), ("annotations", managed.annotations)):
        ours = _applied_keys(metadata, name, context.field_manager)
        if not wanted.items() <= (metadata.get(name) or {}).items() or not ours <= wanted.keys():
            return False
    return True


def _applied_keys(metadata: Mapping[str, Any], name: str, manager: str) -> set[str]:
    """Return the labels or annotations that a manager has applied to an object."""
    found: set[str] = set()
    for entry in metadata.get("managedFields") or ():
        if entry.get("manager") == manager and entry.get("operation") == "Apply":
            fields = ((entry.get("fieldsV1") or {}).get("f:metadata") or {}).get(f"f:{name}") or {}
            found |= {field.removeprefix("f:") for field in fields if field.startswith("f:")}
    return found


def _provided_kinds(prepared: PreparedSet) -> dict[ObjectKey, GroupKind]:
    """Return the kind that each CRD of the render brings along."""
    definitions = (item for item in prepared.objects if item.key.group_kind == _CRD)
    return {item.key: kind for item in definitions if (kind := defined_kinds.defined_kind(item.obj)) is not None}


_CRD = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


def _with_needs(tasks: list[Task], provided: Mapping[ObjectKey, GroupKind]) -> list[Task]:
    """Tie objects of custom kinds to the CRDs this plan applies: they follow when the kind is served."""
    makers = {provided[task.key]: task.key for task in tasks if task.key in provided}
    if not makers:
        return tasks
    return [
        msgspec.structs.replace(task, needs=(makers[task.key.group_kind],))
        if task.action is not TaskAction.PRUNE and task.key.group_kind in makers
        else task
        for task in tasks
    ]
