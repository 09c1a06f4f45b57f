"""Gives the expressions of policies and webhooks their values, and works them out.

Used by `syncline.sandbox.admission.policies`, `mutations` and `webhooks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from syncline.apimachinery.cel.program import Budget, Program
from syncline.apimachinery.cel.rights import Authorizer, Question
from syncline.apimachinery.cel.values import Fault, Lazy, OutOfBudget, TooLong
from syncline.sandbox.access import rbac
from syncline.sandbox.access.rbac import SERVICE_ACCOUNT, User
from syncline.sandbox.admission import attempts
from syncline.sandbox.admission.attempts import Attempt
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds.expressions import Expressions

BUDGET: Final = 10_000_000
"""What the expressions of a policy may cost together for one binding."""
_CONDITIONS: Final = 2_500_000
"""What conditions may cost together."""


class Failure(Exception):
    """An expression cannot be worked out for this request."""


class Spent(Failure):
    """Expressions cost too much together."""

    def __init__(self) -> None:
        told = "validation failed due to running out of cost budget, no further validation rules will be run"
        super().__init__(told)


class _Variables(Lazy):
    """The variables of a policy: each is worked out when it is first asked for, and once."""

    def __init__(self, programs: dict[str, Program | str], values: dict[str, Any], budget: Budget) -> None:
        self._programs = programs
        self._values = values
        self._budget = budget
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            try:
                self._known[name] = run(self._programs[name], self._values, self._budget)
            except Spent:
                raise OutOfBudget from None
            except Failure as failure:
                raise Fault(f'composited variable "{name}" fails to evaluate: {failure}') from None
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._programs)

    def __len__(self) -> int:
        return len(self._programs)


def values(backend: Backend, attempt: Attempt) -> dict[str, Any]:
    """Return what expressions about a request may name, but params and variables."""
    request = attempt.request(backend)
    return {
        "object": attempt.obj,
        "oldObject": attempt.live,
        "request": {**request, "name": attempt.name, "namespace": attempt.namespace},
        "namespaceObject": attempts.home(backend, attempt),
        "authorizer": _authorizer(backend, attempt),
    }


def with_variables(given: dict[str, Any], expressions: Expressions, budget: Budget) -> dict[str, Any]:
    """Return the values with the variables of a policy."""
    made = dict(given)
    made["variables"] = _Variables(expressions.variables, made, budget)
    return made


def run(made: Program | str, given: dict[str, Any], budget: Budget) -> Any:
    """Work out one expression and pay for it; raises `Failure`."""
    if isinstance(made, str):
        raise Failure(f"compilation failed: {made}")
    try:
        return made.run(given, budget)
    except OutOfBudget:
        raise Spent from None
    except Fault as fault:
        raise Failure(str(fault)) from None
    except TooLong:
        raise Failure("operation cancelled: actual cost limit exceeded") from None


def _authorizer(backend: Backend, attempt: Attempt) -> Authorizer:
    resource = attempt.resource
    about = Question(
        group=resource.group,
        resource=resource.plural,
        subresource=attempt.subresource,
        namespace=attempt.namespace,
        name=attempt.name,
    )
    acting = User(*backend.acting)

    def decide(question: Question) -> tuple[bool, str]:
        user = acting
        if question.account is not None:
            namespace, name = question.account
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
            user = User(f"{SERVICE_ACCOUNT}{namespace}:{name}", groups)
        asked = rbac.Attempt(
            verb=question.verb,
            group=question.group,
            plural=question.resource,
            subresource=question.subresource,
            namespace=question.namespace,
            name=question.name,
            path=question.path,
        )
        reason = rbac.allowed(backend, user, asked)
        return reason is not None, reason or ""

    return Authorizer(decide, Question(), about)


def hold(conditions: list[tuple[str, Program | str]], given: dict[str, Any]) -> bool:
    """Tell whether all conditions hold; one that does not decides, and else one that fails raises `Failure`."""
    failure: Failure | None = None
    budget = Budget(_CONDITIONS)
    for text, made in conditions:
        try:
            if run(made, given, budget) is not True:
                return False
        except Spent:
            raise
        except Failure as found:
            failure = failure or Failure(f"expression '{text}' resulted in error: {found}")
    if failure is not None:
        raise failure
    return True
