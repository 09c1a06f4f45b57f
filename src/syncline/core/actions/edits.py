"""Changes to objects as small functions that are put together: set a field, drop a field, make another object.

Used by the tables of `syncline.core.actions`. The object given is never changed: what lies on the way to a field is
copied, the rest is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model.actions import ActionOperation, ActionStep
from syncline.model.errors import InvalidSpec

Path = tuple[str, ...]
Test = Callable[[Object], bool]
"""Says something about an object: whether it is paused, say."""


class ActionInput(msgspec.Struct, frozen=True):
    """What an action is run on: the object, the time (RFC 3339, UTC, whole seconds) and its parameters."""

    obj: Object
    now: str
    parameters: Mapping[str, str]


Run = Callable[[ActionInput], tuple[ActionStep, ...]]
"""Does what an action does."""


def get(obj: Any, path: Path) -> Any:
    """Return the value at a path; None where there is none."""
    for step in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(step)
    return obj


def put(obj: Any, path: Path, value: Any) -> Any:
    """Return a copy with a value at a path; what is missing on the way is made."""
    if not path:
        return value
    inner = obj if isinstance(obj, dict) else {}
    return {**inner, path[0]: put(inner.get(path[0]), path[1:], value)}


def drop(obj: Any, path: Path) -> Any:
    """Return a copy without the field at a path; the same object where there is no such field."""
    if not isinstance(obj, dict) or path[0] not in obj:
        return obj
    if len(path) == 1:
        return {name: value for name, value in obj.items() if name != path[0]}
    return {**obj, path[0]: drop(obj[path[0]], path[1:])}


def patch(obj: Object) -> tuple[ActionStep, ...]:
    """Return the one step that writes a changed object."""
    return (ActionStep(ActionOperation.PATCH, obj),)


def create(obj: Object) -> tuple[ActionStep, ...]:
    """Return the one step that makes a new object."""
    return (ActionStep(ActionOperation.CREATE, obj),)


def sets(*path: str, to: Any) -> Run:
    """Return an action that sets one field."""
    return lambda request: patch(put(request.obj, path, to))


def stamps(*path: str) -> Run:
    """Return an action that writes the time into one field."""
    return lambda request: patch(put(request.obj, path, request.now))


def drops(*path: str) -> Run:
    """Return an action that removes one field."""
    return lambda request: patch(drop(request.obj, path))


def counts(*path: str, as_text: bool = False) -> Run:
    """Return an action that writes its parameter `replicas` into one field."""

    def run(request: ActionInput) -> tuple[ActionStep, ...]:
        text = request.parameters.get("replicas", "")
        if not text.isdecimal():
            raise InvalidSpec(
                f"replicas is {text!r}" if text else "the parameter replicas is missing",
                hint="give a whole number, 0 or more",
            )
        return patch(put(request.obj, path, text if as_text else int(text)))

    return run


def is_set(*path: str, to: Any = True) -> Test:
    """Return a test whether a field has a value."""
    return lambda obj: get(obj, path) == to


def is_not(test: Test) -> Test:
    """Return the opposite of a test."""
    return lambda obj: not test(obj)


def minute(now: str) -> str:
    """Return a time as the digits of its minute, which made objects carry in their names."""
    return "".join(letter for letter in now[:16] if letter.isdecimal())


def owner(obj: Object, **rest: Any) -> dict[str, Any]:
    """Return the reference with which a made object names the one it was made from."""
    metadata = meta.metadata(obj)
    return {
        "apiVersion": obj.get("apiVersion"),
        "kind": obj.get("kind"),
        "name": metadata.get("name"),
        "uid": metadata.get("uid"),
        **rest,
    }
