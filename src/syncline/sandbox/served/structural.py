"""Holds custom objects against the JSON schema of their definition, in the API server's words.

Called by `syncline.sandbox.served.custom_rules`, and by `syncline.sandbox.kinds.schema_defaults` for the defaults in a
schema. Follows kube-openapi's validator, also in which of several failed alternatives it tells: the one that came
through most checks. Values that did not change since the live object are not looked at; elements of a list count as
the same when its keys tell so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery import equality
from syncline.apimachinery.cel import regexes
from syncline.apimachinery.cel.values import Fault
from syncline.apimachinery.schema import text_formats
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.served import list_keys

Schema = Mapping[str, Any]
_NEW: Final = object()
"""Stands for the live value where there is none to compare with."""
_NOWHERE: Final = "<nil>"
"""How the API server names a place that it does not tell."""
_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)
_LARGEST_WHOLE: Final = 2**53 - 1
_NEAR: Final = 1e-9


class _Outcome:
    """What is wrong with a value, and how many checks it came through."""

    __slots__ = ("causes", "matches")

    def __init__(self, *causes: FieldCause, matches: int = 0) -> None:
        self.causes = list(causes)
        self.matches = matches

    def add(self, other: _Outcome) -> None:
        """Take over what another check found."""
        self.causes += [cause for cause in other.causes if cause not in self.causes]
        self.matches += other.matches


def validate(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with a whole object."""
    return _ratcheted(schema, obj, "", _NEW if live is None else live).causes


