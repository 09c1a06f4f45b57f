"""Orders what a sync does: phases, waves, kinds, names; prunes mirrored; namespaces and CRDs before what needs them.

Called by `syncline.core.decide` on every pass with the comparison of the pinned revision; the same inputs always give
the same plan, so an operation resumes by planning again. The plan goes to `syncline.core.sync.step`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.policy import projects
from syncline.core.sync import hooks, options, waves
from syncline.model.application import Destination
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.operation import ManagedNamespaceMetadata, SyncOperation, SyncOperationResource
from syncline.model.plan import Action, Phase, Plan, Task
from syncline.model.project import AppProject
from syncline.model.reason import Reason


class PlanContext(msgspec.Struct, frozen=True, kw_only=True):
    """What planning needs beyond the objects."""

    sync: SyncOperation
    app_options: tuple[str, ...] = ()
    destination_namespace: str = ""
    revision: str = ""
    started_unix: int = 0
    known_kinds: frozenset[GroupKind] = frozenset()
    namespace_metadata: ManagedNamespaceMetadata | None = None
    begun: frozenset[ObjectKey] = frozenset()
    """Objects with a recorded result: they stay in the plan, even if by now they look as if they needed nothing."""
    project: AppProject | None = None
    destination: Destination = Destination()
    approved: bool = False
    """Whether somebody approved the deletions of this operation."""


def make_plan(
    prepared: PreparedSet, comparison: Comparison, live: Mapping[ObjectKey, Object], context: PlanContext
) -> Plan:
    """Return all tasks of a sync in the order of execution."""
    tasks = _apply_tasks(prepared, comparison, context) + _prune_tasks(comparison, live, context)
    if _runs_hooks(context.sync):
        tasks += _hook_tasks(prepared, context)
    if namespace_task := _namespace_task(prepared, live, context):
        tasks.append(namespace_task)
    tasks = _mirror_prunes(tasks)
    tasks = _prune_last(tasks, live, context)
    tasks.sort(key=_order)
    tasks = _lift_dependencies(tasks, prepared)
    return Plan(tuple(tasks), prune=context.sync.prune, problems=_problems(tasks, prepared, context))


def namespace_object(name: str, managed: ManagedNamespaceMetadata | None = None) -> Object:
    """Return the destination namespace as CreateNamespace makes it; it is not tracked."""
    metadata: Object = {"name": name}
    if managed is not None and managed.labels:
        metadata["labels"] = dict(managed.labels)
    if managed is not None and managed.annotations:
        metadata["annotations"] = dict(managed.annotations)
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def selected(sync: SyncOperation, key: ObjectKey) -> bool:
    """Whether a (possibly partial) sync covers an object; without including entries all but the excluded ones."""
    included = [resource for resource in sync.resources if not resource.exclude]
    excluded = [resource for resource in sync.resources if resource.exclude]
    if any(_names(resource, key) for resource in excluded):
        return False
    return not included or any(_names(resource, key) for resource in included)


def _names(resource: SyncOperationResource, key: ObjectKey) -> bool:
    wanted = (resource.group, resource.kind, resource.name)
    same = all(want in (have, "*") for want, have in zip(wanted, (key.group, key.kind, key.name), strict=True))
    return same and resource.namespace in ("", "*", key.namespace)


def _apply_tasks(prepared: PreparedSet, comparison: Comparison, context: PlanContext) -> list[Task]:
    only_changed = "ApplyOutOfSyncOnly=true" in context.app_options
    tasks = []
    rows = {row.key: row for row in comparison.rows}
    for item in prepared.objects:
        row = rows.get(item.key)
        if not selected(context.sync, item.key) or row is None or row.verdict is Verdict.NONE:
            continue
        if only_changed and row.verdict is Verdict.SYNCED and item.key not in context.begun:
            continue
        tasks.append(Task(key=item.key, version=item.version, phase=Phase.SYNC, wave=item.wave, action=Action.APPLY))
    return tasks


def _prune_tasks(comparison: Comparison, live: Mapping[ObjectKey, Object], context: PlanContext) -> list[Task]:
    return [
        _prune_task(row, live.get(row.key), context)
        for row in comparison.rows
        if row.requires_pruning and not row.hook and selected(context.sync, row.key) and not _denial(row.key, context)
    ]


def _prune_task(row: ComparedObject, live: Object | None, context: PlanContext) -> Task:
    allowed = options.prune_allowed(context.app_options, live)
    if not allowed:
        reason = Reason.PRUNE_FORBIDDEN
    elif options.prune_needs_approval(context.app_options, live) and not context.approved:
        reason = Reason.WAITING_FOR_CONFIRMATION
    else:
        reason = Reason.IN_ORDER if context.sync.prune else Reason.PRUNE_NOT_REQUESTED
    return Task(
        key=row.key,
        version=row.version,
        phase=Phase.SYNC,
        wave=row.wave,
        action=Action.PRUNE,
        reason=reason,
        prune_allowed=allowed and context.sync.prune,
    )


def _runs_hooks(sync: SyncOperation) -> bool:
    strategy = sync.sync_strategy
    return not sync.resources and (strategy is None or strategy.apply is None)


def _hook_tasks(prepared: PreparedSet, context: PlanContext) -> list[Task]:
    tasks: dict[tuple[ObjectKey, Phase], Task] = {}
    for item in sorted(prepared.hooks, key=lambda hook: hook.key):
        for phase in hooks.sync_phases(item.hook_types):
            task = _hook_task(item, phase, context)
            number = 2
            while (task.key, phase) in tasks:
                # Two hooks with one generateName: the second would never be created under the name of the first.
                name = f"{_hook_task(item, phase, context).key.name}-{number}"
                task = msgspec.structs.replace(task, key=ObjectKey(task.key.group, task.key.kind, task.key.namespace, name))
                number += 1
            tasks[task.key, phase] = task
    return list(tasks.values())


def _hook_task(item: Prepared, phase: Phase, context: PlanContext) -> Task:
    metadata = item.obj.get("metadata") or {}
    name = str(metadata.get("name") or "") or hooks.generated_name(
        str(metadata.get("generateName") or ""), context.revision, phase, context.started_unix
    )
    return Task(
        key=ObjectKey(item.key.group, item.key.kind, item.key.namespace, name),
        version=item.version,
        phase=phase,
        wave=item.wave,
        action=Action.HOOK,
        hook_type=phase.value,
        delete_policies=hooks.delete_policies(item.obj),
        source_key=item.key,
    )


def _namespace_task(prepared: PreparedSet, live: Mapping[ObjectKey, Object], context: PlanContext) -> Task | None:
    name = context.destination_namespace
    key = ObjectKey("", "Namespace", "", name)
    if "CreateNamespace=true" not in context.app_options or not name:
        return None
    if any(item.key == key for item in prepared.objects):
        return None
    if key in live and key not in context.begun and _has_metadata(live[key], context.namespace_metadata):
        return None
    return Task(key=key, version="v1", phase=Phase.PRE_SYNC, wave=0, action=Action.APPLY)


def _has_metadata(namespace: Object, managed: ManagedNamespaceMetadata | None) -> bool:
    if managed is None:
        return True
    metadata = namespace.get("metadata") or {}
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return managed.labels.items() <= labels.items() and managed.annotations.items() <= annotations.items()


def _mirror_prunes(tasks: list[Task]) -> list[Task]:
    """Swap first and last, second and last but one … of the waves of prunes: what came last goes first."""
    found = sorted({task.wave for task in tasks if task.action is Action.PRUNE})
    mirror = dict(zip(found, reversed(found), strict=True))
    return [
        msgspec.structs.replace(task, wave=mirror[task.wave]) if task.action is Action.PRUNE else task for task in tasks
    ]


def _prune_last(tasks: list[Task], live: Mapping[ObjectKey, Object], context: PlanContext) -> list[Task]:
    """Move prunes marked PruneLast behind the highest wave of the Sync phase."""
    highest = max([0, *(task.wave for task in tasks if task.phase is Phase.SYNC)])

    def moved(task: Task) -> Task:
        last = options.enabled("PruneLast=true", context.app_options, live.get(task.key))
        return msgspec.structs.replace(task, wave=highest + 1) if task.action is Action.PRUNE and last else task

    return [moved(task) for task in tasks]


def _order(task: Task) -> tuple[int, int, int, str, str]:
    return (task.phase.rank, task.wave, waves.kind_rank(task.key.kind), task.key.name, str(task.key))


def _lift_dependencies(tasks: list[Task], prepared: PreparedSet) -> list[Task]:
    """Move each Namespace, then each CRD, before the first task that lives in it, with that task's phase and wave."""
    namespace = GroupKind("", "Namespace")
    providers = [task for task in tasks if task.action is Action.APPLY and task.key.group_kind == namespace]
    crds = {
        item.key: _provided_kind(item.obj) for item in prepared.objects if item.key.kind == "CustomResourceDefinition"
    }
    for provider in providers:
        tasks = _lifted(tasks, provider, [task for task in tasks if task.key.namespace == provider.key.name])
    for provider in [task for task in tasks if task.key in crds and task.action is Action.APPLY]:
        kind = crds[provider.key]
        tasks = _lifted(tasks, provider, [task for task in tasks if task.key.group_kind == kind])
    return tasks


