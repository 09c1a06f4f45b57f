"""Hooks that run when an Application is deleted: PreDelete before its objects go, PostDelete after.

Called by `syncline.core.decide` while the matching finalizer is on the Application;
`syncline.controller.deliver.record` keeps it there as long as such hooks are rendered. Which stage is reached shows in
the finalizers that are left, so nothing else has to be remembered. Each stage has two finalizers, as with Argo CD: one
until all hooks ran and one until they are cleaned up, since a hook whose object is gone while the first still stands
would be run again. A hook that failed is deleted and run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.health.assess import assess
from syncline.core.sync import hooks
from syncline.core.sync.settling import HealthOf, gating
from syncline.model import names
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.health import HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Phase, Task, TaskAction
from syncline.model.reason import Reason

STAGES = {"PreDelete": names.PRE_DELETE_FINALIZER, "PostDelete": names.POST_DELETE_FINALIZER}


def finalizers(present: Sequence[str], prepared: Iterable[Prepared]) -> tuple[str, ...]:
    """Return an Application's finalizers with those that its hooks of deletion need, and without needless ones."""
    types = {word for item in prepared for word in item.hook_types}
    found = list(present)
    for kind, name in STAGES.items():
        if kind not in types:
            found = [word for word in found if word.partition("/")[0] != name]
        else:
            found += [word for word in (name, cleanup(name)) if word not in found]
    return tuple(found)


def cleanup(finalizer: str) -> str:
    """Return the finalizer that stands until the hooks of a stage are cleaned up."""
    return f"{finalizer}/cleanup"


def next_move(
    kind: str,
    prepared: Iterable[Prepared],
    live: Mapping[ObjectKey, Object],
    *,
    revision: str,
    deleted_unix: int,
    present: Sequence[str] = (),
    health_of: HealthOf = assess,
) -> Step:
    """Return the next move of one stage: create what is missing, wait, run failed ones again, finish, clean up.

    Which of the two finalizers of the stage are `present` says whether the hooks ran already.
    """
    tasks = [
        _task(item, kind, revision, deleted_unix)
        for item in sorted(prepared, key=lambda one: (one.wave, one.key))
        if kind in item.hook_types
    ]
    missing = tuple(task for task in tasks if task.key not in live)
    if STAGES[kind] not in present and cleanup(STAGES[kind]) in present:
        return _clean_up(kind, [task for task in tasks if task.key in live])
    if missing:
        return Step(kind=StepKind.ACT, reason=Reason.DELETING, message=f"running {kind} hooks", apply=missing)
    healths = {task.key: gating(health_of(live[task.key])) for task in tasks}
    codes = {key: health.status if health is not None else HealthCode.HEALTHY for key, health in healths.items()}
    failed = [task for task in tasks if codes[task.key] is HealthCode.DEGRADED]
    if failed:
        said = healths[failed[0].key]
        why = f": {said.message}" if said is not None and said.message else ""
        message = f"{kind} hook {failed[0].key.short} failed and is retried{why}"
        return Step(kind=StepKind.ACT, reason=Reason.TASK_FAILED, message=message, delete_hooks=tuple(failed))
    waits = tuple(
        Wait(key=key, reason=Reason.WAITING_FOR_HOOK, message=health.message)
        for key, health in healths.items()
        if health is not None and health.status is not HealthCode.HEALTHY
    )
    if waits:
        more = f" and {len(waits) - 1} more" if len(waits) > 1 else ""
        message = f"waiting for completion of {kind} hook {waits[0]}{more}"
        return Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_HOOK, message=message, waits=waits)
    if cleanup(STAGES[kind]) not in present:
        return _clean_up(kind, tasks)
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.ALL_DONE,
        phase=OperationPhase.SUCCEEDED,
        releases=STAGES[kind],
        leaves=cleanup(STAGES[kind]),
    )


def _clean_up(kind: str, tasks: Sequence[Task]) -> Step:
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.ALL_DONE,
        phase=OperationPhase.SUCCEEDED,
        delete_hooks=tuple(task for task in tasks if HookDeletePolicy.SUCCEEDED in task.delete_policies),
        releases=STAGES[kind],
    )


def _task(item: Prepared, kind: str, revision: str, deleted_unix: int) -> Task:
    metadata = meta.metadata(item.obj)
    prefix = str(metadata.get("generateName") or "")
    name = str(metadata.get("name") or "") or f"{prefix}{revision[:7]}-{kind}-{deleted_unix}".lower()
    return Task(
        key=ObjectKey(item.key.group, item.key.kind, item.key.namespace, name),
        version=item.version,
        phase=Phase.SYNC,
        wave=item.wave,
        action=TaskAction.HOOK,
        hook_type=kind,
        delete_policies=hooks.delete_policies(item.obj),
        source_key=item.key,
    )
