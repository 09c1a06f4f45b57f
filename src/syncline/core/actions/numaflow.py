"""Actions of Numaflow and Numaplane: pausing, going on, and promoting an upgrade by hand.

Listed by `syncline.core.actions.builtin`. What a rollout of Numaplane owns cannot be paused itself: the rollout would
undo it. An annotation says which ways of going on are allowed; without it only the gradual one is.
"""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.actions.edits import ActionInput, Path, Run, Test, drop, get, is_not, is_set, patch, put, sets
from syncline.core.actions.offers import Offer, always
from syncline.model.actions import ActionStep

_ALLOWED = "numaflow.numaproj.io/allowed-resume-strategies"
_STATE = ("metadata", "labels", "numaplane.numaproj.io/upgrade-state")
_PROMOTED = ("metadata", "labels", "numaplane.numaproj.io/force-promote")
_RESUME = ("metadata", "annotations", "numaflow.numaproj.io/resume-strategy")
_FAST = ("spec", "strategy", "pauseResume", "fastResume")
_LOSS = ("metadata", "annotations", "numaplane.numaproj.io/allow-data-loss")


def _state_is(*states: str) -> Test:
    return lambda obj: get(obj, _STATE) in states


def _owned_by(kind: str) -> Test:
    def test(obj: Object) -> bool:
        owners = get(obj, ("metadata", "ownerReferences"))
        return isinstance(owners, list) and any(isinstance(one, dict) and one.get("kind") == kind for one in owners)

    return test


def _runs(phase: Path, at: Path, value: str | bool) -> Run:
    """Return an action that lets an object run on, and says how."""

    def run(request: ActionInput) -> tuple[ActionStep, ...]:
        return patch(put(put(request.obj, phase, "Running"), at, value))

    return run


def _without_replicas(phase: Path) -> Run:
    """Return the gradual way of a MonoVertex: the number of replicas starts over."""
    return lambda request: patch(drop(put(request.obj, phase, "Running"), ("spec", "replicas")))


def _pausing(spec: Path, annotations: Path, *, gradual: Run, fast: Run, free: Test = always) -> tuple[Offer, ...]:
    """Return the actions of an object whose spec stands at a path; `free` says whether it may be paused at all."""
    phase = (*spec, "lifecycle", "desiredPhase")
    paused = is_set(*phase, to="Paused")

    def slowly(obj: Object) -> bool:
        return free(obj) and paused(obj) and get(obj, (*annotations, _ALLOWED)) != "fast"

    def quickly(obj: Object) -> bool:
        return free(obj) and paused(obj) and get(obj, (*annotations, _ALLOWED)) in ("fast", "slow, fast")

    return (
        Offer("pause", sets(*phase, to="Paused"), usable=lambda obj: free(obj) and not paused(obj)),
        Offer("unpause-gradual", gradual, usable=slowly, display_name="Unpause (gradual)"),
        Offer("unpause-fast", fast, usable=quickly, display_name="Unpause (fast)"),
    )


def _promote(display_name: str) -> Offer:
    upgrading, promoted = _state_is("in-progress", "trial"), is_set(*_PROMOTED, to="true")
    return Offer(
        "force-promote",
        sets(*_PROMOTED, to="true"),
        usable=lambda obj: upgrading(obj) and not promoted(obj),
        display_name=display_name,
    )


def _rollout(name: str) -> tuple[Offer, ...]:
    inner = ("spec", name)
    phase = (*inner, "spec", "lifecycle", "desiredPhase")
    return _pausing(
        (*inner, "spec"),
        (*inner, "metadata", "annotations"),
        gradual=_runs(phase, _FAST, value=False),
        fast=_runs(phase, _FAST, value=True),
    )


_PHASE = ("spec", "lifecycle", "desiredPhase")
_ANNOTATIONS = ("spec", "metadata", "annotations")
_of_pipeline_rollout, _expired = _owned_by("PipelineRollout"), _state_is("recyclable-expired")

OFFERS: dict[GroupKind, tuple[Offer, ...]] = {
    GroupKind("numaflow.numaproj.io", "InterStepBufferService"): (_promote(""),),
    GroupKind("numaflow.numaproj.io", "MonoVertex"): (
        *_pausing(
            ("spec",),
            _ANNOTATIONS,
            gradual=_without_replicas(_PHASE),
            fast=sets(*_PHASE, to="Running"),
            free=is_not(_owned_by("MonoVertexRollout")),
        ),
        _promote("Force Promote"),
    ),
    GroupKind("numaflow.numaproj.io", "Pipeline"): (
        *_pausing(
            ("spec",),
            _ANNOTATIONS,
            gradual=_runs(_PHASE, _RESUME, "slow"),
            fast=_runs(_PHASE, _RESUME, "fast"),
            free=lambda obj: not _of_pipeline_rollout(obj) or _expired(obj),
        ),
        _promote("Force Promote"),
        Offer(
            "delete",
            sets("metadata", "annotations", "numaplane.numaproj.io/marked-for-deletion", to="true"),
            usable=_state_is("recyclable", "recyclable-expired"),
            display_name="Delete",
        ),
    ),
    GroupKind("numaplane.numaproj.io", "MonoVertexRollout"): _rollout("monoVertex"),
    GroupKind("numaplane.numaproj.io", "PipelineRollout"): (
        *_rollout("pipeline"),
        Offer(
            "allow-data-loss",
            sets(*_LOSS, to="true"),
            usable=is_set("status", "upgradeInProgress", to="PipelinePauseAndDrain"),
            display_name="Allow (Possible) Data Loss",
        ),
        Offer(
            "disallow-data-loss",
            sets(*_LOSS, to="false"),
            usable=is_set(*_LOSS, to="true"),
            display_name="Disallow Data Loss",
        ),
    ),
}