def validate_status(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with the status alone; texts name fields as seen from there."""
    part = (schema.get("properties") or {}).get("status")
    if part is None or obj.get("status") is None:
        return []
    old = _NEW if live is None else live.get("status", _NEW)
    return under("status", _ratcheted(part, obj["status"], "", old).causes)


def under(path: str, causes: Iterable[FieldCause]) -> list[FieldCause]:
    """Return what is wrong with a part, with the fields named as seen from the whole."""
    return [
        FieldCause(path if cause.field in ("", _NOWHERE) else f"{path}.{cause.field}", cause.reason, cause.message)
        for cause in causes
    ]


def _ratcheted(schema: Schema, value: Any, path: str, old: Any) -> _Outcome:
    """Check a value; one that did not change is not held against."""
    if old is not _NEW and equality.equal(old, value):
        return _Outcome()
    return _checked(schema, value, path, old)


def _checked(schema: Schema, value: Any, path: str, old: Any) -> _Outcome:
    """Check a value by every validator that applies to it, in kube-openapi's order."""
    found = _Outcome()
    types, shape = _types(schema), format_of(schema)
    if value is None:
        found.add(_check_null(schema, types, path))
        found.causes += _check_choice(schema, value, path)
        return found
    if types or shape:
        found.add(_check_type(types, shape, value, path))
        found.matches += 1
    found.add(_check_logic(schema, value, path, old))
    if isinstance(value, str):
        found.causes += _check_text(schema, shape, value, path)
        found.matches += 2 if text_formats.known(shape) else 1
    elif isinstance(value, list):
        found.add(_check_list(schema, value, path, old))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found.causes += _check_number(schema, types, shape, value, path)
        found.matches += 2
    found.causes += _check_choice(schema, value, path)
    if isinstance(value, dict):
        found.add(_check_object(schema, value, path, old))
    found.matches += 3  # the logical words and choices apply to everything, and the value as a whole counts
    return found


def _types(schema: Schema) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string"):
        return ("integer", "string")
    kind = schema.get("type")
    return (kind,) if kind else ()


def format_of(schema: Schema) -> str:
    """Return the format where the API server knows it for the type."""
    named, types = str(schema.get("format") or ""), _types(schema)
    if not named:
        return ""
    kind = types[0] if len(types) == 1 else ""
    if kind in ("", "string"):
        return named if text_formats.known(named) else ""
    known = {"integer": ("int32", "int64"), "number": ("float", "double")}
    return named if named in known.get(kind, ()) else ""


def _check_null(schema: Schema, types: tuple[str, ...], path: str) -> _Outcome:
    if types and not schema.get("nullable"):
        return _Outcome(_wrong_type(path, ",".join(types), "null"))
    return _Outcome(matches=1)


def _check_type(types: tuple[str, ...], shape: str, value: Any, path: str) -> _Outcome:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    given = names[type(value)]
    whole = isinstance(value, float) and _is_whole(value) and "integer" in types
    number = given == "integer" and "number" in types
    listed = isinstance(value, str | list)
    if not listed and shape and not (given in types or whole or number):
        return _Outcome(_wrong_type(path, shape, {"integer": "int64", "number": "float64"}.get(given, "")))
    if shape and listed and not {"number", "integer"} & set(types):
        return _Outcome(matches=1)
    if given not in types and not whole and not number:
        return _Outcome(_wrong_type(path, ",".join(types), given))
    return _Outcome(matches=1)


def _wrong_type(path: str, wanted: str, given: str) -> FieldCause:
    told = f"Invalid value: {_print(given)}: {path} in body must be of type {wanted}: {_print(given)}"
    return FieldCause(_place(path), "FieldValueTypeInvalid", told)


def _check_choice(schema: Schema, value: Any, path: str) -> list[FieldCause]:
    allowed = schema.get("enum")
    if not allowed or any(_is(value, one) for one in allowed if one is not None):
        return []
    words = ", ".join(_print(one if isinstance(one, str) else _print(one)) for one in allowed)
    text = f"Unsupported value: {_print(value)}: supported values: {words}"
    return [FieldCause(_place(path), "FieldValueNotSupported", text)]


def _is(value: Any, other: Any) -> bool:
    """Tell whether two values are the same; true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _check_logic(schema: Schema, value: Any, path: str, old: Any) -> _Outcome:
    found = _Outcome(matches=1)
    choices = schema.get("anyOf")
    if choices:
        _choose(found, [_checked(part, value, path, old) for part in choices], path, only_one=False)
    exclusive = schema.get("oneOf")
    if exclusive:
        _choose(found, [_checked(part, value, path, old) for part in exclusive], path, only_one=True)
    every = schema.get("allOf")
    if every:
        outcomes = [_checked(part, value, path, old) for part in every]
        for outcome in outcomes:
            found.add(outcome)
        failed = sum(bool(outcome.causes) for outcome in outcomes)
        if failed:
            none = ". None validated" if failed == len(outcomes) else ""
            found.causes.append(_untold(f"{_print(path)} must validate all the schemas (allOf){none}"))
    refused = schema.get("not")
    if refused is not None and not _checked(refused, value, path, old).causes:
        found.causes.append(_untold(f"{_print(path)} must not validate the schema (not)"))
    return found


def _choose(found: _Outcome, outcomes: list[_Outcome], path: str, *, only_one: bool) -> None:
    """Take over the alternative that fits, or say that none does, with the words of the one that comes nearest."""
    right = [outcome for outcome in outcomes if not outcome.causes]
    if len(right) == 1 or (right and not only_one):
        found.add(right[0])
        return
    told = f"Found {len(right)} valid alternatives" if right else "Found none valid"
    word = f"one and only one schema (oneOf). {told}" if only_one else "at least one schema (anyOf)"
    found.causes.append(_untold(f"{_print(path)} must validate {word}"))
    if not right:
        found.add(max(outcomes, key=lambda outcome: outcome.matches))


def _untold(text: str) -> FieldCause:
    return errors.invalid_value(_NOWHERE, '""', text)


def _check_object(schema: Schema, value: Mapping[str, Any], path: str, old: Any) -> _Outcome:
    found, before = _Outcome(), old if isinstance(old, dict) else {}
    properties, extra = schema.get("properties") or {}, schema.get("additionalProperties")
    least, most = schema.get("minProperties"), schema.get("maxProperties")
    if least is not None and len(value) < least:
        found.causes.append(_body(path, len(value), f"should have at least {least} properties"))
    if most is not None and len(value) > most:
        found.causes.append(_too_many(path, len(value), most))
    if extra is False:
        for key in value:
            if key not in properties:
                text = f"{path}.{key} in body is a forbidden property"
                found.causes.append(errors.invalid_value(_place(path), _print(key), text))
    for key, item in value.items():
        member = properties.get(key, extra)
        if isinstance(member, Mapping):
            where = f"{path}.{key}" if path or key not in properties else key
            found.add(_ratcheted(member, item, where, before.get(key, _NEW)))
    for name in schema.get("required") or ():
        if name not in value:
            found.causes.append(errors.required(f"{path}.{name}".removeprefix(".")))
    found.matches += 1
    return found


def _check_list(schema: Schema, value: list[Any], path: str, old: Any) -> _Outcome:
    found, items = _Outcome(matches=2), schema.get("items")
    if isinstance(items, Mapping):
        keyed = schema.get("x-kubernetes-list-type") == "map" and isinstance(old, list)
        keys = schema.get("x-kubernetes-list-map-keys") or ()
        before = {list_keys.identity(item, keys): item for item in old} if keyed else {}
        for index, item in enumerate(value):
            earlier = before.get(list_keys.identity(item, keys), _NEW) if keyed else _NEW
            found.add(_ratcheted(items, item, f"{path}[{index}]", earlier))
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is not None and len(value) < least:
        found.causes.append(_body(path, len(value), f"should have at least {least} items"))
    if most is not None and len(value) > most:
        found.causes.append(_too_many(path, len(value), most))
    return found


def _too_many(path: str, count: int, most: int) -> FieldCause:
    text = f"Too many: {count}: must have at most {most} item{'' if most == 1 else 's'}"
    return FieldCause(_place(path), "FieldValueTooMany", text)


def _check_text(schema: Schema, shape: str, value: str, path: str) -> list[FieldCause]:
    """Report the first thing that is wrong with a text, and whether it has the wrong format."""
    least, most, pattern = schema.get("minLength"), schema.get("maxLength"), schema.get("pattern")
    causes: list[FieldCause] = []
    if most is not None and len(value) > most:
        causes.append(errors.too_long(_place(path), most))
    elif least is not None and len(value) < least:
        causes.append(_body(path, value, f"should be at least {least} chars long"))
    elif pattern and not _matches(pattern, value):
        causes.append(_body(path, value, f"should match '{pattern}'"))
    if shape and text_formats.known(shape) and not text_formats.fits(shape, value):
        causes.append(_wrong_type(path, shape, value))
    return causes


def _matches(pattern: str, value: str) -> bool:
    try:
        return regexes.matches(value, pattern)
    except Fault:
        return False


def _check_number(schema: Schema, types: tuple[str, ...], shape: str, value: float, path: str) -> list[FieldCause]:
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    causes = _out_of_range(value, kind, shape, "Checked", path)
    step, least, most = (schema.get(name) for name in ("multipleOf", "minimum", "maximum"))
    if step is not None:
        causes += _out_of_range(step, kind, shape, "MultipleOf", path)
        causes += _check_multiple(value, step, path)
    if least is not None:
        causes += _out_of_range(least, kind, shape, "Minimum boundary", path)
        strict = bool(schema.get("exclusiveMinimum"))
        if value < least or (strict and value == least):
            text = f"should be greater than {'' if strict else 'or equal to '}{_number(least)}"
            causes.append(_body(path, value, text))
    if most is not None:
        causes += _out_of_range(most, kind, shape, "Maximum boundary", path)
        strict = bool(schema.get("exclusiveMaximum"))
        if value > most or (strict and value == most):
            text = f"should be less than {'' if strict else 'or equal to '}{_number(most)}"
            causes.append(_body(path, value, text))
    return causes


def _check_multiple(value: float, step: float, path: str) -> list[FieldCause]:
    """Refuse a value between the steps; for whole numbers the step is made whole, too, and may come to nothing."""
    if isinstance(value, int):
        step = int(step)
        if step <= 0:
            text = f"factor MultipleOf declared for {path} must be positive: {step}"
            return [errors.invalid_value(_place(path), str(step), text)]
        right = value % step == 0
    else:
        right = _is_whole(1 / step * value if step < 1 else value / step)
    return [] if right else [_body(path, value, f"should be a multiple of {_number(step)}")]


def _is_whole(value: float) -> bool:
    """Tell whether a number is a whole one that JSON can carry."""
    return abs(value) <= _LARGEST_WHOLE and abs(value - round(value)) < _NEAR


def _out_of_range(value: float, kind: str, shape: str, what: str, path: str) -> list[FieldCause]:
    """Refuse what does not fit the whole numbers of a format."""
    if kind != "integer":
        return []
    bounds = _INT32 if shape == "int32" else _INT64
    if float(value).is_integer() and int(value) in bounds:
        return []
    form = f"with format {shape}" if shape else "(default format)"
    return [_untold(f"{what} value must be of type integer {form} in {path}")]


def _body(path: str, value: Any, text: str) -> FieldCause:
    shown = _number(value) if isinstance(value, float) else _print(value)
    return errors.invalid_value(_place(path), shown, f"{path} in body {text}")


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else regexes.shown_double(value)


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()


def _place(path: str) -> str:
    return path or _NOWHERE
