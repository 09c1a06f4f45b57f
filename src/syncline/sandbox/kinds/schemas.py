"""The schemas of CustomResourceDefinitions: structural, and with CEL rules that can be read.

Called by `syncline.sandbox.kinds.definition_versions` for every version whose schema is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import schema_defaults, schema_paths, schema_shapes, schema_structure
from syncline.sandbox.kinds.rule_costs import Costs

_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_PLAIN_AT_ROOT: Final = (
    *("description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items"),
    *("properties", "externalDocs", "example"),
)
_AT_ROOT: Final = {
    **{name: name for name in _PLAIN_AT_ROOT},
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
    "x-kubernetes-validations": "XValidations",
}
"""What a schema may have at its root beside a status subresource, with the names Go has for it."""
Schema = Mapping[str, Any]


def check(schema: Schema, field: str, *, ruled: bool, with_status: bool = False) -> list[FieldCause]:
    """Return what is wrong with a whole schema; `ruled` asks for its CEL rules too."""
    causes = _root(schema, field, with_status=with_status)
    shapes = schema_shapes.check(schema, field)
    if not schema_shapes.has_foreign_words(schema):
        causes += schema_structure.check(schema, field) or schema_defaults.check(schema, field)
    causes += shapes
    if not ruled:
        return causes
    version = {"name": "v1", "schema": {"openAPIV3Schema": schema}}
    places = list(_places(schema, field, crd.schema_for({"spec": {"versions": [version]}}, "v1"), 1))
    causes += [cause for place in places for cause in _written(place)]
    if causes:
        return causes
    costs = Costs()
    causes = [cause for place in places for cause in _compiled(place, costs)]
    return causes + costs.told(field)


def _root(schema: Schema, field: str, *, with_status: bool) -> list[FieldCause]:
    """Check what may stand at the root alone; with a status of its own there is less."""
    causes: list[FieldCause] = []
    if with_status and any(value for name, value in schema.items() if name not in _AT_ROOT):
        words = " ".join(f"{name[0].upper()}{name[1:]}" for name in _AT_ROOT.values())
        text = f"only [{words}] fields are allowed at the root of the schema if the status subresource is enabled"
        causes.append(errors.invalid_value(field, "{}", text))
    if schema.get("nullable"):
        causes.append(errors.forbidden_field(f"{field}.nullable", "nullable cannot be true at the root"))
    return causes


class _Place(NamedTuple):
    """A rule with the schema it stands in."""

    schema: Schema
    node: Node | None
    rule: Mapping[str, Any]
    field: str
    times: int | None
    """How many such values one object can have, None where no schema around it sets a bound."""
    blurred: str
    """Which list around it has elements that cannot be told from those before; empty for none."""


def _places(schema: Schema, field: str, node: Node | None, times: int | None, blurred: str = "") -> Iterator[_Place]:
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        yield _Place(schema, node, rule, f"{field}.x-kubernetes-validations[{index}]", times, blurred)
    factor = _factor(schema)
    inner_times = None if times is None or factor is None else times * factor
    for name, member in (schema.get("properties") or {}).items():
        inner = None if node is None else node.fields.get(name)
        yield from _places(member, f"{field}.properties[{name}]", inner, inner_times, blurred)
    listed = blurred or (field if schema.get("x-kubernetes-list-type") != "map" else "")
    for part, lost in (("items", listed), ("additionalProperties", blurred)):
        if isinstance(schema.get(part), Mapping):
            inner = None if node is None else node.elements
            yield from _places(schema[part], f"{field}.{part}", inner, inner_times, lost)


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
    return causes + _field_path(schema, str(rule.get("fieldPath") or ""), f"{field}.fieldPath")


def _field_path(schema: Schema, path: str, field: str) -> list[FieldCause]:
    told = ["must be non-empty if specified"] if path and not path.strip() else []
    told += ["must not contain line breaks"] if "\n" in path or "\r" in path else []
    told += ["must be a valid path"] if path and schema_paths.follow(path, schema)[1] else []
    return [errors.invalid_value(field, _print(path), one) for one in told]


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
    looks_back = cel.looks_back(str(rule.get("rule")))
    if looks_back and place.blurred and not causes:
        told = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.blurred}"
        causes.append(errors.invalid_value(f"{field}.rule", _print(rule.get("rule")), told))
    if optional and (causes or not looks_back):
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
