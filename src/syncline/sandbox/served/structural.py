"""Holds custom objects against the JSON schema of their definition, in the API server's words.

Called by `syncline.sandbox.served.custom_rules`. Covers what structural schemas are made of: types, required, enums,
patterns, lengths, bounds, unique list keys and the logical words. Values that did not change since the live object are
not looked at; elements of a list count as the same when its keys tell so.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery import equality
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

Schema = Mapping[str, Any]
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d.*")


_SKIPPED: Final = frozenset({"apiVersion", "kind", "metadata"})
_NEW: Final = object()
"""Stands for the live value where there is none to compare with."""


def validate(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with a whole object; its metadata is checked elsewhere."""
    causes: list[FieldCause] = []
    properties = {key: value for key, value in (schema.get("properties") or {}).items() if key not in _SKIPPED}
    required = [name for name in schema.get("required") or () if name not in _SKIPPED]
    whole = {**schema, "properties": properties, "required": required, "type": "object"}
    _check(whole, _members(obj), "", causes, _NEW if live is None else _members(live))
    return causes


def validate_status(schema: Schema, obj: Any, live: Any = None) -> list[FieldCause]:
    """Return what is wrong with the status alone; texts name fields as seen from there."""
    part = (schema.get("properties") or {}).get("status")
    if part is None or obj.get("status") is None:
        return []
    causes: list[FieldCause] = []
    _check(part, obj["status"], "", causes, _NEW if live is None else live.get("status", _NEW))
    return [
        FieldCause("status" if cause.field in ("", "<nil>") else f"status.{cause.field}", cause.reason, cause.message)
        for cause in causes
    ]


def _members(obj: Any) -> dict[str, Any]:
    return {key: value for key, value in obj.items() if key not in _SKIPPED}


def _check(schema: Schema, value: Any, path: str, causes: list[FieldCause], old: Any = _NEW) -> None:
    if value is None and schema.get("nullable"):
        return
    if old is not _NEW and equality.equal(old, value):
        return
    if not _has_type(schema, value):
        causes.append(_wrong_type(schema, value, path))
        if schema.get("type") == "integer" and isinstance(value, float):
            text = f"Checked value must be of type integer (default format) in {path}"
            causes.append(errors.invalid_value("<nil>", '""', text))
        _check_choice(schema, value, path, causes)
        return
    _check_choice(schema, value, path, causes)
    if isinstance(value, dict):
        _check_object(schema, value, path, causes, old)
    elif isinstance(value, list):
        _check_list(schema, value, path, causes, old)
    elif isinstance(value, str):
        _check_text(schema, value, path, causes)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_number(schema, value, path, causes)
    _check_logic(schema, value, path, causes)


def _check_choice(schema: Schema, value: Any, path: str, causes: list[FieldCause]) -> None:
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        words = ", ".join(_print(one) for one in allowed)
        text = f"Unsupported value: {_print(value)}: supported values: {words}"
        causes.append(FieldCause(path or "<nil>", "FieldValueNotSupported", text))


def _has_type(schema: Schema, value: Any) -> bool:
    if schema.get("x-kubernetes-int-or-string"):
        return isinstance(value, int | str) and not isinstance(value, bool)
    match schema.get("type"):
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, float) and value.is_integer()
            return whole or (isinstance(value, int) and not isinstance(value, bool))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return True


def _wrong_type(schema: Schema, value: Any, path: str) -> FieldCause:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    given = names.get(type(value), "null")
    wanted = schema.get("type") or "integer,string"
    return FieldCause(
        path or "<nil>",
        "FieldValueTypeInvalid",
        f'Invalid value: "{given}": {path} in body must be of type {wanted}: "{given}"',
    )


def _check_object(schema: Schema, value: Mapping[str, Any], path: str, causes: list[FieldCause], old: Any) -> None:
    before = old if isinstance(old, dict) else {}
    properties = schema.get("properties") or {}
    extra = schema.get("additionalProperties")
    causes += [errors.required(_join(path, name)) for name in schema.get("required") or () if name not in value]
    for key, item in value.items():
        member = properties.get(key)
        if member is not None:
            _check(member, item, _join(path, key), causes, before.get(key, _NEW))
        elif isinstance(extra, Mapping):
            _check(extra, item, _join(path, key), causes, before.get(key, _NEW))
    least, most = schema.get("minProperties"), schema.get("maxProperties")
    if least is not None and len(value) < least:
        causes.append(_body(path, value, f"should have at least {least} properties"))
    if most is not None and len(value) > most:
        text = f"Too many: {len(value)}: must have at most {most} items"
        causes.append(FieldCause(path, "FieldValueTooMany", text))


