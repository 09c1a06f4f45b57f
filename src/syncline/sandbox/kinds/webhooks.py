"""Webhook configurations: names, side effects, where to call."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules

_EFFECTS = ("None", "NoneOnDryRun")
_VERSIONS = ("v1", "v1beta1")


def _validate(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, hook in enumerate(obj.get("webhooks") or ()):
        where, name = f"webhooks[{index}]", str(hook.get("name") or "")
        causes += _check_hook(hook, where)
        if name in seen:
            causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        seen.add(name)
    return causes


def _check_hook(hook: Object, where: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    name = str(hook.get("name") or "")
    if len([part for part in name.split(".") if part]) < 3:
        text = "should be a domain with at least three segments separated by dots"
        causes.append(errors.invalid_value(f"{where}.name", f'"{name}"', text))
    effects = hook.get("sideEffects")
    if effects is None:
        causes.append(errors.required(f"{where}.sideEffects", f"must specify one of {', '.join(_EFFECTS)}"))
    elif effects not in _EFFECTS:
        causes.append(errors.not_supported(f"{where}.sideEffects", str(effects), _EFFECTS))
    client = hook.get("clientConfig") or {}
    if bool(client.get("url")) == bool(client.get("service")):
        causes.append(errors.required(f"{where}.clientConfig", "exactly one of url or service is required"))
    versions = hook.get("admissionReviewVersions") or []
    if not versions:
        text = f"must specify one of {', '.join(_VERSIONS)}"
        causes.append(errors.required(f"{where}.admissionReviewVersions", text))
    return causes


MUTATING = KindRules(validate=_validate, fixed=True)
VALIDATING = MUTATING
