"""Reads request bodies in Kubernetes' protobuf encoding, which Go clients send for built-in kinds.

Called by `syncline.sandbox.api.decoding`; gives what the same body in JSON would have decoded to. The table of field
numbers is a data file made by `tools/build_protobuf.py`. Answers are always JSON, which every client accepts.
"""

from __future__ import annotations

import base64
import functools
import struct
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any, Final

import orjson

from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupVersionKind, Object, split_api_version
from syncline.apimachinery.schema import definitions
from syncline.sandbox import errors

MEDIA: Final = "application/vnd.kubernetes.protobuf"
_MAGIC: Final = b"k8s\x00"
_META: Final = "k8s.io.apimachinery.pkg.apis.meta.v1"
_SINGLE_TEXT: Final = "k8s.io.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING: Final = "k8s.io.apimachinery.pkg.util.intstr.IntOrString"
_TIMES: Final = (f"{_META}.Time", f"{_META}.MicroTime")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def decode(content: bytes) -> Object:
    """Decode one object with its envelope."""
    try:
        return _decode(content)
    except (IndexError, struct.error, UnicodeDecodeError, ValueError) as error:
        raise errors.bad_request(f"the protobuf body of the request cannot be read: {error}") from None


def _decode(content: bytes) -> Object:
    if not content.startswith(_MAGIC):
        raise errors.bad_request("the body does not start with the protobuf prefix of Kubernetes objects")
    api_version = kind = ""
    raw = b""
    for number, value in _fields(content[len(_MAGIC) :]):
        if number == 1 and isinstance(value, bytes):
            named = {field: text for field, text in _fields(value) if isinstance(text, bytes)}
            api_version, kind = named.get(1, b"").decode(), named.get(2, b"").decode()
        elif number == 2 and isinstance(value, bytes):
            raw = value
    message = _message_of(api_version, kind)
    body = _message(message, raw)
    return {"apiVersion": api_version, "kind": kind, **body}


def _message_of(api_version: str, kind: str) -> str:
    group, version = split_api_version(api_version)
    name = definitions.of_version(None).names_by_kind.get(GroupVersionKind(group, version, kind), "")
    message = name.replace("io.k8s.", "k8s.io.", 1).replace("apiextensions-apiserver", "apiextensions_apiserver")
    table = _table()
    if message in table:
        return message
    if f"{_META}.{kind}" in table:
        return f"{_META}.{kind}"
    raise errors.bad_request(f'no kind "{kind}" is registered for version "{api_version}"')


def struct_of(gvk: GroupVersionKind, keys: Sequence[str]) -> str:
    """Return what Go calls the structure below these keys of a kind, empty when that is not known."""
    table = _table()
    try:
        message = _message_of(gvk.api_version, gvk.kind)
    except errors.StatusError:
        return ""
    for key in keys:
        found = next((field for field in table.get(message, {}).values() if field.name == key), None)
        if found is None:
            return ""
        message = found.kind
    return message.rpartition(".")[2] if message in table else ""


class _Field:
    """One field of a message: its JSON name, its type and how it is repeated."""

    __slots__ = ("kind", "mapped", "name", "omits_zero", "repeated")

    def __init__(self, name: str, kind: str, flags: str) -> None:
        self.name = name
        self.kind = kind
        self.repeated = "r" in flags
        self.mapped = "m" in flags
        self.omits_zero = "z" in flags


@functools.cache
def _table() -> dict[str, dict[int, _Field]]:
    packed = resources.files("syncline.sandbox").joinpath("data", "protobuf.json.z").read_bytes()
    messages = orjson.loads(zlib.decompress(packed))
    return {
        name: {number: _Field(json_name, kind, flags) for number, json_name, kind, flags in fields}
        for name, fields in messages.items()
    }


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the numbered values of a message: numbers as int, all else as bytes."""
    position = 0
    while position < len(content):
        tag, position = _varint(content, position)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, position = _varint(content, position)
            yield number, value
        elif wire == 2:
            length, position = _varint(content, position)
            if position + length > len(content):
                raise ValueError("a field is longer than its message")
            yield number, content[position : position + length]
            position += length
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
            yield number, content[position : position + length]
            position += length
        else:
            raise ValueError(f"wire type {wire} is not used by Kubernetes")


def _varint(content: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def _message(name: str, content: bytes) -> Object:
    table = _table()[name]
    decoded: Object = {}
    for number, value in _fields(content):
        field = table.get(number)
        if field is None:
            continue
        if field.mapped:
            key, item = _entry(field.kind, value)
            decoded.setdefault(field.name, {})[key] = item
        elif field.repeated:
            decoded.setdefault(field.name, []).append(_value(field.kind, value))
        else:
            _set(decoded, field, _value(field.kind, value))
    return decoded


def _set(decoded: Object, field: _Field, value: Any) -> None:
    if not field.name:
        decoded.update(value)
    elif value is not None and not (field.omits_zero and not value):
        decoded[field.name] = value


def _entry(kind: str, content: int | bytes) -> tuple[str, Any]:
    parts = dict(_fields(content if isinstance(content, bytes) else b""))
    key = parts.get(1, b"")
    blank: int | bytes = 0 if kind in ("i", "b") else b""
    return (key.decode() if isinstance(key, bytes) else str(key)), _value(kind, parts.get(2, blank))


def _value(kind: str, value: int | bytes) -> Any:
    if isinstance(value, int):
        if kind == "b":
            return bool(value)
        return value - (1 << 64) if value >= 1 << 63 else value
    match kind:
        case "s":
            return value.decode()
        case "y":
            return base64.b64encode(value).decode()
        case "d":
            return struct.unpack("<d", value)[0]
    return _special(kind, value) if kind in _SPECIAL else _message(kind, value)


def _special(kind: str, content: bytes) -> Any:
    """Decode messages that JSON writes as something other than an object of their fields."""
    parts = dict(_fields(content))
    if kind in _TIMES:
        return _time(parts, micro=kind.endswith("MicroTime"))
    if kind == _INT_OR_STRING:
        text = parts.get(3, b"")
        if parts.get(1, 0) == 0:
            return _value("i", parts.get(2, 0))
        return text.decode() if isinstance(text, bytes) else str(text)
    first = parts.get(1, b"")
    raw = first if isinstance(first, bytes) else b""
    if kind == _SINGLE_TEXT:
        return raw.decode()
    if kind == f"{_META}.Duration":
        return first
    if kind in _LISTS:
        return [value.decode() for _, value in _fields(content) if isinstance(value, bytes)]
    return orjson.loads(raw) if raw else None


def _time(parts: dict[int, int | bytes], *, micro: bool) -> str | None:
    if not parts:
        return None
    seconds = _value("i", parts.get(1, 0))
    nanos = _value("i", parts.get(2, 0))
    moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)
    return times.format_micro_time(moment) if micro else times.format_time(moment)


_EXTENSIONS: Final = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1"
_LISTS: Final = ("k8s.io.api.authentication.v1.ExtraValue", "k8s.io.api.authorization.v1.ExtraValue")
_SPECIAL: Final = frozenset(
    {
        *_TIMES,
        *_LISTS,
        _INT_OR_STRING,
        _SINGLE_TEXT,
        f"{_META}.Duration",
        f"{_META}.FieldsV1",
        "k8s.io.apimachinery.pkg.runtime.RawExtension",
        f"{_EXTENSIONS}.JSON",
    }
)
