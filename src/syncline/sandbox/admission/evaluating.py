"""Gives the expressions of policies and webhooks their values, and works them out.

Used by `syncline.sandbox.admission.policies`, `mutations` and `webhooks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.cel.program import Program
from syncline.apimachinery.cel.rights import Authorizer, Question
from syncline.apimachinery.cel.values import Fault, Lazy, TooLong
from syncline.sandbox.access import rbac
from syncline.sandbox.access.rbac import SERVICE_ACCOUNT, User
from syncline.sandbox.admission import attempts
from syncline.sandbox.admission.attempts import Attempt
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds.expressions import Expressions


class Failure(Exception):
    """An expression cannot be worked out for this request."""


class _Variables(Lazy):
    """The variables of a policy: each is worked out when it is first asked for, and once."""

    def __init__(self, programs: dict[str, Program | str], values: dict[str, Any]) -> None:
        self._programs = programs
        self._values = values
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            try:
                self._known[name] = run(self._programs[name], self._values)
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


def with_variables(given: dict[str, Any], expressions: Expressions) -> dict[str, Any]:
    """Return the values with the variables of a policy."""
    made = dict(given)
    made["variables"] = _Variables(expressions.variables, made)
    return made


def run(made: Program | str, given: dict[str, Any]) -> Any:
    """Work out one expression; raises `Failure`."""
    if isinstance(made, str):
        raise Failure(f"compilation failed: {made}")
    try:
        return made.run(given)
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
    for text, made in conditions:
        try:
            if run(made, given) is not True:
                return False
        except Failure as found:
            failure = failure or Failure(f"expression '{text}' resulted in error: {found}")
    if failure is not None:
        raise failure
    return True
