"""Reaches into values: fields, elements, and whether they are there.

Called by what `compiling` makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.cel import values
from syncline.apimachinery.cel.rights import Authorizer
from syncline.apimachinery.cel.values import NONE, Fault, Optional


def select(of: Any, field: str) -> Any:
    """Return a field of a value; of an optional value an optional field."""
    if isinstance(of, Mapping):
        if field in of:
            return of[field]
        raise Fault(f"no such key: {field}")
    if isinstance(of, Optional):
        return optionally(of.value, field) if of.there else NONE
    if isinstance(of, Authorizer) and field == "requestResource":
        return of.about_request()
    raise Fault(values.NO_OVERLOAD)


def index(of: Any, key: Any) -> Any:
    """Return an element of a list or mapping."""
    if isinstance(of, list):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        if not isinstance(key, int) or isinstance(key, bool):
            raise Fault(f"unsupported index type '{values.type_name(key)}' in list")
        if not 0 <= key < len(of):
            raise Fault(f"index out of bounds: {key}")
        return of[key]
    if isinstance(of, Mapping):
        if not isinstance(key, str | int | float):
            raise Fault("unsupported key type")
        if key in of:
            return of[key]
        raise Fault(f"no such key: {key}")
    if isinstance(of, Optional):
        return optionally(of.value, key) if of.there else NONE
    raise Fault(values.NO_OVERLOAD)


def optionally(of: Any, key: Any) -> Optional:
    """Return a field or element if it is there."""
    if isinstance(of, Optional):
        return optionally(of.value, key) if of.there else NONE
    if isinstance(of, list):
        there = isinstance(key, int) and 0 <= key < len(of)
        return Optional(True, of[key]) if there else NONE
    if isinstance(of, Mapping):
        return Optional(True, of[key]) if key in of else NONE
    raise Fault(values.NO_OVERLOAD)


def has(of: Any, field: str) -> bool:
    """Tell whether a field is there."""
    if isinstance(of, Optional):
        return of.there and has(of.value, field)
    if isinstance(of, Mapping):
        return field in of
    raise Fault(values.NO_OVERLOAD)
