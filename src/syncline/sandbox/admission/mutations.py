"""MutatingAdmissionPolicies: expressions that change a write, by a configuration to apply or a JSON patch.

Called by `syncline.sandbox.admission.chain` before the rules of the kind. A policy that asks to be invoked again runs
once more when a later one changed the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from syncline.apimachinery.cel.program import Budget
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import combining
from syncline.apimachinery.patch import json_patch
from syncline.apimachinery.patch.errors import PatchError
from syncline.sandbox import errors
from syncline.sandbox.admission import evaluating, parameters
from syncline.sandbox.admission.attempts import GROUP, Attempt, seen_by
from syncline.sandbox.admission.evaluating import Failure, Spent
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import expressions
from syncline.sandbox.store.store import Bucket

_POLICIES: Final = Bucket(GROUP, "mutatingadmissionpolicies")
_BINDINGS: Final = Bucket(GROUP, "mutatingadmissionpolicybindings")


def apply(backend: Backend, attempt: Attempt) -> Attempt:
    """Return a write as bound policies change it; raises what refuses it."""
    if not backend.store.count(_BINDINGS) or attempt.free:
        return attempt
    again: list[tuple[Object, Object]] = []
    for policy, binding in _bound(backend):
        before = attempt
        attempt = _applied(backend, attempt, policy, binding)
        if attempt is not before:
            for earlier in again:
                attempt = _applied(backend, attempt, *earlier)
            again = []
        if (policy.get("spec") or {}).get("reinvocationPolicy") == "IfNeeded":
            again.append((policy, binding))
    return attempt


def _bound(backend: Backend) -> Iterator[tuple[Object, Object]]:
    bindings = [row.decode() for row in backend.store.rows(_BINDINGS)]
    for row in backend.store.rows(_POLICIES):
        for binding in bindings:
            if (binding.get("spec") or {}).get("policyName") == row.place.name:
                yield row.decode(), binding


def _applied(backend: Backend, attempt: Attempt, policy: Object, binding: Object) -> Attempt:
    spec, bound = policy.get("spec") or {}, binding.get("spec") or {}
    constraints, narrower = spec.get("matchConstraints") or {}, bound.get("matchResources") or {}
    seen = seen_by(backend, attempt, constraints, constraints.get("resourceRules") or ())
    rules = narrower.get("resourceRules") or constraints.get("resourceRules") or ()
    if seen is None or (narrower and seen_by(backend, attempt, narrower, rules) is None):
        return attempt
    try:
        for params in parameters.found(backend, attempt, spec, bound):
            changed = _changed(backend, seen, spec, params)
            if changed is not seen:
                seen, attempt = changed, _brought_back(attempt, changed)
    except (Failure, parameters.Unconfigured) as problem:
        if spec.get("failurePolicy") != "Ignore":
            raise _refusal(attempt, policy, binding, problem) from None
    return attempt


def _brought_back(attempt: Attempt, changed: Attempt) -> Attempt:
    """Return a write as it was asked for, changed in another version; servers cannot where the two look different."""
    before, after = changed.resource, attempt.resource
    if before is not after and before.family is not None:
        names = [f"({one.gvk.version}.{one.kind})" for one in (before, after)]
        raise Failure(f"converting {names[0]} to {names[1]}: unknown conversion")
    return attempt.changed(changed.about)


def _refusal(attempt: Attempt, policy: Object, binding: Object, problem: Exception) -> errors.StatusError:
    told = str(problem)
    if isinstance(problem, parameters.Unconfigured):
        told = f"failed to configure binding: {told}"
    name, bound = policy["metadata"]["name"], binding["metadata"]["name"]
    detail = f"policy '{name}' with binding '{bound}' denied request: {told}"
    refusal = errors.forbidden(attempt.resource.plural, attempt.resource.group, attempt.name, detail)
    details = {**(refusal.details or {}), "causes": [{"message": detail}]}
    return errors.StatusError(403, "Invalid", detail, details)


def _changed(backend: Backend, attempt: Attempt, spec: Object, params: Any) -> Attempt:
    made = expressions.of_policy(spec, mutating=True)
    given = {**evaluating.values(backend, attempt), "params": params}
    budget = Budget(evaluating.BUDGET)
    values = evaluating.with_variables(given, made, budget)
    if not evaluating.hold(made.conditions, values):
        return attempt
    before = attempt
    for mutation in spec.get("mutations") or ():
        values["object"] = attempt.obj
        changed = _mutated(attempt, made, mutation, values, budget)
        if changed != attempt.obj:
            attempt = replace(attempt, obj=changed)
    return attempt if attempt.obj != before.obj else before


def _mutated(
    attempt: Attempt, made: expressions.Expressions, mutation: Object, values: dict[str, Any], budget: Budget
) -> Object:
    obj: Object = attempt.obj or {}
    if mutation.get("patchType") == "ApplyConfiguration":
        text = str((mutation.get("applyConfiguration") or {}).get("expression") or "")
        config = _worked_out(made, text, values, budget)
        return {**combining.combine(obj, config, attempt.resource.node())}
    text = str((mutation.get("jsonPatch") or {}).get("expression") or "")
    patch = _worked_out(made, text, values, budget)
    try:
        return dict(json_patch.apply(obj, patch))
    except PatchError as error:
        raise Failure(f"JSON Patch: {error}") from None


def _worked_out(made: expressions.Expressions, text: str, values: dict[str, Any], budget: Budget) -> Any:
    try:
        return _plain(evaluating.run(made.compiled(text), values, budget))
    except Spent:
        raise
    except Failure as failure:
        raise Failure(f"expression '{text.strip()}' resulted in error: {failure}") from None


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value
