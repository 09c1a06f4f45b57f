"""The shape of the rules of one kind.

`syncline.sandbox.api.writes` calls `prepare` before and `validate` after defaulting; both see the live object on
updates and None on creates. `prepare` returns the object, changed where needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause

Prepare = Callable[[Backend, Object, Object | None], Object]
Validate = Callable[[Backend, Object, Object | None], list[FieldCause]]


def _unchanged(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    return obj


def _anything(_backend: Backend, _obj: Object, _live: Object | None) -> list[FieldCause]:
    return []


def _nothing(_obj: Object) -> list[str]:
    return []


class KindRules(msgspec.Struct, frozen=True):
    """What one kind does differently."""

    prepare: Prepare = _unchanged
    validate: Validate = _anything
    complete: Prepare = _unchanged
    """Like `prepare`, but after defaulting."""
    prepare_status: Prepare = _unchanged
    """Like `prepare`, for a write to the status."""
    validate_status: Validate = _anything
    warning: str = ""
    """What every write of such an object is answered with, besides the object."""
    warn: Callable[[Object], list[str]] = _nothing
    """What there is to say about an object that is let in all the same."""
    returns_deleted: bool = False
    """Whether a delete answers with the object instead of a Status."""
    fixed: bool = False
    """Whether what may not change is looked up, for kinds that do not check it themselves."""


def immutable(field: str, new: Any, old: Any, *, text: str = "field is immutable") -> list[FieldCause]:
    """Refuse a change of a field."""
    return [] if new == old else [errors.invalid_value(field, go_value(new), text)]


def go_value(value: Any) -> str:
    """Print a value in a message; structures come as JSON, where the real server prints Go syntax."""
    if value is None:
        return "null"
    return orjson.dumps(value).decode()
