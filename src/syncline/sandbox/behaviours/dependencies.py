"""Looks for what a rule depends on: other objects, and facts of the world outside.

Called by `syncline.sandbox.behaviours.controller` with the fields of the object a rule is played on. Answers with the
first thing that is missing, because an operator complains about one thing at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import templates
from syncline.sandbox.behaviours.rules import Depends, When
from syncline.sandbox.served.resources import Resource

ANY: Final = "*"
"""The name that any object has."""


class WatchedDependency(NamedTuple):
    """What was looked for: one object, or any of a namespace when the name is `*`."""

    group: str
    kind: str
    namespace: str
    name: str


class Missing(NamedTuple):
    """What is not there, with the facts under which it was looked for."""

    wanted: Depends
    facts: dict[str, Any]


def holds(when: When, obj: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    """Tell whether a condition on one field holds."""
    value = templates.at(obj, when.path)
    values = value if "*" in when.path and isinstance(value, list) else [value]
    if when.equals is not None:
        wanted = templates.fill(when.equals, facts)
        return any(one == wanted for one in values)
    if when.one_of:
        wanted = templates.fill(when.one_of, facts)
        return any(one in wanted for one in values)
    if when.like or when.unlike:
        texts = [str(one) for one in values if one is not None]
        return any(fnmatchcase(one, when.like or "*") and not fnmatchcase(one, when.unlike) for one in texts)
    return any(one is not None for one in values) is when.exists


def first_missing(
    backend: Backend, depends: list[Depends], facts: dict[str, Any], note: Callable[[WatchedDependency], None]
) -> Missing | None:
    """Return what is missing first, None when all is there; fields of named ones are added to the facts.

    `note` is told of every object that is looked for, so that its changes can be followed.
    """
    for wanted in depends:
        for known in _rounds(wanted, facts):
            if not all(holds(when, known, known) for when in wanted.asked):
                continue
            found, other = _look(backend, wanted, known, note)
            if other is not None and wanted.known_as:
                facts[wanted.known_as] = other
            if not wanted.optional and found is wanted.absent:
                if other is not None:
                    known = {**known, "other": other}
                return Missing(wanted, known)
    return None


def _rounds(wanted: Depends, facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not wanted.each:
        yield facts
        return
    items = templates.at(facts, wanted.each)
    for number, item in enumerate(items if isinstance(items, list) else ()):
        yield {**facts, "item": item, "index": number}


def _look(
    backend: Backend, wanted: Depends, facts: dict[str, Any], note: Callable[[WatchedDependency], None]
) -> tuple[bool, Object | None]:
    """Return whether something is there as asked, and the object whatever its condition."""
    if wanted.outside:
        return _is_outside(backend, wanted, facts), None
    group, kind = (str(templates.fill(text, facts) or "") for text in (wanted.group, wanted.kind))
    resource = backend.registry.preferred(group, kind)
    namespace = str(templates.fill(wanted.namespace, facts) or "")
    name = str(templates.fill(wanted.name, facts) or "") if wanted.name else ANY
    note(WatchedDependency(group, kind, namespace if resource is None or resource.namespaced else "", name))
    if resource is None:
        return False, None
    near: Object | None = None
    for other in _candidates(backend, resource, wanted, facts):
        near = other
        if _suits(other, wanted, facts):
            return True, other
    return False, near


def _candidates(backend: Backend, resource: Resource, wanted: Depends, facts: dict[str, Any]) -> Iterator[Object]:
    namespace = str(templates.fill(wanted.namespace, facts) or "") if resource.namespaced else ""
    if wanted.name and wanted.name != ANY:
        row = backend.store.get(resource.bucket, namespace, str(templates.fill(wanted.name, facts) or ""))
        if row is not None:
            yield resource.decode(row)
        return
    labels = templates.fill(wanted.labels, facts)
    for row in backend.store.rows(resource.bucket, namespace):
        if labels.items() <= row.labels.items():
            yield resource.decode(row)


def _suits(other: Object, wanted: Depends, facts: dict[str, Any]) -> bool:
    if wanted.condition:
        kind, _, status = wanted.condition.partition("=")
        conditions = (other.get("status") or {}).get("conditions") or ()
        if not any(one.get("type") == kind and one.get("status") == (status or "True") for one in conditions):
            return False
    return all(holds(when, other, facts) for when in wanted.where)


def _is_outside(backend: Backend, wanted: Depends, facts: dict[str, Any]) -> bool:
    outside, name = backend.settings.outside, str(templates.fill(wanted.name, facts) or "")
    if wanted.outside == "secrets":
        return outside.holds(name, str(templates.fill(wanted.property, facts) or ""))
    return outside.resolves(name)
