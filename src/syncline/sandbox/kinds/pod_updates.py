"""What may change about a pod that is there: its images, fewer seconds to live, more tolerations; and its size, apart.

Asked by `syncline.sandbox.kinds.pods`, and by `syncline.sandbox.api.finishing` for the subresource `resize`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import go_value

_TEXT: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_FREE: Final = ("tolerations", "activeDeadlineSeconds", "schedulingGates")
_GATED: Final = ("nodeSelector", "affinity")
_SIZES: Final = ("cpu", "memory")
_LISTS: Final = ("containers", "initContainers")


def check(spec: Mapping[str, Any], old: Mapping[str, Any]) -> list[FieldCause]:
    """Return what of an update is not allowed."""
    for field in _LISTS:
        if len(spec.get(field) or ()) != len(old.get(field) or ()):
            return [errors.forbidden_field(f"spec.{field}", "pod updates may not add or remove containers")]
    causes = _check_deadline(spec.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds"))
    if causes and spec.get("activeDeadlineSeconds") is not None:
        return causes
    causes += _check_tolerations(spec.get("tolerations") or [], old.get("tolerations") or [])
    causes += _check_gates(spec.get("schedulingGates") or [], old.get("schedulingGates") or [])
    if _fixed(spec, old) != _fixed(old, old):
        causes.append(errors.forbidden_field("spec", _TEXT))
    return causes


def _check_deadline(new: Any, old: Any) -> list[FieldCause]:
    field = "spec.activeDeadlineSeconds"
    if old is None or new == old:
        return []
    if new is None:
        return [errors.invalid_value(field, "null", "must not update from a positive integer to nil value")]
    text = "must be less than or equal to previous value"
    return [errors.invalid_value(field, str(new), text)] if new > old else []


def _check_tolerations(new: list[Object], old: list[Object]) -> list[FieldCause]:
    text = "existing toleration can not be modified except its tolerationSeconds"
    kept = [_timeless(one) for one in new]
    return [errors.forbidden_field("spec.tolerations", text) for one in old if _timeless(one) not in kept][:1]


def _timeless(toleration: Object) -> Object:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _check_gates(new: list[Object], old: list[Object]) -> list[FieldCause]:
    known = {gate.get("name") for gate in old}
    text = "only deletion is allowed, but found new scheduling gate"
    return [
        errors.forbidden_field(f"spec.schedulingGates[{index}].name", f"{text} '{gate.get('name')}'")
        for index, gate in enumerate(new)
        if gate.get("name") not in known
    ]


def _fixed(spec: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may not change; a pod that waits at a gate may still be told where to go."""
    free = (*_FREE, *_GATED) if old.get("schedulingGates") else _FREE
    fixed = {key: value for key, value in spec.items() if key not in free}
    for field in _LISTS:
        if fixed.get(field):
            fixed[field] = [{**container, "image": ""} for container in fixed[field]]
    if (old.get("terminationGracePeriodSeconds") or 0) < 0:
        fixed.pop("terminationGracePeriodSeconds", None)
    return fixed


def resized(obj: Object, live: Object) -> Object:
    """Return the pod that is there with what a new one says of the sizes of its containers, and nothing else of it."""
    spec, old = obj.get("spec") or {}, dict(live.get("spec") or {})
    for field in _LISTS:
        wanted = {one.get("name"): one.get("resources") or {} for one in spec.get(field) or ()}
        if old.get(field):
            old[field] = [{**one, "resources": wanted.get(one.get("name"), {})} for one in old[field]]
    return {**live, "spec": old}


def check_resize(obj: Object, live: Object, before: str, after: str) -> list[FieldCause]:
    """Return what of a change of size is not allowed; the class of service, `before` and `after`, stays."""
    causes: list[FieldCause] = []
    spec, old = obj.get("spec") or {}, live.get("spec") or {}
    if before != after:
        shown = (live.get("status") or {}).get("qosClass") or before
        text = "Pod QOS Class may not change as a result of resizing"
        causes.append(errors.invalid_value("spec", go_value(shown), text))
    for field in _LISTS:
        for index, (new, was) in enumerate(zip(spec.get(field) or (), old.get(field) or (), strict=True)):
            causes += _check_kept(new, was, f"spec.{field}[{index}].resources")
    if not causes and _unsized(spec) != _unsized(old):
        causes.append(errors.forbidden_field("spec", "only cpu and memory resources are mutable"))
    return causes


def _check_kept(new: Object, was: Object, field: str) -> list[FieldCause]:
    """Refuse to take a request or limit away."""
    causes: list[FieldCause] = []
    for part in ("requests", "limits"):
        before = (was.get("resources") or {}).get(part) or {}
        after = (new.get("resources") or {}).get(part) or {}
        if before.keys() - after.keys():
            causes.append(errors.forbidden_field(f"{field}.{part}", f"resource {part} cannot be removed"))
    return causes


def _unsized(spec: Mapping[str, Any]) -> dict[str, Any]:
    bare = dict(spec)
    for field in _LISTS:
        if bare.get(field):
            bare[field] = [_without_size(container) for container in bare[field]]
    return bare


def _without_size(container: Object) -> Object:
    resources = {
        part: {name: amount for name, amount in (amounts or {}).items() if name not in _SIZES}
        for part, amounts in (container.get("resources") or {}).items()
        if part in ("limits", "requests")
    }
    return {**container, "resources": {part: amounts for part, amounts in resources.items() if amounts}}
