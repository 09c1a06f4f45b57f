"""Admission policies and their bindings: what is written down must be there, and every expression must compile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import orjson

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import expressions, match_rules
from syncline.sandbox.kinds.expressions import Expressions
from syncline.sandbox.kinds.rules import KindRules, go_value

_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_ACTIONS: Final = ("Audit", "Deny", "Warn")
_NONE: Final = "validations or auditAnnotations must contain at least one item"
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    if live is not None and live.get("spec") == spec:
        return []
    made = expressions.of_policy(spec)
    causes = _shared(spec, made)
    for index, rule in enumerate(spec.get("validations") or ()):
        causes += _validation(made, rule, f"spec.validations[{index}]")
    for index, one in enumerate(spec.get("auditAnnotations") or ()):
        where = f"spec.auditAnnotations[{index}]"
        key = f"{obj['metadata'].get('name', '')}/{one.get('key') or ''}"
        causes += [errors.invalid_value(f"{where}.key", go_value(key), told) for told in names.qualified(key)]
        causes += _expression(
            made,
            one.get("valueExpression"),
            f"{where}.valueExpression",
            "one of [string null_type]",
            ("string", "null"),
        )
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        causes += [errors.required(f"spec.{field}", _NONE) for field in ("validations", "auditAnnotations")]
    return causes


def _validation(made: Expressions, rule: Object, where: str) -> list[FieldCause]:
    causes = _expression(made, rule.get("expression"), f"{where}.expression", "bool", ("bool",))
    message, words = rule.get("message"), rule.get("messageExpression")
    if words and not words.strip():
        told = "must be non-empty if specified"
        causes.append(errors.invalid_value(f"{where}.messageExpression", go_value(words), told))
    elif words:
        causes += _expression(made, words, f"{where}.messageExpression", "string", ("string",))
    if message and not message.strip():
        causes.append(errors.invalid_value(f"{where}.message", go_value(message), "must be non-empty if specified"))
    elif message and "\n" in message.strip():
        causes.append(errors.invalid_value(f"{where}.message", go_value(message), "must not contain line breaks"))
    if rule.get("reason") and rule["reason"] not in _REASONS:
        causes.append(errors.not_supported(f"{where}.reason", str(rule["reason"]), _REASONS))
    return causes


def _expression(made: Expressions, given: object, where: str, wanted: str, kinds: Sequence[str]) -> list[FieldCause]:
    text = str(given or "")
    if not text.strip():
        return [errors.required(where, "expression is not specified")]
    return match_rules.compiled_causes(made.compiled(text), text, where, wanted, kinds)


def _shared(spec: Object, made: Expressions) -> list[FieldCause]:
    """Check what both sorts of policies have."""
    causes: list[FieldCause] = []
    if spec.get("failurePolicy") not in (None, "Fail", "Ignore"):
        causes.append(errors.not_supported("spec.failurePolicy", str(spec["failurePolicy"]), ("Fail", "Ignore")))
    kind = spec.get("paramKind")
    if kind is not None:
        causes += [errors.required(f"spec.paramKind.{one}") for one in ("apiVersion", "kind") if not kind.get(one)]
    causes += _constraints(spec.get("matchConstraints"))
    causes += match_rules.condition_causes(spec.get("matchConditions") or (), made, "spec.matchConditions")
    for index, one in enumerate(spec.get("variables") or ()):
        where, name, text = f"spec.variables[{index}]", str(one.get("name") or ""), str(one.get("expression") or "")
        if not name:
            causes.append(errors.required(f"{where}.name", "name is not specified"))
        elif not _IDENTIFIER.fullmatch(name):
            told = "must be a valid CEL identifier"
            causes.append(errors.invalid_value(f"{where}.name", go_value(name), told))
        if not text.strip():
            causes.append(errors.required(f"{where}.expression", "expression is not specified"))
        else:
            found = made.variables_in_order[index]
            causes += match_rules.compiled_causes(found, text, f"{where}.expression", "", None)
    return causes


def _constraints(given: Object | None) -> list[FieldCause]:
    where = "spec.matchConstraints"
    if given is None:
        return [errors.required(where)]
    causes: list[FieldCause] = []
    policy = given.get("matchPolicy")
    if policy not in (None, "Equivalent", "Exact"):
        causes.append(errors.not_supported(f"{where}.matchPolicy", str(policy), ("Equivalent", "Exact")))
    if not given.get("resourceRules"):
        causes.append(errors.required(f"{where}.resourceRules"))
    for index, rule in enumerate(given.get("resourceRules") or ()):
        causes += match_rules.rule_causes(rule, f"{where}.resourceRules[{index}]")
    return causes


def _validate_mutating(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    if live is not None and live.get("spec") == spec:
        return []
    made = expressions.of_policy(spec, mutating=True)
    causes = _shared(spec, made)
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        if "DELETE" in (rule.get("operations") or ()):
            where = "spec.matchConstraints.resourceRules.operations"
            allowed = [one for one in match_rules.OPERATIONS if one != "DELETE"]
            causes.append(errors.not_supported(where, "DELETE", allowed))
    for index, one in enumerate(spec.get("mutations") or ()):
        causes += _mutation(made, one, f"spec.mutations[{index}]")
    if not spec.get("mutations"):
        causes.append(errors.required("spec.mutations", "mutations must contain at least one item"))
    if not spec.get("reinvocationPolicy"):
        causes.append(errors.required("spec.reinvocationPolicy"))
    return causes


_PARTS: Final = {
    "ApplyConfiguration": ("applyConfiguration", "Object"),
    "JSONPatch": ("jsonPatch", "list(JSONPatch)"),
}


def _mutation(made: Expressions, one: Object, where: str) -> list[FieldCause]:
    sort = str(one.get("patchType") or "")
    if sort not in _PARTS:
        if not sort:
            return [errors.required(f"{where}.patchType")]
        return [errors.not_supported(f"{where}.patchType", sort, tuple(_PARTS))]
    part, wanted = _PARTS[sort]
    if one.get(part) is None:
        return [errors.required(f"{where}.{part}", f"must be specified when patchType is {sort}")]
    return _expression(made, one[part].get("expression"), f"{where}.{part}.expression", wanted, (wanted,))


def _validate_binding(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes = _bound(spec)
    actions = spec.get("validationActions") or []
    if not actions:
        causes.append(errors.required("spec.validationActions"))
    for index, one in enumerate(actions):
        where = f"spec.validationActions[{index}]"
        if one not in _ACTIONS:
            causes.append(errors.not_supported(where, str(one), _ACTIONS))
        elif one in actions[:index]:
            causes.append(FieldCause(where, "FieldValueDuplicate", f"Duplicate value: {go_value(one)}"))
    if {"Deny", "Warn"} <= set(actions):
        told = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        causes.append(errors.invalid_value("spec.validationActions", orjson.dumps(actions).decode(), told))
    return causes + _named_policy(spec)


def _bound(spec: Object) -> list[FieldCause]:
    reference, where = spec.get("paramRef"), "spec.paramRef"
    if reference is None:
        return []
    causes: list[FieldCause] = []
    if reference.get("name") and reference.get("selector") is not None:
        told = "name and selector are mutually exclusive"
        causes += [errors.forbidden_field(f"{where}.{one}", told) for one in ("name", "selector")]
    elif not reference.get("name") and reference.get("selector") is None:
        causes.append(errors.required(where, "one of name or selector must be specified"))
    if not reference.get("parameterNotFoundAction"):
        causes.append(errors.required(f"{where}.parameterNotFoundAction"))
    return causes


def _named_policy(spec: Object) -> list[FieldCause]:
    return [] if spec.get("policyName") else [errors.required("spec.policyName")]


def _validate_mutating_binding(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    return _bound(spec) + _named_policy(spec)


POLICY = KindRules(validate=_validate, fixed=True)
BINDING = KindRules(validate=_validate_binding)
MUTATING_POLICY = KindRules(validate=_validate_mutating)
MUTATING_BINDING = KindRules(validate=_validate_mutating_binding)