def _check_list(schema: Schema, value: list[Any], path: str, causes: list[FieldCause], old: Any) -> None:
    items = schema.get("items")
    if isinstance(items, Mapping):
        keyed = schema.get("x-kubernetes-list-type") == "map" and isinstance(old, list)
        keys = schema.get("x-kubernetes-list-map-keys") or ()
        before = {_identity(item, keys): item for item in old} if keyed else {}
        for index, item in enumerate(value):
            _check(items, item, f"{path}[{index}]", causes, before.get(_identity(item, keys), _NEW) if keyed else _NEW)
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is not None and len(value) < least:
        causes.append(_body(path, value, f"should have at least {least} items"))
    if most is not None and len(value) > most:
        causes.append(FieldCause(path, "FieldValueTooMany", f"Too many: {len(value)}: must have at most {most} items"))
    _check_unique(schema, value, path, causes)


def _identity(item: Any, keys: Iterable[str]) -> bytes:
    picked = {key: item.get(key) for key in keys} if isinstance(item, dict) else item
    return orjson.dumps(picked, option=orjson.OPT_SORT_KEYS)


def _check_unique(schema: Schema, value: list[Any], path: str, causes: list[FieldCause]) -> None:
    kind = schema.get("x-kubernetes-list-type")
    keys = schema.get("x-kubernetes-list-map-keys") or ()
    if kind not in ("set", "map"):
        return
    seen: set[bytes] = set()
    for index, item in enumerate(value):
        printed = _identity(item, keys) if kind == "map" else orjson.dumps(item, option=orjson.OPT_SORT_KEYS)
        if printed in seen:
            text = f"Duplicate value: {printed.decode()}"
            causes.append(FieldCause(f"{path}[{index}]", "FieldValueDuplicate", text))
        seen.add(printed)


def _check_text(schema: Schema, value: str, path: str, causes: list[FieldCause]) -> None:
    """Report the first thing that is wrong with a text, as the real server does."""
    least, most, pattern = schema.get("minLength"), schema.get("maxLength"), schema.get("pattern")
    if most is not None and len(value) > most:
        causes.append(errors.too_long(path, most))
    elif least is not None and len(value) < least:
        causes.append(_body(path, value, f"should be at least {least} chars long"))
    elif pattern and not _matches(pattern, value):
        causes.append(_body(path, value, f"should match '{pattern}'"))
    elif schema.get("format") == "date-time" and not _DATE_TIME.fullmatch(value):
        text = f"{path} in body must be of type date-time: {_print(value)}"
        causes.append(FieldCause(path, "FieldValueTypeInvalid", f"Invalid value: {_print(value)}: {text}"))


def _check_number(schema: Schema, value: float, path: str, causes: list[FieldCause]) -> None:
    least, most, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    if least is not None:
        strict = bool(schema.get("exclusiveMinimum"))
        if value < least or (strict and value == least):
            text = f"should be greater than {'' if strict else 'or equal to '}{least}"
            causes.append(_body(path, value, text))
    if most is not None:
        strict = bool(schema.get("exclusiveMaximum"))
        if value > most or (strict and value == most):
            causes.append(_body(path, value, f"should be less than {'' if strict else 'or equal to '}{most}"))
    if step and value % step:
        causes.append(_body(path, value, f"should be a multiple of {step}"))


def _check_logic(schema: Schema, value: Any, path: str, causes: list[FieldCause]) -> None:
    for part in schema.get("allOf") or ():
        _check(part, value, path, causes)
    choices = schema.get("anyOf") or ()
    if choices and not any(_fits(part, value) for part in choices):
        causes.append(_body(path, value, "must validate at least one schema (anyOf)"))
    exclusive = schema.get("oneOf") or ()
    if exclusive and sum(_fits(part, value) for part in exclusive) != 1:
        causes.append(_body(path, value, "must validate one and only one schema (oneOf)"))
    refused = schema.get("not")
    if refused is not None and _fits(refused, value):
        causes.append(_body(path, value, "must not validate the schema (not)"))


def _fits(schema: Schema, value: Any) -> bool:
    causes: list[FieldCause] = []
    _check(schema, value, "", causes)
    return not causes


@functools.lru_cache(maxsize=512)
def _pattern(text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text)
    except re.error:
        return None


def _matches(text: str, value: str) -> bool:
    """Match as far as Go's and Python's expressions agree; one Python cannot read refuses nothing."""
    pattern = _pattern(text)
    return pattern is None or pattern.search(value) is not None


def _body(path: str, value: Any, text: str) -> FieldCause:
    return errors.invalid_value(path, _print(value), f"{path} in body {text}")


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
