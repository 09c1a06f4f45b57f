"""Roles and bindings: rules that name something, roles that may not change, subjects that exist as kinds."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.access import escalation
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks
from syncline.sandbox.kinds.rules import KindRules, go_value

_GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECTS: Final = ("ServiceAccount", "User", "Group")


def _validate_role(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, rule in enumerate(obj.get("rules") or ()):
        causes += _check_rule(rule, f"rules[{index}]", namespaced=bool(obj["metadata"].get("namespace")))
    return causes


def _check_rule(rule: Object, where: str, *, namespaced: bool) -> list[FieldCause]:
    causes = checks.needed(f"{where}.verbs", rule.get("verbs"))
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            text = "namespaced rules cannot apply to non-resource URLs"
            causes.append(errors.invalid_value(f"{where}.nonResourceURLs", go_value(urls), text))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            text = "rules cannot apply to both regular resources and non-resource URLs"
            causes.append(errors.invalid_value(f"{where}.nonResourceURLs", go_value(urls), text))
        return causes
    for field, word in (("apiGroups", "api group"), ("resources", "resource")):
        if not rule.get(field):
            causes.append(errors.required(f"{where}.{field}", f"resource rules must supply at least one {word}"))
    return causes


def _validate_binding(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    role = obj.get("roleRef") or {"apiGroup": _GROUP}  # the default is set in a missing one too
    causes: list[FieldCause] = []
    if role.get("apiGroup") != _GROUP:
        causes.append(errors.not_supported("roleRef.apiGroup", str(role.get("apiGroup") or ""), (_GROUP,)))
    kinds = ("Role", "ClusterRole") if obj["metadata"].get("namespace") else ("ClusterRole",)
    causes += checks.one_of("roleRef.kind", role.get("kind") or "", kinds)
    causes += checks.needed("roleRef.name", role.get("name"))
    for index, subject in enumerate(obj.get("subjects") or ()):
        where = f"subjects[{index}]"
        causes += checks.needed(f"{where}.name", subject.get("name"))
        causes += checks.one_of(f"{where}.kind", subject.get("kind") or "", _SUBJECTS)
        if subject.get("kind") == "ServiceAccount" and not obj["metadata"].get("namespace"):
            causes += checks.needed(f"{where}.namespace", subject.get("namespace"))
    if live is not None and role != live.get("roleRef"):
        printed = {"APIGroup": role.get("apiGroup"), "Kind": role.get("kind"), "Name": role.get("name")}
        causes.append(errors.invalid_value("roleRef", go_value(printed), "field is immutable"))
    return causes


def _guard_role(backend: Backend, obj: Object, live: Object | None) -> Object:
    escalation.check_role(backend, obj, live)
    return obj if obj.get("rules") else {**obj, "rules": None}  # Go prints them always


def _guard_binding(backend: Backend, obj: Object, live: Object | None) -> Object:
    escalation.check_binding(backend, obj, live)
    return obj


ROLE = KindRules(complete=_guard_role, validate=_validate_role)
BINDING = KindRules(complete=_guard_binding, validate=_validate_binding)
