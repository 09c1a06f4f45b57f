"""The schemas of CustomResourceDefinitions: structural, and with CEL rules that can be read.

Called by `syncline.sandbox.kinds.definitions` for every version whose schema is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause

_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
Schema = Mapping[str, Any]


def check(schema: Schema, field: str, *, ruled: bool) -> list[FieldCause]:
    """Return what is wrong with a whole schema; `ruled` asks for its CEL rules too."""
    if not schema.get("type"):
        return [errors.required(f"{field}.type", "must not be empty at the root")]
    if schema["type"] != "object":
        return [errors.invalid_value(f"{field}.type", _print(schema["type"]), "must be object at the root")]
    causes = _structure(schema, field)
    if causes or not ruled:
        return causes
    causes = _each_rule(schema, field, None, _written)
    if causes:
        return causes
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    return _each_rule(schema, field, crd.schema_for({"spec": {"versions": [version]}}, "v1"), _compiled)


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


Check = Callable[[Schema, Node | None, Mapping[str, Any], str], list[FieldCause]]


def _each_rule(schema: Schema, field: str, node: Node | None, check: Check) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        causes += check(schema, node, rule, f"{field}.x-kubernetes-validations[{index}]")
    for name, member in (schema.get("properties") or {}).items():
        inner = None if node is None else node.fields.get(name)
        causes += _each_rule(member, f"{field}.properties[{name}]", inner, check)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            causes += _each_rule(schema[part], f"{field}.{part}", None if node is None else node.elements, check)
    return causes


def _written(schema: Schema, _node: Node | None, rule: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Check all but what a rule says."""
    text, message, expression = str(rule.get("rule") or ""), rule.get("message"), rule.get("messageExpression")
    if not text.strip():
        return [errors.required(f"{field}.rule", "rule is not specified")]
    causes: list[FieldCause] = []
    if message and not message.strip():
        causes.append(errors.invalid_value(f"{field}.message", _print(message), "must be non-empty if specified"))
    elif message and "\n" in message.strip():
        causes.append(errors.invalid_value(f"{field}.message", _print(message), "must not contain line breaks"))
    elif not message and "\n" in text.strip():
        told = "message must be specified if rule contains line breaks"
        causes.append(errors.required(f"{field}.message", told))
    if expression and not expression.strip():
        told = "messageExpression must be non-empty if specified"
        causes.append(errors.required(f"{field}.messageExpression", told))
    if rule.get("reason") and rule["reason"] not in _REASONS:
        causes.append(errors.not_supported(f"{field}.reason", str(rule["reason"]), _REASONS))
    if rule.get("fieldPath") and not _leads_somewhere(schema, str(rule["fieldPath"])):
        causes.append(errors.invalid_value(f"{field}.fieldPath", _print(rule["fieldPath"]), "must be a valid path"))
    return causes


def _leads_somewhere(schema: Schema, path: str) -> bool:
    for dotted, quoted in re.findall(r"\.([A-Za-z_]\w*)|\['((?:\\.|[^'\\])*)'\]", path):
        inner = (schema.get("properties") or {}).get(dotted or quoted)
        if inner is None:
            inner = schema.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return False
        schema = inner
    return True


def _compiled(_schema: Schema, node: Node | None, rule: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Check that a rule and its message can be worked out."""
    from syncline.apimachinery.schema import cel

    if node is None:
        return []
    optional = bool(rule.get("optionalOldSelf"))
    causes: list[FieldCause] = []
    for part, wanted, told in (
        ("rule", "bool", "cel expression must evaluate to a bool"),
        ("messageExpression", "string", "messageExpression must evaluate to a string"),
    ):
        text = str(rule.get(part) or "").strip()
        made = cel.compiled(text, node, optional=optional) if text else None
        before = "" if part == "rule" else "messageExpression "
        problem = f"{before}compilation failed: {made}" if isinstance(made, str) else ""
        if made is not None and not isinstance(made, str) and made.result.name != wanted:
            problem = told
        if problem:
            causes.append(errors.invalid_value(f"{field}.{part}", _print(_go_rule(rule)), problem))
    if optional and (causes or not cel.looks_back(str(rule.get("rule")))):
        told = "may not be set if oldSelf is not used in rule"
        causes.append(errors.invalid_value(f"{field}.optionalOldSelf", "true", told))
    return causes


def _go_rule(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "Rule": rule.get("rule") or "",
        "Message": rule.get("message") or "",
        "MessageExpression": rule.get("messageExpression") or "",
        "Reason": rule.get("reason"),
        "FieldPath": rule.get("fieldPath") or "",
        "OptionalOldSelf": rule.get("optionalOldSelf"),
    }


def _print(value: Any) -> str:
    return orjson.dumps(value).decode()
