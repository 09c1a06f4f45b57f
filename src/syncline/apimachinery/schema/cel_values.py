"""Gives CEL rules their types and values, as the API server does.

Called by `syncline.apimachinery.schema.cel`. A rule sees declared fields only, under names that CEL can spell; numbers
of type `number` are doubles even when written without a fraction; base64 texts are bytes, `date-time` and `date` are
moments and `duration` is a length of time.
"""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any, Final

from syncline.apimachinery.schema.node import ANY, Node

if TYPE_CHECKING:
    from syncline.apimachinery.cel.types import Type

_RESERVED: Final = frozenset(
    (
        "true", "false", "null", "in", "as", "break", "const", "continue",
        "else", "for", "function", "if", "import", "let", "loop", "package",
        "namespace", "return", "var", "void", "while",
    )
)  # fmt: skip
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_META: Final = ("name", "generateName")


def spelled(name: str) -> str | None:
    """Return how rules write a field's name, None where they cannot."""
    if name in _RESERVED:
        return f"__{name}__"
    escaped = re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], name)
    return escaped if _IDENTIFIER.fullmatch(escaped) else None


def value_for_rules(value: Any, node: Node) -> Any:
    """Return a value as rules see it."""
    if isinstance(value, dict):
        return _object(value, node)
    if isinstance(value, list):
        elements = node.elements
        return value if elements is None else [value_for_rules(item, elements) for item in value]
    if node.type == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    reads = _READERS.get(node.format) if isinstance(value, str) and node.type == "string" else None
    return value if reads is None else reads(value)


def _bytes(text: str) -> Any:
    import base64

    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text


def _moment(text: str) -> Any:
    from syncline.apimachinery.cel import times, values

    try:
        return times.parse(text)
    except values.Fault:
        return text


def _day(text: str) -> Any:
    return _moment(f"{text}T00:00:00Z")


def _length(text: str) -> Any:
    from syncline.apimachinery.cel import times, values

    try:
        return times.parse_length(text)
    except values.Fault:
        return text


_READERS: Final = {"byte": _bytes, "date-time": _moment, "datetime": _moment, "date": _day, "duration": _length}


def _object(value: dict[str, Any], node: Node) -> dict[str, Any]:
    if _is_map(node):
        return {name: value_for_rules(member, node.elements or ANY) for name, member in value.items()}
    seen: dict[str, Any] = {}
    for name, member in value.items():
        written = spelled(name)
        if written is not None and name in node.fields:
            seen[written] = value_for_rules(member, node.fields[name])
    if isinstance(value.get("metadata"), dict) and "apiVersion" in value and "kind" in value:
        metadata = {name: value["metadata"][name] for name in _META if name in value["metadata"]}
        seen |= {"apiVersion": value["apiVersion"], "kind": value["kind"], "metadata": metadata}
    return seen


def _is_map(node: Node) -> bool:
    return not node.fields and node.elements is not None and not node.preserve_unknown


def as_before(old: Any, new: Any, node: Node) -> Any:
    """Return an old value whose sets and keyed lists stand in the order of the new one: for rules the order is none."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {
            name: as_before(member, new[name], inner)
            if name in new and (inner := node.field(name)) is not None
            else member
            for name, member in old.items()
        }
    if not (isinstance(old, list) and isinstance(new, list)) or node.list_type == "atomic":
        return old
    order = {_identity(item, node): place for place, item in enumerate(new)}
    return sorted(old, key=lambda item: order.get(_identity(item, node), len(order)))


def _identity(item: Any, node: Node) -> str:
    keyed = node.list_type == "map" and isinstance(item, dict)
    return json.dumps([item.get(name) for name in node.list_keys] if keyed else item, sort_keys=True)


@functools.lru_cache(maxsize=4096)
def type_for_rules(node: Node) -> Type:
    """Return the type of a value as the API server declares it."""
    from syncline.apimachinery.cel import types

    if node is ANY or node.int_or_string:
        return types.DYN
    if node.type == "array":
        return types.list_of(types.DYN if node.elements is None else type_for_rules(node.elements))
    if node.type == "object" or node.fields:
        return _object_type(node)
    if node.type == "string":
        moment, length = types.TIMESTAMP, types.DURATION
        known = {"byte": types.BYTES, "date-time": moment, "datetime": moment, "date": moment, "duration": length}
        return known.get(node.format, types.STRING)
    return {"integer": types.INT, "number": types.DOUBLE, "boolean": types.BOOL}.get(node.type, types.DYN)


def _object_type(node: Node) -> Type:
    from syncline.apimachinery.cel import types

    if _is_map(node):
        return types.map_of(types.STRING, type_for_rules(node.elements or ANY))
    fields = {
        written: type_for_rules(member)
        for name, member in node.fields.items()
        if (written := spelled(name)) is not None and not (node.embedded and name == "metadata")
    }
    if node.embedded:
        metadata = types.Type("object", fields=dict.fromkeys(_META, types.STRING))
        fields |= {"apiVersion": types.STRING, "kind": types.STRING, "metadata": metadata}
    return types.Type("object", fields=fields)
