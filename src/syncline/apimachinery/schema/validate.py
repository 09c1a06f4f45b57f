"""Checks objects against the schema of their kind and says what is wrong, where, and what would be right.

Handed decoded objects by checks and by the sandbox. A validator is compiled once per kind; objects without a fault
cost one pass in it. Values are named only where a list of allowed ones stands beside them, and never those of
Secrets. CEL rules of CRDs are checked by `syncline.apimachinery.schema.cel`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from syncline.apimachinery.keys import GroupKind, GroupVersionKind
from syncline.apimachinery.schema import builtin, json_schema
from syncline.apimachinery.schema.node import ANY, Node

if TYPE_CHECKING:
    import weakref

_ARTICLES = {"array": "a list", "boolean": "true or false", "integer": "a whole number", "null": "null",
             "number": "a number", "object": "an object", "string": "a text"}  # fmt: skip
_SECRET = GroupKind("", "Secret")


NOT_A_QUANTITY = "is not a valid quantity"


class FieldProblem(NamedTuple):
    """One fault of one field."""

    path: str
    """Where, as the API server writes it: `spec.containers[0].image`."""
    message: str
    allowed: tuple[str, ...] = ()
    """The values (or types) that would be right, where they are few."""
    hint: str = ""
    """What was probably meant; empty when nothing comes near."""

    @property
    def meant(self) -> str:
        """The field or value that was probably meant; empty where the hint says something else."""
        return self.hint.removesuffix("?").partition("did you mean ")[2]

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path and self.path not in self.message else ""
        return f"{where}{self.message}" + (f" ({self.hint})" if self.hint else "")


def validate(
    obj: Mapping[str, Any],
    schema: GroupVersionKind | Node,
    *,
    strict_unknown: bool = True,
    version: str | None = None,
) -> list[FieldProblem]:
    """Return what is wrong with an object, in the order of its fields; nothing when it is right.

    Rules in CEL are looked at once the rest is right, as the API server does; those that cannot run here are passed
    over (`syncline.apimachinery.schema.cel` names them). `schema` is a built-in kind (of the Kubernetes minor
    `version`), or the node of a custom kind.
    """
    if isinstance(schema, Node):
        validator, root = _custom_validator(schema, strict_unknown), schema
    else:
        validator = _builtin_validator(schema, version, strict_unknown)
        if validator is None:
            return [_unknown_kind(schema, version)]
        root = ANY
    if validator.is_valid(obj):
        return _duplicates(obj, schema) or _broken_rules(obj, schema) if isinstance(schema, Node) else []
    if not isinstance(schema, Node):
        root = builtin.for_kind(schema, version) or ANY
    secret = isinstance(schema, GroupVersionKind) and schema.group_kind == _SECRET
    problems = [
        problem for error in validator.iter_errors(obj) for problem in _problems(error, root, show_values=not secret)
    ]
    return list(dict.fromkeys(problems))


@functools.lru_cache(maxsize=1024)
def _builtin_validator(gvk: GroupVersionKind, version: str | None, strict: bool) -> Any:
    schema = json_schema.for_builtin(gvk, version=version, strict=strict)
    return None if schema is None else _compiled(schema)


def _custom_validator(node: Node, strict: bool) -> Any:
    compiled = _custom_validators().setdefault(node, {})
    if strict not in compiled:
        compiled[strict] = _compiled(json_schema.for_custom(node, strict=strict))
    return compiled[strict]


@functools.cache
def _custom_validators() -> weakref.WeakKeyDictionary[Node, dict[bool, Any]]:
    """Return the validators of custom kinds by schema, strict and not; they go with the schema."""
    import weakref

    return weakref.WeakKeyDictionary()


def _compiled(schema: dict[str, Any]) -> Any:
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    except (ValueError, jsonschema_rs.ValidationError):
        # A pattern in Go's dialect that this engine cannot read must not stop the rest of the checks.
        return jsonschema_rs.Draft202012Validator(_without_patterns(schema), validate_formats=True)


def _without_patterns(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: _without_patterns(value)
            for key, value in schema.items()
            if key != "pattern" or not isinstance(value, str)
        }
    return [_without_patterns(item) for item in schema] if isinstance(schema, list) else schema


def _duplicates(obj: Mapping[str, Any], node: Node) -> list[FieldProblem]:
    """Return the items that stand twice in sets and keyed lists; built-in kinds mostly allow them."""
    import json

    from syncline.apimachinery.schema import duplicates

    return [
        FieldProblem(_text(path), f"Duplicate value: {json.dumps(key, separators=(',', ':'), ensure_ascii=False)}")
        for path, key in duplicates.find(obj, node)
    ]


def _broken_rules(obj: Mapping[str, Any], node: Node) -> list[FieldProblem]:
    """Return the CEL rules of a custom kind that an object breaks."""
    if not _has_rules(node):
        return []
    from syncline.apimachinery.schema import cel

    return [FieldProblem(found.path, found.message) for found in cel.check(dict(obj), node).violations]


def _has_rules(node: Node) -> bool:
    known = _kinds_with_rules()
    if node not in known:
        known[node] = "'x-kubernetes-validations'" in repr(node.source)
    return known[node]


@functools.cache
def _kinds_with_rules() -> weakref.WeakKeyDictionary[Node, bool]:
    """Return which custom kinds have CEL rules, found out once per schema."""
    import weakref

    return weakref.WeakKeyDictionary()


def _unknown_kind(gvk: GroupVersionKind, version: str | None) -> FieldProblem:
    message = f'no matches for kind "{gvk.kind}" in version "{gvk.api_version}"'
    gone = builtin.removed(gvk)
    if gone is not None:
        instead = f"write {gone.replacement}" if gone.replacement else "nothing replaces it"
        return FieldProblem("apiVersion", message, hint=f"removed in Kubernetes {gone.since}: {instead}")
    served = sorted({known.api_version for known in builtin.kinds(version) if known.kind == gvk.kind})
    hint = f"{gvk.kind} is in {', '.join(served)}" if served else ""
    return FieldProblem("apiVersion", message, tuple(served), hint)


def _problems(error: Any, root: Node, *, show_values: bool) -> list[FieldProblem]:
    """Translate one error of the validator."""
    path: list[str | int] = list(error.instance_path)
    kind = error.kind
    match kind.name:
        case "additionalProperties":
            return [_unknown_field(path, name, _node_at(root, path)) for name in kind.unexpected]
        case "required":
            return [FieldProblem(_text([*path, kind.property]), "Required value")]
        case "enum":
            allowed = tuple(str(option) for option in kind.options if option not in (None, ""))
            named = ", ".join(f'"{value}"' for value in allowed)
            found = f'"{error.instance}": ' if show_values and isinstance(error.instance, str) else ""
            return [FieldProblem(_text(path), f"Unsupported value: {found}supported values: {named}", allowed)]
        case "type":
            allowed = tuple(name for name in kind.types if name != "null")
            wanted = " or ".join(_ARTICLES.get(name, name) for name in allowed)
            return [FieldProblem(_text(path), f"must be {wanted}, is {_describe(error.instance)}", allowed)]
    return [FieldProblem(_text(path), _constraint_text(error))]


def _constraint_text(error: Any) -> str:
    kind = error.kind
    texts = {
        "exclusiveMaximum": "must be less than {}",
        "exclusiveMinimum": "must be greater than {}",
        "format": "is not a valid {}",
        "maximum": "must be at most {}",
        "maxItems": "must have at most {} items",
        "maxLength": "must be at most {} characters long",
        "maxProperties": "must have at most {} fields",
        "minimum": "must be at least {}",
        "minItems": "must have at least {} items",
        "minLength": "must be at least {} characters long",
        "minProperties": "must have at least {} fields",
        "multipleOf": "must be a multiple of {}",
        "pattern": "must match {}",
        "uniqueItems": "must not contain the same item twice",
    }
    if kind.name == "pattern" and "Quantity" in "".join(map(str, error.schema_path)):
        return NOT_A_QUANTITY
    return texts.get(kind.name, f"does not satisfy {kind.name}").format(kind.value if hasattr(kind, "value") else "")


def _describe(value: Any) -> str:
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return _ARTICLES[name]
    return "null" if value is None else "an object"


def _text(path: list[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _node_at(root: Node, path: list[str | int]) -> Node:
    node: Node | None = root
    for part in path:
        node = node and (node.elements if isinstance(part, int) else node.field(part))
    return node or ANY


def _unknown_field(path: list[str | int], name: str, node: Node) -> FieldProblem:
    full = _text([*path, name])
    return FieldProblem(full, f'unknown field "{full}"', hint=_nearest(name, node, path))


def _nearest(name: str, node: Node, path: list[str | int]) -> str:
    import difflib

    by_lower = {known.lower(): known for known in node.fields}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    if near:
        return f"did you mean {by_lower[near[0]]}?"
    below = _path_below(name, node, depth=3)
    above = f"{_text(path)}." if path else ""
    return f"did you mean {above}{below}?" if below else ""


def _path_below(name: str, node: Node, *, depth: int) -> str:
    """Return where a field of that name is further down, such as `template.spec.containers`."""
    level = [("", node)]
    for _ in range(depth):
        following = [(f"{at}{key}.", member) for at, part in level for key, member in part.fields.items()]
        for at, member in following:
            if name in member.fields:
                return f"{at}{name}"
        level = following
    return ""
