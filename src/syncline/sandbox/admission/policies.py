"""ValidatingAdmissionPolicies: expressions that a write must satisfy, else it is denied, warned of or audited.

Called by `syncline.sandbox.admission.chain`. Warnings go with the answer (`Backend.said`), what is audited into the
record of the request and the log (`Backend.annotate`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from syncline.apimachinery.cel.program import Budget
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.admission import evaluating, parameters
from syncline.sandbox.admission.attempts import GROUP, Attempt, seen_by
from syncline.sandbox.admission.evaluating import Failure, Spent
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import expressions
from syncline.sandbox.store.store import Bucket

_POLICIES: Final = Bucket(GROUP, "validatingadmissionpolicies")
_BINDINGS: Final = Bucket(GROUP, "validatingadmissionpolicybindings")
_CODES: Final = {"Unauthorized": 401, "Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413}
_LONGEST: Final = 5 * 1024
_LONGEST_NOTE: Final = 10 * 1024
_FAILURES: Final = "validation.policy.admission.k8s.io/validation_failure"
_MOST_FAILURES: Final = 50


class _Decision(NamedTuple):
    """What a policy has against a write."""

    told: str
    reason: str = "Invalid"
    place: int = 0
    """Which of its expressions says so."""
    certain: bool = False
    """Whether it denies whatever the binding says: what is asked cannot be worked out."""


class _Bound(NamedTuple):
    """A policy with one of its bindings."""

    policy: Object
    binding: Object

    @property
    def names(self) -> tuple[str, str]:
        return self.policy["metadata"]["name"], self.binding["metadata"]["name"]

    @property
    def actions(self) -> list[str]:
        return (self.binding.get("spec") or {}).get("validationActions") or []

    @property
    def strict(self) -> bool:
        return (self.policy.get("spec") or {}).get("failurePolicy") != "Ignore"


def check(backend: Backend, attempt: Attempt) -> None:
    """Refuse a write that a bound policy denies; the first to deny is told, and all warn and are audited."""
    if not backend.store.count(_BINDINGS) or attempt.free:
        return
    run = _Run(backend, attempt)
    for policy, bindings in _bound(backend):
        run.ask(policy, bindings)
    if run.failures:
        backend.annotate(_FAILURES, orjson.dumps(run.failures[:_MOST_FAILURES]).decode())
    if run.refusal is not None:
        raise run.refusal


def _bound(backend: Backend) -> Iterator[tuple[Object, list[Object]]]:
    bindings = [row.decode() for row in backend.store.rows(_BINDINGS)]
    for row in backend.store.rows(_POLICIES):
        chosen = [one for one in bindings if (one.get("spec") or {}).get("policyName") == row.place.name]
        if chosen:
            yield row.decode(), chosen


class _Run:
    """One write before all policies."""

    def __init__(self, backend: Backend, attempt: Attempt) -> None:
        self._backend = backend
        self._attempt = attempt
        self.refusal: errors.StatusError | None = None
        self.failures: list[Object] = []
        self._notes: dict[str, dict[str, None]] = {}

    def ask(self, policy: Object, bindings: list[Object]) -> None:
        """Ask one policy with all its bindings."""
        constraints = (policy.get("spec") or {}).get("matchConstraints") or {}
        seen = seen_by(self._backend, self._attempt, constraints, constraints.get("resourceRules") or ())
        if seen is None:
            return
        self._notes = {}
        for binding in bindings:
            narrower = (binding.get("spec") or {}).get("matchResources") or {}
            rules = narrower.get("resourceRules") or constraints.get("resourceRules") or ()
            if not narrower or seen_by(self._backend, self._attempt, narrower, rules) is not None:
                self._ask(seen, _Bound(policy, binding))
        for key, values in self._notes.items():
            self._backend.annotate(f"{policy['metadata']['name']}/{key}", ", ".join(values))

    def _ask(self, seen: Attempt, bound: _Bound) -> None:
        spec = bound.policy.get("spec") or {}
        try:
            given = parameters.found(self._backend, seen, spec, bound.binding.get("spec") or {})
        except parameters.Unconfigured as problem:
            if bound.strict:
                self._decide(bound, _Decision(f"failed to configure binding: {problem}", certain=True))
            return
        made = expressions.of_policy(spec)
        values = evaluating.values(self._backend, seen)
        for params in given:
            for decision in self._decisions(bound, made, {**values, "params": params}):
                self._decide(bound, decision)

    def _decisions(self, bound: _Bound, made: expressions.Expressions, values: dict[str, Any]) -> list[_Decision]:
        spec, budget = bound.policy.get("spec") or {}, Budget(evaluating.BUDGET)
        given = evaluating.with_variables(values, made, budget)
        try:
            if not evaluating.hold(made.conditions, given):
                return []
            found = list(_violations(spec, made, given, budget, strict=bound.strict))
            budget = Budget(evaluating.BUDGET)
            given = evaluating.with_variables(values, made, budget)
            return found + list(self._annotations(spec, made, given, budget, strict=bound.strict))
        except Failure as failure:
            return [_Decision(str(failure))] if bound.strict else []

    def _annotations(
        self, spec: Object, made: expressions.Expressions, values: dict[str, Any], budget: Budget, *, strict: bool
    ) -> Iterator[_Decision]:
        """Note what a policy wants in the audit record; yields what it cannot say."""
        for one in spec.get("auditAnnotations") or ():
            text = str(one.get("valueExpression") or "").strip()
            try:
                said = evaluating.run(made.compiled(text), values, budget)
            except Spent:
                raise
            except Failure as failure:
                if strict:
                    yield _Decision(f"expression '{text}' resulted in error: {failure}", certain=True)
                continue
            value = said.strip()[:_LONGEST_NOTE] if isinstance(said, str) else ""
            if value:
                # Bindings that say the same are noted once.
                self._notes.setdefault(str(one.get("key")), {})[value] = None

    def _decide(self, bound: _Bound, decision: _Decision) -> None:
        """Warn of what a policy has against a write, note it, and keep the first refusal."""
        policy, binding = bound.names
        about = f"ValidatingAdmissionPolicy '{policy}' with binding '{binding}'"
        if not decision.certain:
            if "Warn" in bound.actions:
                self._backend.warn(f"Validation failed for {about}: {decision.told}")
            if "Audit" in bound.actions:
                failure = {"message": decision.told, "policy": policy, "binding": binding}
                self.failures.append({**failure, "expressionIndex": decision.place, "validationActions": bound.actions})
        if self.refusal is None and (decision.certain or "Deny" in bound.actions):
            self.refusal = _denied(self._attempt, f"{about} denied request: {decision.told}", decision.reason)


def _denied(attempt: Attempt, detail: str, reason: str) -> errors.StatusError:
    resource = attempt.resource
    refusal = errors.forbidden(resource.plural, resource.group, attempt.name, detail)
    details = {**(refusal.details or {}), "causes": [{"message": detail}]}
    return errors.StatusError(_CODES.get(reason, 422), reason, refusal.message, details)


def _violations(
    spec: Object, made: expressions.Expressions, values: dict[str, Any], budget: Budget, *, strict: bool
) -> Iterator[_Decision]:
    for index, rule in enumerate(spec.get("validations") or ()):
        text = str(rule.get("expression") or "").strip()
        try:
            holds = evaluating.run(made.compiled(text), values, budget)
        except Spent:
            raise
        except Failure as failure:
            if strict:
                yield _Decision(f"expression '{text}' resulted in error: {failure}", "Invalid", index)
            continue
        if holds is not True:
            yield _Decision(_words(rule, text, made, values, budget), rule.get("reason") or "Invalid", index)


def _words(
    rule: Mapping[str, Any], text: str, made: expressions.Expressions, values: dict[str, Any], budget: Budget
) -> str:
    expression = rule.get("messageExpression")
    if expression:
        try:
            said = evaluating.run(made.compiled(str(expression)), values, budget)
        except Failure:
            said = None
        if isinstance(said, str) and said.strip() and len(said.encode()) <= _LONGEST and "\n" not in said.strip():
            return said.strip()
    return str(rule.get("message") or "").strip() or f"failed expression: {text}"
