"""Hooks: which objects are hooks, when they run, when they are deleted, how they are named and stamped.

Used by `syncline.core.compare.prepare` (what is a hook), `syncline.core.sync.plan` (phases and policies) and
`syncline.controller.deliver.act` (the object to create). The stamp names operation and attempt: a hook object that
carries the stamp of this attempt was created by this attempt, even if the process was killed before it could write that
down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.plan import HookDeletePolicy, Phase

_HELM_PHASES = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
    "pre-delete": "PreDelete",
    "post-delete": "PostDelete",
}
_HELM_IGNORED = {"crd-install"}
_ARGO_TYPES = {"PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete"}
_DELETION = ("PreDelete", "PostDelete")
_HELM_POLICIES = {
    "before-hook-creation": HookDeletePolicy.BEFORE_CREATION,
    "hook-succeeded": HookDeletePolicy.SUCCEEDED,
    "hook-failed": HookDeletePolicy.FAILED,
}


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in str(text or "").split(",") if word.strip()]


def hook_types(obj: Object) -> tuple[str, ...] | None:
    """Return the hook types of an object; None for ordinary objects, empty for a hook with no known phase.

    Argo CD's annotation wins over Helm's as soon as it holds one valid word; hooks of deletion count from both.
    """
    annotations = meta.annotations(obj)
    argo, helm = _argo_types(annotations), _helm_types(annotations)
    if argo is None:
        return helm
    if argo == ("Skip",):
        return None
    phases = [word for word in argo if word != "Skip"] or list(helm or ())
    return tuple(dict.fromkeys([*phases, *(word for word in helm or () if word in _DELETION)]))


def _argo_types(annotations: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the valid words of the hook annotation; None without one. An empty annotation makes a hook, too."""
    if names.HOOK not in annotations:
        return None
    valid = [word for word in _words(annotations[names.HOOK]) if word in _ARGO_TYPES or word == "Skip"]
    return tuple(dict.fromkeys(valid))


def _helm_types(annotations: Mapping[str, str]) -> tuple[str, ...] | None:
    words = _words(annotations.get(names.HELM_HOOK))
    if not words or all(word in _HELM_IGNORED for word in words):
        return None
    return tuple(dict.fromkeys(_HELM_PHASES[word] for word in words if word in _HELM_PHASES))


def is_skipped(obj: Object) -> bool:
    """Whether the object is marked `hook: Skip`: desired, but never applied."""
    return _argo_types(meta.annotations(obj)) == ("Skip",)


def sync_phases(types: Iterable[str]) -> tuple[Phase, ...]:
    """Return the phases of a sync in which hooks of these types run."""
    values = {phase.value: phase for phase in Phase}
    return tuple(values[name] for name in types if name in values)


def delete_policies(obj: Object) -> tuple[HookDeletePolicy, ...]:
    """Return when the hook object is deleted; by default before the next one is created."""
    annotations = meta.annotations(obj)
    policies = [
        HookDeletePolicy(word)
        for word in _words(annotations.get(names.HOOK_DELETE_POLICY))
        if word in {policy.value for policy in HookDeletePolicy}
    ]
    policies += [
        _HELM_POLICIES[word]
        for word in _words(annotations.get(names.HELM_HOOK_DELETE_POLICY))
        if word in _HELM_POLICIES
    ]
    return tuple(dict.fromkeys(policies)) or (HookDeletePolicy.BEFORE_CREATION,)


def generated_name(prefix: str, revision: str, phase: Phase, started_unix: int) -> str:
    """Return the name of a generateName hook: the same for the whole operation, so that it is created once."""
    return f"{prefix}{revision[:7]}-{phase.value}-{started_unix}".lower()


def stamp(operation_id: str, attempt: int) -> str:
    """Return the stamp of one attempt of one operation."""
    return f"{operation_id}.{attempt}"


def for_phase(stamp_of_attempt: str, phase: Phase) -> str:
    """Return the stamp of a hook object: one that runs in two phases is created twice."""
    return f"{stamp_of_attempt}.{phase.value}"


def named(obj: Object, name: str) -> Object:
    """Return a hook object under the name it is created with."""
    metadata = {member: content for member, content in obj["metadata"].items() if member != "generateName"}
    metadata["name"] = name
    tracking_id = str(meta.annotations(obj).get(names.TRACKING_ID) or "")
    if tracking_id.endswith("/"):
        # Marked before it had a name: only with it does the object belong to its app.
        metadata["annotations"] = {**meta.annotations(obj), names.TRACKING_ID: tracking_id + name}
    return {**obj, "metadata": metadata}


def stamped(obj: Object, name: str, value: str) -> Object:
    """Return the hook object to create: named, stamped, and kept by a finalizer until its end was written down."""
    obj = named(obj, name)
    metadata = {**obj["metadata"], "annotations": {**meta.annotations(obj), names.OPERATION_STAMP: value}}
    finalizers = list(metadata.get("finalizers") or [])
    metadata["finalizers"] = [*finalizers, *([names.HOOK_FINALIZER] if names.HOOK_FINALIZER not in finalizers else [])]
    return {**obj, "metadata": metadata}


def stamp_of(obj: Object) -> str:
    """Return the stamp a live hook object carries; empty if it has none."""
    return str(meta.annotations(obj).get(names.OPERATION_STAMP) or "")
