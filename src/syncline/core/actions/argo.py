"""Actions of the Argo projects: Rollouts, Workflows, Applications, pull requests of the promoter.

A Rollout is steered through its status, which its controller reads back.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.actions.edits import (
    ActionInput,
    create,
    drop,
    get,
    is_set,
    minute,
    owner,
    patch,
    put,
    sets,
    stamps,
)
from syncline.core.actions.offers import Offer
from syncline.model import names
from syncline.model.actions import ActionStep

_STEP, _STEPS = ("status", "currentStepIndex"), ("spec", "strategy", "canary", "steps")
_BLUE_GREEN = ("spec", "strategy", "blueGreen")
_PAUSES, _PAUSED, _ABORT = ("status", "pauseConditions"), ("spec", "paused"), ("status", "abort")
_ANALYSES = (
    ("status", "blueGreen", "prePromotionAnalysisRunStatus"),
    ("status", "blueGreen", "postPromotionAnalysisRunStatus"),
    ("status", "canary", "currentStepAnalysisRunStatus"),
    ("status", "canary", "currentBackgroundAnalysisRunStatus"),
)
_aborted = is_set(*_ABORT)


def _promoted(rollout: Object) -> bool:
    """Whether the newest version is the one in use: there is nothing to abort, retry or promote."""
    return bool(get(rollout, ("status", "currentPodHash")) == get(rollout, ("status", "stableRS")))


def _paused(rollout: Object) -> bool:
    pauses = get(rollout, _PAUSES)
    return bool(pauses) if pauses is not None else get(rollout, _PAUSED) is True


def _pausable(rollout: Object) -> bool:
    return not _promoted(rollout) and not _aborted(rollout) and get(rollout, _PAUSED) is not True


def _before_v010(rollout: Object) -> bool:
    """Whether the controller is older than v0.10: it says which spec it saw by a hash, and knows no promoteFull."""
    try:
        observed = float(get(rollout, ("status", "observedGeneration")))
    except (TypeError, ValueError):
        return True
    generation = get(rollout, ("metadata", "generation"))
    return isinstance(generation, int) and observed > generation


def _promotable(rollout: Object) -> bool:
    return not _promoted(rollout) and not (_before_v010(rollout) and get(rollout, _BLUE_GREEN) is not None)


def _steps_left(rollout: Object) -> bool:
    steps, index = get(rollout, _STEPS) or [], get(rollout, _STEP)
    return isinstance(index, int) and index < len(steps)


def _resume(request: ActionInput) -> tuple[ActionStep, ...]:
    resumed = drop(request.obj, _PAUSES)
    return patch(put(resumed, _PAUSED, False) if get(resumed, _PAUSED) else resumed)


def _skip_step(request: ActionInput) -> tuple[ActionStep, ...]:
    if not _steps_left(request.obj):
        return patch(request.obj)
    return patch(put(drop(request.obj, _PAUSES), _STEP, get(request.obj, _STEP) + 1))


def _promote_full(request: ActionInput) -> tuple[ActionStep, ...]:
    """Skip everything that is left; an older controller is put behind its last step."""
    rollout = request.obj
    if rollout.get("status") is None:
        return patch(rollout)
    if not _before_v010(rollout):
        return patch(put(rollout, ("status", "promoteFull"), True))
    steps, promoted = get(rollout, _STEPS), drop(rollout, _ABORT)
    return patch(put(promoted, _STEP, len(steps)) if isinstance(steps, list) else promoted)


def _retry(request: ActionInput) -> tuple[ActionStep, ...]:
    """Take an abort back, and forget the analyses that led to it."""
    retried = drop(request.obj, _ABORT)
    for path in _ANALYSES:
        retried = drop(retried, path)
    return patch(retried)


ROLLOUT = (
    Offer("restart", stamps("spec", "restartAt"), display_name="Restart Pods"),
    Offer("pause", sets(*_PAUSED, to=True), usable=_pausable),
    Offer("resume", _resume, usable=_paused),
    Offer("abort", sets(*_ABORT, to=True), usable=lambda one: not _promoted(one) and not _aborted(one)),
    Offer("retry", _retry, usable=lambda one: not _promoted(one) and _aborted(one)),
    Offer("promote-full", _promote_full, usable=_promotable),
    Offer("skip-current-step", _skip_step, usable=_steps_left),
)
_MADE_BY, _INSTANCE = "workflows.argoproj.io/cron-workflow", "workflows.argoproj.io/controller-instanceid"
_SCHEDULED = "workflows.argoproj.io/scheduled-time"


def _workflow(request: ActionInput, labels: dict[str, Any], spec: dict[str, Any], **metadata: Any) -> Object:
    """Return a Workflow that is made from another object, owned by it."""
    source = request.obj
    made = {
        "name": f"{get(source, ('metadata', 'name'))}-{minute(request.now)}",
        "namespace": get(source, ("metadata", "namespace")),
        "labels": labels,
        "ownerReferences": [owner(source)],
        **metadata,
    }
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": made, "spec": spec}


def _from_schedule(request: ActionInput) -> tuple[ActionStep, ...]:
    """Make a Workflow from a CronWorkflow, as `argo submit --from` does."""
    source = request.obj
    given: dict[str, Any] = get(source, ("spec", "workflowMetadata")) or {}
    labels = {**(given.get("labels") or {}), _MADE_BY: get(source, ("metadata", "name"))}
    if instance := get(source, ("metadata", "labels", _INSTANCE)):
        labels[_INSTANCE] = instance
    metadata: dict[str, Any] = {"annotations": {**(given.get("annotations") or {}), _SCHEDULED: request.now}}
    if given.get("finalizers"):
        metadata["finalizers"] = list(given["finalizers"])
    return create(_workflow(request, labels, get(source, ("spec", "workflowSpec")) or {}, **metadata))


def _from_template(request: ActionInput) -> tuple[ActionStep, ...]:
    """Make a Workflow that refers to a WorkflowTemplate."""
    name = get(request.obj, ("metadata", "name"))
    labels = {"workflows.argoproj.io/workflow-template": name}
    return create(_workflow(request, labels, {"workflowTemplateRef": {"name": name}}))


_AUTOMATED = ("spec", "syncPolicy", "automated")


def _syncs_itself(app: Object) -> bool:
    automated = get(app, _AUTOMATED)
    return automated is not None and automated.get("enabled") is not False


def _toggle(request: ActionInput) -> tuple[ActionStep, ...]:
    return patch(put(request.obj, (*_AUTOMATED, "enabled"), not _syncs_itself(request.obj)))


def _toggled(app: Object) -> str:
    return "Disable Auto-Sync" if _syncs_itself(app) else "Enable Auto-Sync"


_ANALYSIS_ENDS = ("Successful", "Failed", "Error", "Inconclusive")


def _measuring(run: Object) -> bool:
    return not get(run, ("spec", "terminate")) and get(run, ("status", "phase")) not in _ANALYSIS_ENDS


OFFERS: dict[GroupKind, tuple[Offer, ...]] = {
    GroupKind(names.GROUP, "Rollout"): ROLLOUT,
    GroupKind(names.GROUP, "AnalysisRun"): (Offer("terminate", sets("spec", "terminate", to=True), usable=_measuring),),
    GroupKind(names.GROUP, "CronWorkflow"): (Offer("create-workflow", _from_schedule, display_name="Create Workflow"),),
    GroupKind(names.GROUP, "WorkflowTemplate"): (
        Offer("create-workflow", _from_template, display_name="Create Workflow"),
    ),
    GroupKind(names.GROUP, "Application"): (Offer("toggle-auto-sync", _toggle, display_name=_toggled),),
    GroupKind("promoter.argoproj.io", "PullRequest"): (
        Offer(
            "merge",
            sets("spec", "state", to="merged"),
            usable=is_set("spec", "state", to="open"),
            display_name="Merge PR",
        ),
    ),
}