def _provided_kind(crd: Object) -> GroupKind:
    spec = crd.get("spec") or {}
    return GroupKind(str(spec.get("group") or ""), str((spec.get("names") or {}).get("kind") or ""))


def _lifted(tasks: list[Task], provider: Task, tenants: Sequence[Task]) -> list[Task]:
    applied = [task for task in tenants if task.action is not Action.PRUNE]
    if not applied:
        return tasks
    first, place = applied[0], tasks.index(provider)
    if place <= tasks.index(first):
        return tasks
    moved = msgspec.structs.replace(provider, phase=first.phase, wave=first.wave, reason=Reason.PULLED_FORWARD)
    rest = [task for task in tasks if task is not provider]
    index = rest.index(first)
    return [*rest[:index], moved, *rest[index:]]


def _denial(key: ObjectKey, context: PlanContext) -> str:
    return projects.object_denial(key, context.destination, context.project) if context.project else ""


def _problems(tasks: list[Task], prepared: PreparedSet, context: PlanContext) -> tuple[str, ...]:
    """Return what makes the sync impossible: unknown kinds, and what the project does not permit."""
    applied = [task for task in tasks if task.action is not Action.PRUNE]
    denied = [denial for task in applied if (denial := _denial(task.key, context))]
    return tuple(dict.fromkeys([*_unknown_kinds(applied, prepared, context), *denied]))


def _unknown_kinds(tasks: list[Task], prepared: PreparedSet, context: PlanContext) -> list[str]:
    """Return a sentence per task whose kind neither the cluster nor the render knows."""
    provided = {_provided_kind(item.obj) for item in prepared.objects if item.key.kind == "CustomResourceDefinition"}
    known = context.known_kinds | provided
    unknown = [task for task in tasks if task.key.group_kind not in known] if context.known_kinds else []
    if not unknown:
        return []
    objects = {item.key: item.obj for item in (*prepared.objects, *prepared.hooks)}
    return [
        f"The Kubernetes API could not find {task.key.group}/{task.key.kind} for requested resource"
        f" {task.key.namespace}/{task.key.name}."
        f' Make sure the "{task.key.kind}" CRD is installed on the destination cluster.'
        for task in unknown
        if not options.enabled(
            "SkipDryRunOnMissingResource=true", context.app_options, objects.get(task.source_key or task.key)
        )
    ]
