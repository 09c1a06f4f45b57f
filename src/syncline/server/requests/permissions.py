"""What a route asks of its caller, declared beside its path: enforced before the handler runs, and printed in the docs.

An `Endpoint` declares one of `Open`, `SignedIn`, `Filtered` or `Needs` (one, or several in order).
`syncline.server.requests.dispatch` calls `enforce`; `tools/build_permission_reference.py` prints the page. A `Subject`
loads the object once, and the handler reads it with `Call.of`. The odd fact: whoever may not see an object gets the
same bytes whether it exists or not, so a `Target` carries the 404 as a `problem`, which is raised after the check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from syncline.core.policy.rbac.words import action_known
from syncline.server.requests.failures import PermissionDenied

if TYPE_CHECKING:
    from syncline.server.requests.call import Call

T = TypeVar("T")


class UndeclaredRight(Exception):
    """A handler asked for a right that its endpoint does not declare: a bug, which refuses the request."""


@dataclass(frozen=True, slots=True)
class Target(Generic[T]):
    """What one request is about: its name in policies, and what was loaded.

    `problem` is raised for those who have the right, such as a 404. `permitted` says that no right is needed here: the
    caller's own account, or rows that were filtered already.
    """

    name: str
    value: T | None = None
    problem: Exception | None = None
    permitted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Subject(Generic[T]):
    """A way from a request to its `Target`; None where this one needs no right. `shown` is for the docs."""

    shown: str
    find: Callable[[Call], Awaitable[Target[T] | None]]


def always(name: str, shown: str = "") -> Subject[None]:
    """Return a subject with the same name in every request, such as `*/*`."""

    async def find(_call: Call) -> Target[None]:
        return Target(name)

    return Subject(shown or f"`{name}`", find)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A verb that depends on the request: one of those that `choose` returns is enough; `shown` has all."""

    shown: tuple[str, ...]
    choose: Callable[[Call], tuple[str, ...]]


Verb = str | Chosen


@dataclass(frozen=True, slots=True)
class Needs:
    """Rights to one subject. Where it does not exist, the first verb decides who gets to know that."""

    resource: str
    verbs: Verb | tuple[Verb, ...]
    of: Subject[Any]
    remark: str = ""

    @property
    def each(self) -> tuple[Verb, ...]:
        """The verbs, all of which are needed."""
        return self.verbs if isinstance(self.verbs, tuple) else (self.verbs,)


@dataclass(frozen=True, slots=True)
class Also:
    """A right that the handler asks for itself, because it depends on what it finds."""

    resource: str
    verb: str
    remark: str


@dataclass(frozen=True, slots=True)
class Open:
    """Answers without a session."""

    why: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Answers everybody who is signed in."""

    why: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """Answers everybody who is signed in, and leaves out each row that the caller has no right to."""

    resource: str
    verb: str
    rows: str


Permission = Open | SignedIn | Filtered | Needs | tuple[Needs, ...]


def needs_of(permission: Permission) -> tuple[Needs, ...]:
    """Return the rights that are enforced before the handler runs."""
    if isinstance(permission, tuple):
        return permission
    return (permission,) if isinstance(permission, Needs) else ()


def declared(permission: Permission, also: tuple[Also, ...]) -> frozenset[tuple[str, str]]:
    """Return all rights that a request may be asked for, each as resource and verb, without what follows a slash."""
    return frozenset((resource, _bare(verb)) for resource, verb in _pairs(permission, also))


def check_declaration(permission: object, also: tuple[Also, ...]) -> None:
    """Raise `TypeError` for a declaration that is missing or empty, or names a right that policies cannot grant."""
    needs = permission if isinstance(permission, tuple) and permission else (permission,)
    single = isinstance(permission, Open | SignedIn | Filtered)
    if not single and not all(isinstance(need, Needs) for need in needs):
        raise TypeError("an endpoint declares Open, SignedIn, Filtered or Needs")
    if isinstance(permission, Open | SignedIn) and not permission.why:
        raise TypeError("an endpoint that needs no right says why")
    for resource, verb in _pairs(permission, also):  # type: ignore[arg-type]
        if not action_known(resource, verb):
            raise TypeError(f"policies cannot grant {verb} on {resource}")


def _pairs(permission: Permission, also: tuple[Also, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(permission, Filtered):
        yield permission.resource, permission.verb
    for need in needs_of(permission):
        for verb in need.each:
            yield from ((need.resource, one) for one in (verb.shown if isinstance(verb, Chosen) else (verb,)))
    yield from ((one.resource, one.verb) for one in also)


def _bare(verb: str) -> str:
    return verb.partition("/")[0]


async def enforce(permission: Permission, call: Call) -> None:
    """Load the subjects of a declaration into a call; raises `PermissionDenied`, or what is wrong with a subject."""
    targets: dict[Subject[Any], Target[Any] | None] = {}
    for need in needs_of(permission):
        if need.of not in targets:
            targets[need.of] = await need.of.find(call)
        target = targets[need.of]
        if target is not None:
            _require(need, target, call)
            call.loaded[need.of] = target.value


def enforce_for(permission: Permission, subject: Subject[T], target: Target[T], call: Call) -> None:
    """Ask again for the rights that a declaration names to a subject, which turned out to be another `Target`."""
    for need in needs_of(permission):
        if need.of is subject:
            _require(need, target, call)


def _require(need: Needs, target: Target[Any], call: Call) -> None:
    if not target.permitted:
        for verb in need.each[:1] if target.problem is not None else need.each:
            enough = verb.choose(call) if isinstance(verb, Chosen) else (verb,)
            if not any(call.backend.guard.may(call.who, need.resource, one, target.name) for one in enough):
                raise PermissionDenied
    if target.problem is not None:
        raise target.problem
