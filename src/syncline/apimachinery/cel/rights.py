"""`authorizer` in expressions of admission policies: asks whether somebody may do something.

Whoever evaluates hands in an `Authorizer` with a function that decides; an expression builds up the question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.types import Type
from syncline.apimachinery.cel.values import Fault, Opaque

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to do: with a resource, or with a path."""

    account: tuple[str, str] | None = None
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    verb: str = ""


Decide = Callable[[Question], tuple[bool, str]]


@dataclass(frozen=True, slots=True)
class Authorizer(Opaque):
    """Who is asked; `about` is the resource of the request."""

    type_name: ClassVar[str] = "kubernetes.authorization.Authorizer"
    decide: Decide
    question: Question
    about: Question

    def about_request(self) -> ResourceCheck:
        """Return `authorizer.requestResource`."""
        return ResourceCheck(self.decide, self.about)


@dataclass(frozen=True, slots=True)
class PathCheck(Opaque):
    """A question about a path."""

    type_name: ClassVar[str] = "kubernetes.authorization.PathCheck"
    decide: Decide
    question: Question


@dataclass(frozen=True, slots=True)
class GroupCheck(Opaque):
    """A question about a group of kinds."""

    type_name: ClassVar[str] = "kubernetes.authorization.GroupCheck"
    decide: Decide
    question: Question


@dataclass(frozen=True, slots=True)
class ResourceCheck(Opaque):
    """A question about a resource."""

    type_name: ClassVar[str] = "kubernetes.authorization.ResourceCheck"
    decide: Decide
    question: Question


@dataclass(frozen=True, slots=True)
class Decision(Opaque):
    """What was decided, and why."""

    type_name: ClassVar[str] = "kubernetes.authorization.Decision"
    allowed: bool
    reason: str


_OF: Final = "kubernetes.authorization"
_CHECK: Final = f"{_OF}.ResourceCheck"


def _path(asked: Authorizer, path: str) -> PathCheck:
    if not path:
        raise Fault("path must not be empty")
    return PathCheck(asked.decide, replace(asked.question, path=path))


def _decided(asked: PathCheck | ResourceCheck, verb: str) -> Decision:
    return Decision(*asked.decide(replace(asked.question, verb=verb)))


def _with(asked: ResourceCheck, field: str, text: str) -> ResourceCheck:
    more: dict[str, Any] = {field: text}
    return ResourceCheck(asked.decide, replace(asked.question, **more))


def _account(asked: Authorizer, namespace: str, name: str) -> Authorizer:
    return replace(asked, question=Question(account=(namespace, name)))


AUTHORIZER: Final = Type(f"{_OF}.Authorizer", fields={"requestResource": Type(_CHECK)})
"""The type of the variable `authorizer`."""

_add("path", f"{_OF}.Authorizer.(string) {_OF}.PathCheck", does=_path)
_add("check", f"{_OF}.PathCheck.(string) {_OF}.Decision", f"{_CHECK}.(string) {_OF}.Decision", does=_decided)
_add(
    "group",
    f"{_OF}.Authorizer.(string) {_OF}.GroupCheck",
    does=lambda a, text: GroupCheck(a.decide, replace(a.question, group=text)),
)
_add("serviceAccount", f"{_OF}.Authorizer.(string, string) {_OF}.Authorizer", does=_account)
_add(
    "resource",
    f"{_OF}.GroupCheck.(string) {_CHECK}",
    does=lambda a, text: ResourceCheck(a.decide, replace(a.question, resource=text)),
)
for _field in ("subresource", "namespace", "name"):
    _add(_field, f"{_CHECK}.(string) {_CHECK}", does=lambda a, text, field=_field: _with(a, field, text))
for _selector in ("fieldSelector", "labelSelector"):
    _add(_selector, f"{_CHECK}.(string) {_CHECK}", does=lambda a, _text: a)
_add("allowed", f"{_OF}.Decision.() bool", does=lambda a: a.allowed)
_add("reason", f"{_OF}.Decision.() string", does=lambda a: a.reason)
_add("errored", f"{_OF}.Decision.() bool", does=lambda _a: False)
_add("error", f"{_OF}.Decision.() string", does=lambda _a: "")
