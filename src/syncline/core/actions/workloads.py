"""Actions of Kubernetes' own workloads: restart, scale, pause, resume, run now, end."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.actions.edits import (
    ActionInput,
    counts,
    create,
    drops,
    get,
    is_not,
    is_set,
    minute,
    owner,
    patch,
    put,
    sets,
    stamps,
)
from syncline.core.actions.offers import Offer
from syncline.model.actions import ActionStep

_RESTARTED = ("spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt")
_RESTART = Offer("restart", stamps(*_RESTARTED))
_SCALE = Offer("scale", counts("spec", "replicas"), parameters=("replicas",))
_paused = is_set("spec", "paused")
_PAUSE = (
    Offer("pause", sets("spec", "paused", to=True), usable=is_not(_paused)),
    Offer("resume", drops("spec", "paused"), usable=_paused),
)
_ENDS = ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")
_suspended = is_set("spec", "suspend")


def _ended(job: Object) -> bool:
    found = get(job, ("status", "conditions"))
    conditions = found if isinstance(found, list) else ()
    return any(isinstance(one, dict) and one.get("type") in _ENDS and one.get("status") == "True" for one in conditions)


def _terminate(request: ActionInput) -> tuple[ActionStep, ...]:
    """End a Job the way its controller understands: a failure target, after which it deletes the pods."""
    if _ended(request.obj) or request.obj.get("status") is None:
        return patch(request.obj)
    condition = {
        "type": "FailureTarget",
        "status": "True",
        "reason": "ManuallyTerminated",
        "message": "Job was terminated explicitly through Syncline",
        "lastTransitionTime": request.now,
    }
    path = ("status", "conditions")
    return patch(put(request.obj, path, [*(get(request.obj, path) or ()), condition]))


def _create_job(request: ActionInput) -> tuple[ActionStep, ...]:
    """Make a Job from a CronJob's template, as `kubectl create job --from` does."""
    cron_job = request.obj
    template: dict[str, Any] = get(cron_job, ("spec", "jobTemplate")) or {}
    given = meta.metadata(template)
    metadata = {
        **given,
        # A CronJob's name may have 52 letters and a Job's 63: there is room for a year of two digits.
        "name": f"{get(cron_job, ('metadata', 'name'))}-{minute(request.now)[2:]}",
        "namespace": get(cron_job, ("metadata", "namespace")),
        "annotations": {**(given.get("annotations") or {}), "cronjob.kubernetes.io/instantiate": "manual"},
        "ownerReferences": [owner(cron_job, blockOwnerDeletion=True, controller=True)],
    }
    spec = template.get("spec") or {}
    return create({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})


OFFERS: dict[GroupKind, tuple[Offer, ...]] = {
    GroupKind("apps", "Deployment"): (_RESTART, _SCALE, *_PAUSE),
    GroupKind("apps", "StatefulSet"): (_RESTART, _SCALE),
    GroupKind("apps", "DaemonSet"): (_RESTART,),
    GroupKind("batch", "CronJob"): (
        Offer("create-job", _create_job, display_name="Create Job"),
        Offer("suspend", sets("spec", "suspend", to=True), offered=is_not(_suspended)),
        Offer("resume", sets("spec", "suspend", to=False), offered=_suspended),
    ),
    GroupKind("batch", "Job"): (
        Offer(
            "suspend",
            sets("spec", "suspend", to=True),
            offered=lambda job: not _ended(job) and not _suspended(job),
        ),
        Offer("resume", sets("spec", "suspend", to=False), offered=lambda job: not _ended(job) and _suspended(job)),
        Offer("terminate", _terminate, offered=lambda job: not _ended(job) and job.get("status") is not None),
    ),
}
