"""ValidatingAdmissionPolicies: expressions that a write must satisfy, else it is denied or warned of.

Called by `syncline.sandbox.admission.chain`. Warnings go with the answer (`Backend.said`); what is audited shows
nowhere, as there is no audit log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.admission import evaluating, parameters
from syncline.sandbox.admission.attempts import GROUP, Attempt, concerns
from syncline.sandbox.admission.evaluating import Failure
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import expressions
from syncline.sandbox.store.store import Bucket

_POLICIES: Final = Bucket(GROUP, "validatingadmissionpolicies")
_BINDINGS: Final = Bucket(GROUP, "validatingadmissionpolicybindings")
_CODES: Final = {"Unauthorized": 401, "Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413}
_LONGEST: Final = 5120


def check(backend: Backend, attempt: Attempt) -> None:
    """Refuse a write that a bound policy denies; the first to deny is told, and all warn."""
    if not backend.store.count(_BINDINGS) or attempt.free:
        return
    refusal: errors.StatusError | None = None
    for row in backend.store.rows(_BINDINGS):
        binding = row.decode()
        found = backend.store.get(_POLICIES, "", (binding.get("spec") or {}).get("policyName") or "")
        if found is None:
            continue
        for told, reason in _decided(backend, attempt, found.decode(), binding):
            refusal = refusal or _denied(backend, attempt, (found.place.name, row.place.name), binding, told, reason)
    if refusal is not None:
        raise refusal


def _denied(
    backend: Backend, attempt: Attempt, names: tuple[str, str], binding: Object, told: str, reason: str
) -> errors.StatusError | None:
    """Warn of what a policy has against a write, and return the refusal where its binding denies."""
    actions = (binding.get("spec") or {}).get("validationActions") or ()
    about = f"ValidatingAdmissionPolicy '{names[0]}' with binding '{names[1]}'"
    if "Warn" in actions:
        backend.warn(f"Validation failed for {about}: {told}")
    if "Deny" not in actions and reason != _MISCONFIGURED:
        return None
    resource = attempt.resource
    detail = f"{about} denied request: {told}"
    refusal = errors.forbidden(resource.plural, resource.group, attempt.name, detail)
    details = {**(refusal.details or {}), "causes": [{"message": detail}]}
    known = "Invalid" if reason == _MISCONFIGURED else reason
    return errors.StatusError(_CODES.get(known, 422), known, refusal.message, details)


_MISCONFIGURED: Final = "misconfigured"


def _decided(backend: Backend, attempt: Attempt, policy: Object, binding: Object) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, each with its reason; a policy that ignores failures is silent about them."""
    spec, bound = policy.get("spec") or {}, binding.get("spec") or {}
    constraints, narrower = spec.get("matchConstraints") or {}, bound.get("matchResources") or {}
    if not concerns(backend, attempt, constraints, constraints.get("resourceRules") or ()):
        return
    rules = narrower.get("resourceRules") or constraints.get("resourceRules") or ()
    if narrower and not concerns(backend, attempt, narrower, rules):
        return
    strict = spec.get("failurePolicy") != "Ignore"
    try:
        given = parameters.found(backend, attempt, spec, bound)
    except parameters.Unconfigured as problem:
        if strict:
            yield f"failed to configure binding: {problem}", _MISCONFIGURED
        return
    made = expressions.of_policy(spec)
    values = evaluating.values(backend, attempt)
    for params in given:
        yield from _violations(spec, made, evaluating.with_variables({**values, "params": params}, made), strict=strict)


def _violations(
    spec: Object, made: expressions.Expressions, values: dict[str, Any], *, strict: bool
) -> Iterator[tuple[str, str]]:
    try:
        if not evaluating.hold(made.conditions, values):
            return
    except Failure as failure:
        if strict:
            yield str(failure), "Invalid"
        return
    for rule in spec.get("validations") or ():
        text = str(rule.get("expression") or "").strip()
        try:
            holds = evaluating.run(made.compiled(text), values)
        except Failure as failure:
            if strict:
                yield f"expression '{text}' resulted in error: {failure}", "Invalid"
            continue
        if holds is not True:
            yield _words(rule, text, made, values), rule.get("reason") or "Invalid"


def _words(rule: Mapping[str, Any], text: str, made: expressions.Expressions, values: dict[str, Any]) -> str:
    expression = rule.get("messageExpression")
    if expression:
        try:
            said = evaluating.run(made.compiled(str(expression)), values)
        except Failure:
            said = None
        if isinstance(said, str) and said.strip() and len(said.encode()) <= _LONGEST and "\n" not in said.strip():
            return said.strip()
    return str(rule.get("message") or "").strip() or f"failed expression: {text}"
