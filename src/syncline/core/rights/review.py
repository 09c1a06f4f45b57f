"""Compares what an identity may do in a namespace with what a component asks for there.

Called by `syncline.verbs.own_rights` with the rules of a SelfSubjectRulesReview. Rules that every authenticated user
has, to ask about oneself, count as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from syncline.core.rights.table import USES, Component, Where

_ANYTHING: Final = "*"
_ABOUT_ONESELF: Final = frozenset({"authorization.k8s.io", "authentication.k8s.io"})
_GAINS: Final = frozenset({"escalate", "bind", "impersonate", _ANYTHING})
"""Verbs by which an identity gets rights that nobody gave it."""


class Right(NamedTuple):
    """A verb on a kind of object, on one object where it is named."""

    group: str
    resource: str
    verb: str
    name: str = ""

    def __str__(self) -> str:
        kind = f"{self.resource}.{self.group}" if self.group else self.resource
        return f"{self.verb} {kind} {self.name}".rstrip()


def wanted(component: Component, *places: Where) -> list[Right]:
    """Return what a component asks for in namespaces of these sorts."""
    return [
        Right(use.group, use.resource, verb, name)
        for use in USES
        if use.component is component and use.where in places
        for verb in use.verbs
        for name in use.named or ("",)
    ]


def lacking(rights: Iterable[Right], rules: Iterable[Mapping[str, Any]]) -> list[Right]:
    """Return the rights that no rule gives."""
    known = list(rules)
    return [right for right in rights if not any(_gives(rule, right) for rule in known)]


def beyond(rights: Iterable[Right], rules: Iterable[Mapping[str, Any]]) -> list[Right]:
    """Return what rules give beyond some rights, in order."""
    known = set(rights)
    given = {right for rule in rules for right in _rights(rule)} - known
    # Whoever may do it to all objects is not told of those that are named.
    return sorted(right for right in given if right._replace(name="") not in known)


def is_gain(right: Right) -> bool:
    """Whether a right can be used to gain others."""
    return right.verb in _GAINS


def told(rights: Iterable[Right]) -> list[str]:
    """Return rights as texts, those to one kind together."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for right in rights:
        kinds.setdefault((right.group, right.resource, right.name), []).append(right.verb)
    return [str(Right(group, resource, ",".join(verbs), name)) for (group, resource, name), verbs in kinds.items()]


def _rights(rule: Mapping[str, Any]) -> Iterable[Right]:
    return (
        Right(group, resource, verb, name)
        for group in _texts(rule, "apiGroups")
        for resource in _texts(rule, "resources")
        for verb in _texts(rule, "verbs")
        for name in _texts(rule, "resourceNames") or ("",)
        if not (group in _ABOUT_ONESELF and resource.startswith("selfsubject"))
    )


def _gives(rule: Mapping[str, Any], right: Right) -> bool:
    names = _texts(rule, "resourceNames")
    return (
        not {right.group, _ANYTHING}.isdisjoint(_texts(rule, "apiGroups"))
        and not {right.resource, _ANYTHING}.isdisjoint(_texts(rule, "resources"))
        and not {right.verb, _ANYTHING}.isdisjoint(_texts(rule, "verbs"))
        and (not names or right.name in names)
    )


def _texts(rule: Mapping[str, Any], field: str) -> tuple[str, ...]:
    return tuple(str(text) for text in rule.get(field) or ())
