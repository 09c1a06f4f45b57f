"""Holds custom objects to their definition: schema, objects inside, CEL rules, and what the scale subresource needs.

Called by `syncline.sandbox.api.finishing` for every object of a custom kind. As in the API server, CEL rules run only
on an object whose shape is right, and on an update nothing is told of values that were wrong before and did not change.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.served import embedded_objects, list_keys, structural
from syncline.sandbox.served.resources import Custom

_BLOCKING: Final = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)
_LARGEST: Final = 2**31 - 1


def validate(backend: Backend, custom: Custom, obj: Object, live: Object | None, subresource: str) -> list[FieldCause]:
    """Return what the definition refuses; a rule that cannot be checked is said."""
    if subresource == "status":
        causes = structural.validate_status(custom.schema, obj, live)
    else:
        causes = structural.validate(custom.schema, obj, live)
    if custom.scale is not None:
        path = custom.scale.status_replicas if subresource == "status" else custom.scale.spec_replicas
        causes += _check_replicas(obj, path)
    if custom.embeds and subresource != "status":
        causes += embedded_objects.check(custom.schema, obj)
    repeated = list(list_keys.duplicates(custom.schema, obj)) if custom.keyed else []
    if repeated and (live is None or not any(list_keys.duplicates(custom.schema, live))):
        causes += repeated
    if custom.ruled:
        causes += _check_rules(backend, custom, obj, live, causes)
    return causes


def _check_rules(
    backend: Backend, custom: Custom, obj: Object, live: Object | None, before: list[FieldCause]
) -> list[FieldCause]:
    if any(cause.reason in _BLOCKING for cause in before):
        return [errors.invalid_value("<nil>", "null", _UNCHECKED)]
    from syncline.apimachinery.schema import cel

    checked = cel.check(obj, custom.node, live)
    for skipped in checked.skipped:
        backend.cannot(f"the sandbox did not check {skipped.path}: {skipped.rule}: {skipped.reason}")
    for found in checked.warnings:
        backend.warn(f"{found.path}: {found.message}")
    return [
        FieldCause(found.path, f"FieldValue{found.message.split(' ', 1)[0].rstrip(':')}", found.message)
        for found in checked.violations
    ]


def _check_replicas(obj: Object, path: str) -> list[FieldCause]:
    """Refuse replicas that the scale subresource could not show."""
    value: Any = obj
    for part in path.strip(".").split("."):
        if not isinstance(value, dict):
            return [_unreachable(path, value, "map[string]interface{}")]
        value = value.get(part)
        if value is None:
            return []
    if not isinstance(value, int) or isinstance(value, bool):
        return [_unreachable(path, value, "int64")]
    if value < 0:
        return [errors.invalid_value(path, str(value), "should be a non-negative integer")]
    if value > _LARGEST:
        return [errors.invalid_value(path, str(value), f"should be less than or equal to {_LARGEST}")]
    return []


def _unreachable(path: str, value: Any, wanted: str) -> FieldCause:
    names = {str: "string", bool: "bool", float: "float64", list: "[]interface {}", dict: "map[string]interface {}"}
    found = names.get(type(value), "int64")
    shown = "[]" if value == [] else str(value)
    text = f"{path} accessor error: {shown} is of the type {found}, expected {wanted}"
    return errors.invalid_value(path, "0", text)
