"""The schemas of CustomResourceDefinitions: structural, and with CEL rules that can be read.

Called by `syncline.sandbox.kinds.definitions` for every version whose schema is new.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import schema_shapes
from syncline.sandbox.kinds.rule_costs import Costs

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
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    places = list(_places(schema, field, crd.schema_for({"spec": {"versions": [version]}}, "v1"), 1))
    causes = [cause for place in places for cause in _written(place)]
    if causes:
        return causes
    costs = Costs()
    causes = [cause for place in places for cause in _compiled(place, costs)]
    return causes + costs.told(field)


def _structure(schema: Schema, field: str) -> list[FieldCause]:
    causes = schema_shapes.check(schema, field)
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


class _Place(NamedTuple):
    """A rule with the schema it stands in."""

    schema: Schema
    node: Node | None
    rule: Mapping[str, Any]
    field: str
    times: int | None
    """How many such values one object can have, None where no schema around it sets a bound."""


def _places(schema: Schema, field: str, node: Node | None, times: int | None) -> Iterator[_Place]:
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        yield _Place(schema, node, rule, f"{field}.x-kubernetes-validations[{index}]", times)
    factor = _factor(schema)
    inner_times = None if times is None or factor is None else times * factor
    for name, member in (schema.get("properties") or {}).items():
        inner = None if node is None else node.fields.get(name)
        yield from _places(member, f"{field}.properties[{name}]", inner, inner_times)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            inner = None if node is None else node.elements
            yield from _places(schema[part], f"{field}.{part}", inner, inner_times)


def _factor(schema: Schema) -> int | None:
    """Return how many values can be below one, None where any number can."""
    many = "maxItems" if schema.get("type") == "array" else "maxProperties"
    if many == "maxProperties" and not schema.get("additionalProperties"):
        return 1
    bound = schema.get(many)
    return None if bound is None else max(int(bound), 0)


def _written(place: _Place) -> list[FieldCause]:
    """Check all but what a rule says."""
    schema, rule, field = place.schema, place.rule, place.field
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


def _compiled(place: _Place, costs: Costs) -> list[FieldCause]:
    """Check that a rule and its message can be worked out, and at what cost."""
    from syncline.apimachinery.schema import cel

    node, rule, field = place.node, place.rule, place.field
    if node is None:
        return []
    optional = bool(rule.get("optionalOldSelf"))
    causes: list[FieldCause] = []
    for part, wanted, told in (
        ("rule", "bool", "cel expression must evaluate to a bool"),
        ("messageExpression", "string", "messageExpression must evaluate to a string"),
    ):
        text = str(rule.get(part) or "").strip()
        if not text:
            continue
        made = cel.compiled(text, node, optional=optional)
        before = "" if part == "rule" else "messageExpression "
        problem = f"{before}compilation failed: {made}" if isinstance(made, str) else ""
        if not isinstance(made, str) and made.result.name != wanted:
            problem = told
        if problem:
            causes.append(errors.invalid_value(f"{field}.{part}", _print(_go_rule(rule)), problem))
        elif not isinstance(made, str):
            times = 1 if part == "messageExpression" else place.times
            causes += costs.add(f"{field}.{part}", f"estimated {part} cost", cel.most(made, node), node, times)
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
