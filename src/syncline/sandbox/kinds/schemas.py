"""The schemas of CustomResourceDefinitions: structural, and with CEL rules that can be read.

Called by `syncline.sandbox.kinds.definitions` for every version whose schema is new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

_TEXT: Final = r"""(?s)("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_FIELD: Final = re.compile(r"\bself\.([A-Za-z_]\w*)(?!\w*\()")
Schema = Mapping[str, Any]


def check(schema: Schema, field: str, *, ruled: bool) -> list[FieldCause]:
    """Return what is wrong with a whole schema; `ruled` asks for its CEL rules too."""
    if not schema.get("type"):
        return [errors.required(f"{field}.type", "must not be empty at the root")]
    if schema["type"] != "object":
        return [errors.invalid_value(f"{field}.type", _print(schema["type"]), "must be object at the root")]
    causes = _structure(schema, field)
    return causes or (_rules(schema, field) if ruled else [])


def _structure(schema: Schema, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for name, member in (schema.get("properties") or {}).items():
        where = f"{field}.properties[{name}]"
        causes += _typed(member, where, "must not be empty for specified object fields") + _structure(member, where)
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping):
        where = f"{field}.additionalProperties"
        if schema.get("properties"):
            text = "additionalProperties and properties are mutual exclusive"
            causes.append(errors.forbidden_field(where, text))
        causes += _typed(extra, where, "must not be empty for specified object fields") + _structure(extra, where)
    items = schema.get("items")
    if schema.get("type") == "array" and not isinstance(items, Mapping):
        causes.append(errors.required(f"{field}.items", "must be specified"))
    if isinstance(items, Mapping):
        where = f"{field}.items"
        causes += _typed(items, where, "must not be empty for specified array items") + _structure(items, where)
    return causes


def _typed(schema: Schema, field: str, text: str) -> list[FieldCause]:
    free = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    return [] if schema.get("type") or free else [errors.required(f"{field}.type", text)]


def _rules(schema: Schema, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        causes += _rule(schema, rule, f"{field}.x-kubernetes-validations[{index}]")
    for name, member in (schema.get("properties") or {}).items():
        causes += _rules(member, f"{field}.properties[{name}]")
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            causes += _rules(schema[part], f"{field}.{part}")
    return causes


def _rule(schema: Schema, rule: Mapping[str, Any], field: str) -> list[FieldCause]:
    text = str(rule.get("rule") or "")
    if not text.strip():
        return [errors.required(f"{field}.rule", "rule is not specified")]
    problem = _problem(schema, text)
    if not problem:
        return []
    told = {
        "Rule": text,
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
    }
    told |= {"Reason": rule.get("reason"), "FieldPath": rule.get("fieldPath") or ""}
    told["OptionalOldSelf"] = rule.get("optionalOldSelf")
    return [errors.invalid_value(f"{field}.rule", _print(told), problem)]


def _problem(schema: Schema, text: str) -> str:
    """Return why a rule cannot be taken, as far as that can be told without types."""
    from syncline.apimachinery.schema import cel_values

    known = schema.get("properties") or {}
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("additionalProperties")
    if schema.get("type") == "object" and not open_ended:
        bare = re.sub(_TEXT, lambda found: " " * len(found[0]), text)
        for found in _FIELD.finditer(bare):
            if "__" not in found[1] and found[1] not in {*known, "metadata", "apiVersion", "kind"}:
                column = found.start(1)
                place = f"ERROR: <input>:1:{column}: undefined field '{found[1]}'\n | {text}\n | {'.' * (column - 1)}^"
                return f"compilation failed: {place}"
    problem = syntax_problem(text)
    if problem:
        return problem
    try:
        program = cel_values.environment().compile(text)
    except (ImportError, RuntimeError):
        return ""
    if str(program.return_type()) not in ("BOOL", "DYN"):
        return "cel expression must evaluate to a bool"
    return ""


def syntax_problem(text: str) -> str:
    """Return why an expression cannot even be parsed, empty when it can."""
    from syncline.apimachinery.schema import cel_values

    try:
        cel_values.environment().compile(text)
    except ImportError:
        return ""
    except RuntimeError as error:
        told = str(error).removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")
        return f"compilation failed: {told}" if "Syntax error" in told else ""
    return ""


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()
