"""Takes an Application's objects down again: highest wave first, one wave at a time.

Called by `syncline.core.decide` for an Application that is being deleted and carries the resources finalizer. Hook
objects are still held by our own finalizer if a sync was cut short; they are released on the way.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of
from syncline.core.sync import options, waves
from syncline.model import names
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.sync_options import NO_OPTIONS, Consent, SyncOptions

_CRD = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


def teardown(
    owned: frozenset[ObjectKey],
    live: Mapping[ObjectKey, Object],
    myself: ObjectKey,
    *,
    app_options: SyncOptions = NO_OPTIONS,
    approved: bool = False,
    propagation: str = "Foreground",
) -> Step:
    """Return the next move: delete the highest wave, wait until it is gone, at last finish."""
    left = {
        key: live[key]
        for key in sorted(owned)
        if key in live and key != myself and not _kept(key, live[key], app_options)
    }
    if not left:
        return Step(
            kind=StepKind.FINISH,
            reason=Reason.ALL_DONE,
            phase=OperationPhase.SUCCEEDED,
            releases=names.RESOURCES_FINALIZER,
        )
    asking = {key: obj for key, obj in left.items() if options.delete_consent(app_options, obj) is Consent.ASK}
    if asking and not approved:
        # Asked before the first wave goes: an app that is half gone leaves nothing to decide.
        return _wait(asking, Reason.WAITING_FOR_CONFIRMATION)
    highest = max(waves.wave_of(obj) for obj in left.values())
    wave = {key: obj for key, obj in left.items() if waves.wave_of(obj) == highest}
    doomed = [key for key, obj in wave.items() if not meta.deletion_timestamp(obj)]
    held = [key for key, obj in wave.items() if names.HOOK_FINALIZER in meta.finalizers(obj)]
    if not doomed and not held:
        return _wait(wave, Reason.WAITING_FOR_DELETION)
    return Step(
        kind=StepKind.ACT,
        reason=Reason.DELETING,
        release_hooks=tuple(_task(key, wave[key], highest, propagation) for key in held),
        prune=tuple(_task(key, wave[key], highest, propagation) for key in doomed),
        message=f"deleting wave {highest}",
    )


def _task(key: ObjectKey, obj: Object, wave: int, propagation: str) -> Task:
    return Task(
        key=key,
        version=gvk_of(obj).version,
        phase=Phase.SYNC,
        wave=wave,
        action=TaskAction.PRUNE,
        propagation=propagation,
    )


def _wait(objects: Mapping[ObjectKey, Object], reason: Reason) -> Step:
    asking = reason is Reason.WAITING_FOR_CONFIRMATION
    waits = tuple(Wait(key=key, reason=reason, message="" if asking else _held(obj)) for key, obj in objects.items())
    words = "waiting for approval to delete" if asking else "waiting for deletion of"
    more = f" and {len(waits) - 1} more" if len(waits) > 1 else ""
    return Step(kind=StepKind.WAIT, reason=reason, waits=waits, message=f"{words} {waits[0]}{more}")


def _kept(key: ObjectKey, obj: Object, app_options: SyncOptions) -> bool:
    if key.group_kind == _CRD or meta.annotation(obj, names.HELM_RESOURCE_POLICY) == "keep":
        return True
    return options.delete_consent(app_options, obj) is Consent.REFUSED


def _held(obj: Object) -> str:
    found = meta.finalizers(obj)
    return f"held by {', '.join(found)}" if found else "terminating"
