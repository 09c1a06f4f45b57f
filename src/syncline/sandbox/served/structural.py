"""Holds custom objects against the JSON schema of their definition, in the API server's words.

Called by `syncline.sandbox.served.custom_rules`, and by `syncline.sandbox.kinds.schema_defaults` for the defaults in a
schema. Follows kube-openapi's validator, also in which of several failed alternatives it tells: the one that came
through most checks. Values that did not change since the live object are not looked at; elements of a list count as
the same when its keys tell so.
"""

from __future__ import annotations

import functools
import re
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
_ALONE: Final = {name: (name,) for name in ("object", "array", "string", "boolean", "integer", "number")}
_NOTHING: Final[dict[str, Any]] = {}
_LOGIC: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})
_NAMES: Final = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
_ALIKE: Final = re.compile(r"(?:[^\\(]|\\[-./\[\]{}()*+?^$|dDwW]|\((?!\?)|\(\?:)*")
"""Patterns without anything that Go and Python read differently; line breaks in a text are another matter."""
_INT32: Final = range(-(2**31), 2**31)
_INT64: Final = range(-(2**63), 2**63)
_LARGEST_WHOLE: Final = 2**53 - 1
_NEAR: Final = 1e-9


def validate(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with a whole object."""
    return _found(schema, obj, _NEW if live is None else live)


def validate_status(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with the status alone; texts name fields as seen from there."""
    part = (schema.get("properties") or {}).get("status")
    if part is None or obj.get("status") is None:
        return []
    old = _NEW if live is None else live.get("status", _NEW)
    return under("status", _found(part, obj["status"], old))


def under(path: str, causes: Iterable[FieldCause]) -> list[FieldCause]:
    """Return what is wrong with a part, with the fields named as seen from the whole."""
    return [
        FieldCause(path if cause.field in ("", _NOWHERE) else f"{path}.{cause.field}", cause.reason, cause.message)
        for cause in causes
    ]


def _found(schema: Schema, value: Any, old: Any) -> list[FieldCause]:
    causes: list[FieldCause] = []
    _ratcheted(schema, value, "", old, causes)
    return list(dict.fromkeys(causes)) if causes else causes


def _ratcheted(schema: Schema, value: Any, path: str, old: Any, causes: list[FieldCause]) -> int:
    """Check a value; one that did not change is not held against. Returns how many checks it came through."""
    if old is not _NEW and equality.equal(old, value):
        return 0
    return _checked(schema, value, path, old, causes)


def _checked(schema: Schema, value: Any, path: str, old: Any, causes: list[FieldCause]) -> int:
    """Check a value by every validator that applies to it, in kube-openapi's order, and count those it came through.

    What is wrong goes into `causes`. The count decides which of several failed alternatives is told.
    """
    types, shape = _types(schema), format_of(schema) if "format" in schema else ""
    if value is None:
        matches = _check_null(schema, types, path, causes)
        _check_choice(schema, value, path, causes)
        return matches
    matches = 4  # the logical words and choices apply to everything, and the value as a whole counts
    if types or shape:
        matches += 1 + _check_type(types, shape, value, path, causes)
    if not _LOGIC.isdisjoint(schema):
        matches += _check_logic(schema, value, path, old, causes)
    if isinstance(value, str):
        _check_text(schema, shape, value, path, causes)
        matches += 2 if shape and text_formats.known(shape) else 1
    elif isinstance(value, dict):
        _check_choice(schema, value, path, causes)
        return matches + _check_object(schema, value, path, old, causes)
    elif isinstance(value, list):
        matches += _check_list(schema, value, path, old, causes)
    elif not isinstance(value, bool):
        _check_number(schema, types, shape, value, path, causes)
        matches += 2
    if "enum" in schema:
        _check_choice(schema, value, path, causes)
    return matches


def _types(schema: Schema) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string"):
        return ("integer", "string")
    kind = schema.get("type")
    return _ALONE.get(kind, ()) if kind else ()


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


def _check_null(schema: Schema, types: tuple[str, ...], path: str, causes: list[FieldCause]) -> int:
    if types and not schema.get("nullable"):
        causes.append(_wrong_type(path, ",".join(types), "null"))
        return 0
    return 1


def _check_type(types: tuple[str, ...], shape: str, value: Any, path: str, causes: list[FieldCause]) -> int:
    given = _NAMES[type(value)]
    if given in types:
        return 1
    whole = isinstance(value, float) and _is_whole(value) and "integer" in types
    number = given == "integer" and "number" in types
    listed = isinstance(value, str | list)
    if whole or number:
        return 1
    if not listed and shape:
        causes.append(_wrong_type(path, shape, {"integer": "int64", "number": "float64"}.get(given, "")))
        return 0
    if shape and listed and not {"number", "integer"} & set(types):
        return 1
    causes.append(_wrong_type(path, ",".join(types), given))
    return 0


def _wrong_type(path: str, wanted: str, given: str) -> FieldCause:
    told = f"Invalid value: {_print(given)}: {path} in body must be of type {wanted}: {_print(given)}"
    return FieldCause(_place(path), "FieldValueTypeInvalid", told)


def _check_choice(schema: Schema, value: Any, path: str, causes: list[FieldCause]) -> None:
    allowed = schema.get("enum")
    if not allowed or any(_is(value, one) for one in allowed if one is not None):
        return
    words = ", ".join(_print(one if isinstance(one, str) else _print(one)) for one in allowed)
    text = f"Unsupported value: {_print(value)}: supported values: {words}"
    causes.append(FieldCause(_place(path), "FieldValueNotSupported", text))


def _is(value: Any, other: Any) -> bool:
    """Tell whether two values are the same; true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _check_logic(schema: Schema, value: Any, path: str, old: Any, causes: list[FieldCause]) -> int:
    matches = 0
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            matches += _choose(schema[word], value, path, old, causes, only_one=word == "oneOf")
    every = schema.get("allOf")
    if every:
        failed = 0
        for part in every:
            before = len(causes)
            matches += _checked(part, value, path, old, causes)
            failed += len(causes) > before
        if failed:
            none = ". None validated" if failed == len(every) else ""
            causes.append(_untold(f"{_print(path)} must validate all the schemas (allOf){none}"))
    refused = schema.get("not")
    if refused is not None:
        found: list[FieldCause] = []
        _checked(refused, value, path, old, found)
        if not found:
            causes.append(_untold(f"{_print(path)} must not validate the schema (not)"))
    return matches


def _choose(parts: list[Schema], value: Any, path: str, old: Any, causes: list[FieldCause], *, only_one: bool) -> int:
    """Take the alternative that fits, or say that none does, with the words of the one that comes nearest."""
    outcomes: list[tuple[int, list[FieldCause]]] = []
    for part in parts:
        found: list[FieldCause] = []
        outcomes.append((_checked(part, value, path, old, found), found))
    right = [matches for matches, found in outcomes if not found]
    if len(right) == 1 or (right and not only_one):
        return right[0]
    told = f"Found {len(right)} valid alternatives" if right else "Found none valid"
    word = f"one and only one schema (oneOf). {told}" if only_one else "at least one schema (anyOf)"
    causes.append(_untold(f"{_print(path)} must validate {word}"))
    if right:
        return 0
    matches, found = max(outcomes, key=lambda outcome: outcome[0])
    causes += found
    return matches


def _untold(text: str) -> FieldCause:
    return errors.invalid_value(_NOWHERE, '""', text)


def _check_object(schema: Schema, value: Mapping[str, Any], path: str, old: Any, causes: list[FieldCause]) -> int:
    matches, before = 1, old if isinstance(old, dict) else _NOTHING
    properties, extra = schema.get("properties") or _NOTHING, schema.get("additionalProperties")
    least, most = schema.get("minProperties"), schema.get("maxProperties")
    if least is not None and len(value) < least:
        causes.append(_body(path, len(value), f"should have at least {least} properties"))
    if most is not None and len(value) > most:
        causes.append(_too_many(path, len(value), most))
    if extra is False:
        for key in value:
            if key not in properties:
                text = f"{path}.{key} in body is a forbidden property"
                causes.append(errors.invalid_value(_place(path), _print(key), text))
    for key, item in value.items():
        member = properties.get(key, extra)
        if isinstance(member, dict):
            where = f"{path}.{key}" if path or key not in properties else key
            matches += _ratcheted(member, item, where, before.get(key, _NEW), causes)
    missing = [name for name in schema.get("required") or () if name not in value]
    causes += [errors.required(f"{path}.{name}".removeprefix(".")) for name in missing]
    return matches


def _check_list(schema: Schema, value: list[Any], path: str, old: Any, causes: list[FieldCause]) -> int:
    matches, items = 2, schema.get("items")
    if isinstance(items, dict):
        keyed = schema.get("x-kubernetes-list-type") == "map" and isinstance(old, list)
        keys = schema.get("x-kubernetes-list-map-keys") or ()
        before = {list_keys.identity(item, keys): item for item in old} if keyed else {}
        for index, item in enumerate(value):
            earlier = before.get(list_keys.identity(item, keys), _NEW) if keyed else _NEW
            matches += _ratcheted(items, item, f"{path}[{index}]", earlier, causes)
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is not None and len(value) < least:
        causes.append(_body(path, len(value), f"should have at least {least} items"))
    if most is not None and len(value) > most:
        causes.append(_too_many(path, len(value), most))
    return matches


def _too_many(path: str, count: int, most: int) -> FieldCause:
    text = f"Too many: {count}: must have at most {most} item{'' if most == 1 else 's'}"
    return FieldCause(_place(path), "FieldValueTooMany", text)


def _check_text(schema: Schema, shape: str, value: str, path: str, causes: list[FieldCause]) -> None:
    """Report the first thing that is wrong with a text, and whether it has the wrong format."""
    least, most, pattern = schema.get("minLength"), schema.get("maxLength"), schema.get("pattern")
    if most is not None and len(value) > most:
        causes.append(errors.too_long(_place(path), most))
    elif least is not None and len(value) < least:
        causes.append(_body(path, value, f"should be at least {least} chars long"))
    elif pattern and not _matches(pattern, value):
        causes.append(_body(path, value, f"should match '{pattern}'"))
    if shape and text_formats.known(shape) and not text_formats.fits(shape, value):
        causes.append(_wrong_type(path, shape, value))


@functools.lru_cache(maxsize=1024)
def _plain(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern that means the same in Go and in Python, which is quicker at hand; None for any other."""
    return re.compile(pattern, re.ASCII) if _ALIKE.fullmatch(pattern) and "[:" not in pattern else None


def _matches(pattern: str, value: str) -> bool:
    plain = _plain(pattern)
    if plain is not None and "\n" not in value:
        return plain.search(value) is not None
    try:
        return regexes.matches(value, pattern)
    except Fault:
        return False


def _check_number(
    schema: Schema, types: tuple[str, ...], shape: str, value: float, path: str, causes: list[FieldCause]
) -> None:
    kind = types[0] if len(types) == 1 and types[0] in ("integer", "number") else ""
    causes += _out_of_range(value, kind, shape, "Checked", path)
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
