"""Reads objects as Go's typed decoder does: which fields are unknown, which values have a wrong type.

Called by `syncline.sandbox.api.decoding` with an object and the schema of its kind.
"""

from __future__ import annotations

import re
from typing import Any, Final

from syncline.apimachinery import base64_text, quantity
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema.node import Node
from syncline.sandbox import errors
from syncline.sandbox.api import protobuf, strictness
from syncline.sandbox.served.resources import Resource

UNREADABLE: Final = "json: cannot unmarshal"
_SHARED: Final = frozenset({"ObjectMeta", "LabelSelector", "OwnerReference", "ManagedFieldsEntry"})
"""Structures that kinds of every version have from elsewhere."""
_JSON_TYPES: Final = {str: "string", bool: "bool", int: "number", float: "number", list: "array", dict: "object"}
_GO_TYPES: Final = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}
_FINE_TIMES: Final = frozenset({"acquireTime", "renewTime", "eventTime", "lastObservedTime"})
"""Times with microseconds, which are read by another layout."""
_INT32: Final = range(-(2**31), 2**31)


class Reading:
    """One reading of an object by Go's decoder.

    A value of a wrong type is kept in mind and the rest is read on; types that read themselves (times, quantities,
    numbers or texts) end it. So what those refuse is told rather than what was wrong before.
    """

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._first: errors.StatusError | None = None
        self.unknown: list[str] = []

    def check(self) -> None:
        """Raise for the first wrong type."""
        if self._first is not None:
            raise self._first

    def _wrong(self, path: str, value: Any, node: Node) -> None:
        wanted = _go_type(node)
        if node.format == "byte" and isinstance(value, list) and value:
            value, wanted = value[0], "uint8"
        self._first = self._first or WrongType(self._resource, path, value, wanted)

    def walk(self, node: Node, value: Any, path: str) -> Any:
        """Return a value without unknown fields."""
        if node.int_or_string and isinstance(value, dict | list):
            raise WrongType(self._resource, path, value, "int32", either=True)
        if value is None or node.int_or_string or not node.type:
            return value
        if node.type == "object" and isinstance(value, dict):
            return value if node.preserve_unknown else self._walk_object(node, value, path)
        if node.type == "array" and isinstance(value, list):
            return self._walk_array(node, value, path)
        if not _fits(node, value):
            self._wrong(path, value, node)
        return value

    def _walk_array(self, node: Node, value: list[Any], path: str) -> list[Any]:
        elements = node.elements
        if elements is None:
            return value
        for index, item in enumerate(value):
            walked = self.walk(elements, item, f"{path}[{index}]")
            if walked is not item:
                value[index] = walked
        return value

    def _walk_object(self, node: Node, value: Object, path: str) -> Object:
        gone: list[str] = []
        for key, item in value.items():
            member = node.field(key)
            where = f"{path}.{key}" if path else key
            if member is None:
                self.unknown.append(where)
                gone.append(key)
                continue
            if key not in node.fields and path:
                where = path  # Go names the map, not the key
            if isinstance(item, dict | list):
                self.walk(member, item, where)
            elif item is not None:
                self._check_plain(member, item, key, where)
            elif member.type and key in node.fields:
                gone.append(key)  # null in a map stays, as the zero value of its type
        for key in gone:
            del value[key]
        return value

    def _check_plain(self, node: Node, value: Any, key: str, path: str) -> None:
        if node.int_or_string:
            if not (isinstance(value, str) or _is_int32(value)):
                raise WrongType(self._resource, path, value, "int32", either=True)
        elif node.type and not _fits(node, value):
            self._wrong(path, value, node)
        elif node.format == "quantity":
            _check_quantity(self._resource, value)
        elif node.format == "byte" and self._first is None:
            self._first = _not_bytes(self._resource, value)
        elif node.format == "date-time" and key not in _FINE_TIMES:
            _check_time(self._resource, value)


def _check_quantity(resource: Resource, value: Any) -> None:
    try:
        quantity.parse(value)
    except ValueError:
        text = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        kind, version = resource.kind, resource.gvk.version
        raise errors.bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {text}') from None


def _not_bytes(resource: Resource, value: str) -> errors.StatusError | None:
    place = base64_text.wrong_at(value)
    if place is None:
        return None
    kind, version = resource.kind, resource.gvk.version
    text = f"illegal base64 data at input byte {place}"
    return errors.bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {text}')


def _check_time(resource: Resource, value: str) -> None:
    problem = strictness.time_problem(value)
    if problem:
        kind, version = resource.kind, resource.gvk.version
        raise errors.bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {problem}')


def _fits(node: Node, value: Any) -> bool:
    kind = node.type
    if kind == "string":
        return isinstance(value, str) or (node.format == "quantity" and isinstance(value, int | float))
    if kind == "integer":
        return _is_int32(value) if node.format == "int32" else type(value) is int
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, bool) if kind == "boolean" else False


def _is_int32(value: Any) -> bool:
    return type(value) is int and value in _INT32


def _go_type(node: Node) -> str:
    if node.type == "object" and node.elements is not None:
        return f"map[string]{_go_type(node.elements)}"
    if node.type == "array" and node.elements is not None:
        return f"[]{_go_type(node.elements)}"
    if node.format == "byte":
        return "[]uint8"
    return node.format if node.format in ("int32", "int64") else _GO_TYPES.get(node.type, node.type)


class WrongType(errors.StatusError):
    """A value that does not fit the Go type of its field; `either` for one that takes texts too."""

    def __init__(self, resource: Resource, path: str, value: Any, wanted: str, *, either: bool = False) -> None:
        given = _JSON_TYPES.get(type(value), "null")
        if given == "number" and wanted.startswith("int"):
            given = f"number {value}"
        path = re.sub(r"\[\d+\]", "", path)
        keys = path.split(".")
        inner = protobuf.struct_of(resource.gvk, keys)
        version = "v1" if inner in _SHARED else resource.gvk.version
        wanted = wanted.replace("object", f"{version}.{inner}") if inner else wanted
        struct = protobuf.struct_of(resource.gvk, keys[:-1]) or (resource.kind if len(keys) == 1 else "")
        super().__init__(
            400,
            "BadRequest",
            f'{resource.kind} in version "{resource.gvk.version}" cannot be handled as a {resource.kind}: '
            f"{UNREADABLE} {given} into Go struct field {struct}.{path} of type {wanted}",
        )
        kind = "float64" if isinstance(value, float) else "int64"
        self.unstructured = f"cannot convert {kind} to {wanted}"
        """How the same is told where the object has come through a map."""
        if either:
            self.unstructured = f"{UNREADABLE} {given} into Go value of type {wanted}"
